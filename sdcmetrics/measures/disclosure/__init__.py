"""Identity and attribute disclosure from counts of key combinations by target levels."""
