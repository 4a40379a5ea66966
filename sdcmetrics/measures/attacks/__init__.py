"""Attacks, run the same way on who was in the original and on who was not."""
