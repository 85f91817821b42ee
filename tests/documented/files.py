"""The files that pages speak of, laid into the folder in which their commands run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from examples.pages import write_pages
from tests.conftest import SHARED_DATA

SHARED = {"northwind.sqlite": "databases", "chinook.sqlite": "databases"}
FILE = re.compile(r"[\w./*-]*\w\.(?:csv|json|jsonl|parquet|sqlite|tsv|xlsx|yaml|zip|ipynb)\b")


def lay_out(folder: Path) -> None:
    """What `python -m examples.pages` gives whoever reads the pages."""
    write_pages(folder)


def shared(folder: Path, command: str) -> list[str]:
    """Lay out what a command names of the data beside the repository; those that are not there."""
    absent = []
    for name, part in SHARED.items():
        if name in command and not (folder / name).exists():
            there = SHARED_DATA / part / name
            if there.exists():
                shutil.copyfile(there, folder / name)
            else:
                absent.append(name)
    return absent


def named(command: str) -> list[str]:
    """The files that a command names."""
    return [name.lstrip("/") for name in FILE.findall(re.sub(r"\s#.*", "", command))]
