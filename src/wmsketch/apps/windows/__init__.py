"""Counts of attributes by time and by a measure, so that any part of a stream can be compared with any other."""
