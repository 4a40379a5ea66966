"""Editions for outside: functions of public things and noisy sums, and of nothing else."""
