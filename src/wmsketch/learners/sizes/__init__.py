"""Budgets, shapes, durations and seeds."""
