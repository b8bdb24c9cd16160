"""Learning in parts, and merging them."""
