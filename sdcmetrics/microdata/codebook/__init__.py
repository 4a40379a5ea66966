"""What a file of metadata says of the columns of a data file: labels, codes, types."""
