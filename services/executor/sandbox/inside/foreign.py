"""Run foreign code over frames, in a process that is confined already and ends afterwards."""

from __future__ import annotations

import ast
import builtins
import io
import keyword
import linecache
import mmap
import traceback
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pyarrow as pa
import scipy
from matplotlib import pyplot as plt

from services.executor.sandbox.inside.repeatable import seed_everything, why_it_may_differ
from services.executor.sandbox.inside.reply import MAX_FIGURES, Failure, Reply
from services.executor.sandbox.inside.results import UnusableResult, table_of

FILE_NAME = "<python.run>"


def open_frame(file: int) -> pa.Table:
    """The Arrow stream in the file, mapped rather than copied."""
    return pa.ipc.open_stream(pa.py_buffer(mmap.mmap(file, 0, access=mmap.ACCESS_READ))).read_all()


def run(code: str, tables: Mapping[str, pa.Table]) -> Reply:
    """What the code gives; a failure of its own is part of the reply."""
    try:
        seed_everything()
        names = _names(tables)
        linecache.cache[FILE_NAME] = (len(code), None, code.splitlines(keepends=True), FILE_NAME)
        tree = ast.parse(code, FILE_NAME)
        exec(compile(tree, FILE_NAME, "exec"), names)
        return _gathered(names, why_it_may_differ(tree))
    except BaseException as error:
        return Reply(failure=_failure(error))


def _names(tables: Mapping[str, pa.Table]) -> dict[str, Any]:
    """The variables that the code starts with."""
    frames = {name: table.to_pandas(use_threads=False) for name, table in tables.items()}
    given: dict[str, Any] = {
        "__name__": "__main__",
        "__builtins__": builtins,
        "np": np,
        "pd": pd,
        "pa": pa,
        "plt": plt,
        "scipy": scipy,
        "frames": frames,
        "tables": dict(tables),
    }
    for name, frame in frames.items():
        if name.isidentifier() and not keyword.iskeyword(name):
            given.setdefault(name, frame)
    if len(frames) == 1:
        given.setdefault("df", next(iter(frames.values())))
    return given


def _gathered(names: Mapping[str, Any], texts: list[str]) -> Reply:
    figures, notes = _figures()
    notes += texts
    stream = b""
    if names.get("result") is not None:
        table, more = table_of(names["result"])
        notes += more
        stream = stream_of(table)
    elif not figures:
        raise UnusableResult("the code assigned nothing to `result` and drew no figure")
    return Reply(frame=stream, figures=tuple(figures), notes=tuple(notes))


def stream_of(table: pa.Table) -> bytes:
    """The table as an Arrow stream."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _figures() -> tuple[list[bytes], list[str]]:
    numbers = plt.get_fignums()
    images = []
    for number in numbers[:MAX_FIGURES]:
        image = io.BytesIO()
        plt.figure(number).savefig(image, format="png", metadata={"Software": None})
        images.append(image.getvalue())
    left_out = len(numbers) - len(images)
    return images, [f"{left_out} more figures were left out"] if left_out else []


def _failure(error: BaseException) -> Failure:
    line, source = _place(error)
    key = error.args[0] if isinstance(error, KeyError) and error.args else ""
    message = error.msg if isinstance(error, SyntaxError) else str(error)
    return Failure(
        type=type(error).__name__[:100],
        message=message[:2000],
        line=line,
        source=source.strip()[:500],
        key=key[:500] if isinstance(key, str) else "",
    )


def _place(error: BaseException) -> tuple[int, str]:
    """The last line of the code that the error came through."""
    if isinstance(error, SyntaxError) and error.filename == FILE_NAME:
        return error.lineno or 0, error.text or ""
    trace: TracebackType | None = error.__traceback__
    for entry in reversed(traceback.extract_tb(trace)):
        if entry.filename == FILE_NAME:
            return entry.lineno or 0, entry.line or ""
    return 0, ""


def warm_up() -> None:
    """Do once what is slow the first time, so that no run pays for it."""
    mpl.use("agg")
    table, _ = table_of(pd.DataFrame({"number": [1.5, 2.5], "text": ["a", "b"]}))
    frame = pa.ipc.open_stream(stream_of(table)).read_all().to_pandas(use_threads=False)
    frame.groupby("text").mean()
    figure, axes = plt.subplots()
    axes.plot(frame["text"], frame["number"])
    figure.savefig(io.BytesIO(), format="png")
    plt.close("all")
