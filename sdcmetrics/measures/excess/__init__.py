"""Excess of disclosure: what is learnt of people because they were in the file."""
