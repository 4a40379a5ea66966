"""The command line."""

__all__ = ["main"]


def main() -> None:
    """Run the command line; nothing is imported before."""
    from sdcmetrics.cli.app import main as run

    run()
