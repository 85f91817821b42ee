"""Cells in order, and how texts and functions are written into them."""

from __future__ import annotations

import base64
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

_IMPORTS = """from pathlib import Path

import json

import duckdb
import matplotlib.pyplot as plt
import pandas as pd

opened = duckdb.connect()
RECORDED = Path({folder!r})  # the rows that were recorded, beside this notebook"""


class Book:
    """A notebook while it is written. The rows it is checked by lie in `folder` beside it."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.rows: dict[str, Any] = {}
        """Tables to be written into the folder, by file name."""
        self.metadata: dict[str, Any] = {}
        """What the notebook says of itself, for programs."""
        self._cells: list[dict[str, Any]] = []

    def words(self, *lines: str) -> None:
        """A cell of Markdown."""
        self._add("markdown", "\n".join(lines))

    def code(self, *lines: str) -> None:
        """A cell of Python."""
        self._add("code", "\n".join(lines), execution_count=None, outputs=[])

    def setup(self, functions: list[Callable[..., Any]]) -> None:
        """A cell with what later ones use."""
        self.code(
            _IMPORTS.format(folder=self.folder), *(f"\n\n{source_of(one)}" for one in functions)
        )

    def picture(self, path: Path, words: str) -> None:
        """A cell that shows a file of PNG, which goes into the notebook."""
        self.image(path.read_bytes(), path.name, words)

    def image(self, content: bytes, name: str, words: str) -> None:
        """A cell that shows a PNG under the name of a file."""
        shown, encoded = f"![{words}](attachment:{name})", base64.b64encode(content).decode()
        self._add("markdown", shown, attachments={name: {"image/png": encoded}})

    def keep(self, table: Any) -> str:
        """Have a table written beside the notebook; the code that reads it again."""
        name = f"{len(self.rows) + 1}.parquet"
        self.rows[name] = table
        return f"pd.read_parquet(RECORDED / {name!r})"

    def write(self, path: Path) -> None:
        """Write the notebook, and its rows beside it. Raises OSError."""
        import nbformat
        import pyarrow.parquet as pq

        kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
        whole = {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {"kernelspec": kernel, **self.metadata},
            "cells": self._cells,
        }
        node = nbformat.from_dict(whole)  # type: ignore[no-untyped-call]
        nbformat.validate(node)
        beside = path.parent / self.folder
        if self.rows:
            beside.mkdir(exist_ok=True)
        for name, table in self.rows.items():
            pq.write_table(table, beside / name)
        path.write_text(nbformat.writes(node) + "\n", "utf-8")  # type: ignore[no-untyped-call]

    def _add(self, kind: str, source: str, **more: Any) -> None:
        name = f"cell-{len(self._cells):02}"
        self._cells.append(
            {"cell_type": kind, "id": name, "metadata": {}, "source": source, **more}
        )


def source_of(function: Callable[..., Any]) -> str:
    """A function as it is written."""
    return inspect.getsource(function).strip()


def literal(text: str) -> str:
    """A text as Python has it, over lines where that says the same."""
    spread = f'"""\n{text}\n"""'
    over_lines = "\n" in text and '"""' not in text and "\\" not in text and text[-1] != '"'
    return spread if over_lines else repr(text)
