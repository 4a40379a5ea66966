"""The rules of what may be shown, and how exactly."""
