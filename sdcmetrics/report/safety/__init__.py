"""What may be shown, and how exactly."""
