"""What is looked at before a file goes out: label, structure, how it was made."""
