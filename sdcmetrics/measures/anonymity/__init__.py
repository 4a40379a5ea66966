"""What one file says of the people in it, by the keys that an intruder may know."""
