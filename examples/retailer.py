"""Write the example retailer's files: `python -m examples.retailer FOLDER`."""

from __future__ import annotations

import argparse
from pathlib import Path

from examples.files import write_files
from examples.simulation import simulate


def write_retailer(folder: Path) -> tuple[Path, ...]:
    """Write orders.csv, customers.json and shop.sqlite into the folder and return their paths.

    Raises OSError where the folder cannot be made or written.
    """
    return write_files(simulate(), folder)


def main(arguments: list[str] | None = None) -> None:
    """Read the command line, write the files and name them."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.retailer",
        description="Write a small retailer's orders.csv, customers.json and shop.sqlite.",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="made if it does not exist")
    folder: Path = parser.parse_args(arguments).folder
    try:
        paths = write_retailer(folder)
    except OSError as error:
        parser.error(f"cannot write into {folder}: {error.strerror}. Name a folder you may write.")
    for path in paths:
        print(f"{path}  {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
