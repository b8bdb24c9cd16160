"""Each file of a folder is asked with no option but the question, and the answers are checked."""
