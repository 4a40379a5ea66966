"""What a replica gives away about the records of the original."""
