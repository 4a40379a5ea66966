"""The decision on a replica: one answer to each of two questions, from calibrated claims."""
