"""Compare the answers of explain, diff, pmi and train on CSV files with exact counts by pandas."""
