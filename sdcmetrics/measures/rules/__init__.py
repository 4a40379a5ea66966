"""Relations that every record is to keep."""
