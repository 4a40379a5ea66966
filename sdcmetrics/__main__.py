"""What ``python -m sdcmetrics`` runs: the command line."""

from sdcmetrics.cli import main

if __name__ == "__main__":
    main()
