"""What is learnt of people because they were in the file."""
