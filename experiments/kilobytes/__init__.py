"""`explain`, `diff` and `pmi` in 8 to 512 KiB, against other methods of the same bytes and exact counts."""
