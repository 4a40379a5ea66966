"""What is measured: one folder per subject; function and declaration side by side."""
