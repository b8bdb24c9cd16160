"""How far the answers of explain, diff, pmi and train can be trusted on a CSV: each against exact counts by pandas."""
