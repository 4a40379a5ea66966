"""Maximum mean discrepancy: how far two samples are apart under a Gaussian kernel."""
