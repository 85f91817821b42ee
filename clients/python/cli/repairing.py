"""`assay look --repair`: what can be repaired, one by one or all, kept beside the data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from assay.common.v1.data_pb2 import Doubt
from assay.common.v1.look_pb2 import Look
from clients.python.cli.screen import LABEL_WIDTH, Screen
from clients.python.cli.words import count, listed, short_path
from clients.python.semantic_models import model_of
from mesh.errors import INVALID_ARGUMENT, SEMANTIC_MODEL_INVALID, AssayError
from mesh.repairs import option_of

ALL, EACH = "all", "each"


def repair(
    screen: Screen, seen: Look, files: Sequence[str], *, every: bool
) -> dict[str, list[str]]:
    """Go through what can be repaired, and keep what is wanted in the model beside each file: what
    was kept, by file.

    Raises AssayError: INVALID_ARGUMENT where nothing is a file, SEMANTIC_MODEL_INVALID for a model
    that is there and cannot be added to.
    """
    places = {Path(file).name.casefold(): Path(file).expanduser() for file in files}
    if not places:
        raise AssayError(
            INVALID_ARGUMENT,
            "only files can be repaired",
            hint="Name a file; what is in a database is mended there.",
        )
    wanted: dict[str, list[str]] = {}
    for doubt in seen.doubts:
        if not doubt.repairs or doubt.source_name.casefold() not in places:
            continue
        chosen = 1 if every else _asked(screen, doubt)
        if chosen:
            one = doubt.repairs[chosen - 1]
            option = option_of(one.kind, one.column, one.value)
            wanted.setdefault(doubt.source_name, []).append(option)
    for name, options in wanted.items():
        keep(model_of(places[name.casefold()]), name, options)
    return wanted


def tell_repaired(screen: Screen, kept: dict[str, list[str]], files: Sequence[str]) -> None:
    """Print what was kept, and where."""
    places = {Path(file).name.casefold(): Path(file).expanduser() for file in files}
    for name, options in kept.items():
        model = short_path(model_of(places[name.casefold()]).absolute())
        screen.line("kept", f"{count(len(options), 'repair')} of {name} in {model}")
        for option in options:
            screen.row("", option)
    if not kept:
        screen.line("kept", "no repair")


def _asked(screen: Screen, doubt: Doubt) -> int:
    """Which of its repairs somebody wants, from 1; 0 for none, also at the end of the input."""
    text = f"{doubt.said} ({doubt.changes})" if doubt.changes else doubt.said
    screen.row("doubt", text, "")
    for number, one in enumerate(doubt.repairs, 1):
        screen.row("", f"{number}  {option_of(one.kind, one.column, one.value)}", "")
    numbers = [str(number) for number in range(1, len(doubt.repairs) + 1)]
    prompt = f"{listed(numbers, 'or')} repairs it, Enter leaves it: "
    while True:
        screen.out.print(" " * LABEL_WIDTH + prompt, end="", style="bold")
        try:
            reply = input().strip()
        except EOFError:
            return 0
        if not reply or reply in numbers:
            return int(reply or 0)


def keep(model: Path, name: str, options: Sequence[str]) -> None:
    """Add repairs of a file to the model beside it, each once; what else stands in the model stays
    as it is written. Raises AssayError(SEMANTIC_MODEL_INVALID)."""
    text = model.read_text(encoding="utf-8") if model.exists() else ""
    repairs = _repairs_in(text, model)
    known = repairs.setdefault(name, [])
    known += [option for option in options if option not in known]
    before, behind = _without_part(text, "repairs")
    gap = "" if not before or before.endswith("\n") else "\n"
    listed_ = "".join(
        f"  {_quoted(file)}:\n" + "".join(f"    - {_quoted(one)}\n" for one in each)
        for file, each in repairs.items()
    )
    model.write_text(f"{before}{gap}repairs:\n{listed_}{behind}", encoding="utf-8")


def _repairs_in(text: str, model: Path) -> dict[str, list[str]]:
    """The repairs that a model has, by file. Raises AssayError(SEMANTIC_MODEL_INVALID)."""
    try:
        there: dict[str, Any] = yaml.safe_load(text) or {}
        found = there.get("repairs") or {}
        return {str(file): [str(one) for one in each or ()] for file, each in found.items()}
    except (yaml.YAMLError, AttributeError, TypeError) as error:
        raise AssayError(
            SEMANTIC_MODEL_INVALID,
            f"{model.name} cannot be added to: it is not what a semantic model is",
            hint="Mend it, or move it away.",
        ) from error


def _without_part(text: str, key: str) -> tuple[str, str]:
    """What stands before and behind a part at the left margin; all of it before where there is
    none."""
    lines = text.splitlines(keepends=True)
    first = next((at for at, line in enumerate(lines) if line.startswith(f"{key}:")), len(lines))
    behind = first + 1
    while behind < len(lines) and lines[behind][:1] in (" ", "-", "\n"):
        behind += 1
    return "".join(lines[:first]), "".join(lines[behind:])


def _quoted(text: str) -> str:
    """A text as YAML in one line."""
    written: str = yaml.safe_dump(text, default_style='"', allow_unicode=True, width=10_000)
    return written.strip()
