"""The learners and counters, and what one can ask them."""
