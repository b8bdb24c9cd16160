"""Learn a linear classifier from a stream in a fixed number of bytes, and ask which features matter."""
