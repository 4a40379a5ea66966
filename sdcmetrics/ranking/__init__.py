"""Which replica, and what is given up for it: values, strategies, weights, and how sure."""
