"""Assessing a study: the tidy result, and what a profile says of it."""
