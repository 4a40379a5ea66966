"""Disclosure risk of one file by the keys that an intruder may know."""
