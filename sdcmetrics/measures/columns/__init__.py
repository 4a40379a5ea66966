"""One column at a time: means, distributions and components of numbers, shares of groups."""
