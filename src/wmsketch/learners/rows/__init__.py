"""Rows and labels as people have them, and what a model knows about their columns."""
