"""Whose records are in a file: people of the original, or nobody in particular."""
