"""What a reader acts on, composed of calibrated claims: one answer to each of two questions."""
