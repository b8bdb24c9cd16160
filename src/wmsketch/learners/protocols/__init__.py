"""scikit-learn, River and blocks of rows: the ways to call a learner, and its parameters."""
