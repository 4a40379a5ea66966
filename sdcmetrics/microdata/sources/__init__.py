"""Data sets too large for memory: read batch by batch, counted, never held."""
