"""How well texts are checked: right sentences must pass, and their perturbed twins must not.

    python -m bench.agents.texts [--held-out | --seen] [--show KIND]

The sentences of texts.yaml were written by somebody who had not seen the checker; half of them are
marked as held out. A twin differs from its right sentence in one thing that is made untrue. It
is found where a failure is told that the right sentence has not.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from mesh.prose.checking import check_text
from mesh.prose.failures import Failure
from mesh.prose.frames import Frame

TEXTS = Path(__file__).with_name("texts.yaml")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A right sentence and its twins, by the kind of what is made untrue."""

    right: str
    wrong: tuple[tuple[str, str], ...]
    held_out: bool


def read_texts() -> tuple[dict[str, Frame], list[Sentence]]:
    """All frames, and all sentences."""
    value = yaml.load(TEXTS.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    frames = {name: _frame(name, each) for name, each in value["frames"].items()}
    sentences = [
        Sentence(
            each["right"],
            tuple((twin["kind"], twin["text"]) for twin in each["wrong"]),
            bool(each.get("held_out")),
        )
        for each in value["texts"]
    ]
    return frames, sentences


def measured(sentences: list[Sentence], frames: dict[str, Frame]) -> dict[str, Any]:
    """Shares of right sentences refused, by kind of failure, and of twins found, by their kind."""
    twins: Counter[str] = Counter()
    found: Counter[str] = Counter()
    refused = 0
    why: Counter[str] = Counter()
    begun = time.perf_counter()
    for one in sentences:
        right = {_what(failure) for failure in check_text(one.right, frames).failures}
        refused += bool(right)
        why.update({code for code, _ in right})
        for kind, text in one.wrong:
            twins[kind] += 1
            found[kind] += any(
                _what(failure) not in right for failure in check_text(text, frames).failures
            )
    seconds = time.perf_counter() - begun
    return {
        "right": len(sentences),
        "refused": refused,
        "refused_by": dict(why.most_common()),
        "twins": twins.total(),
        "found": found.total(),
        "by_kind": {kind: (found[kind], count) for kind, count in sorted(twins.items())},
        "ms_a_text": 1000 * seconds / (len(sentences) + twins.total()),
    }


def missed(
    sentences: list[Sentence], frames: dict[str, Frame], kind: str
) -> Iterator[tuple[str, list[Failure]]]:
    """Right sentences that are refused (kind "right"), or twins of a kind that are not found."""
    for one in sentences:
        failures = list(check_text(one.right, frames).failures)
        if kind == "right":
            if failures:
                yield one.right, failures
            continue
        right = {_what(failure) for failure in failures}
        for its, text in one.wrong:
            new = [each for each in check_text(text, frames).failures if _what(each) not in right]
            if its == kind and not new:
                yield text, []


def _what(failure: Failure) -> tuple[str, str]:
    return failure.code.value, failure.claimed


def _frame(name: str, contents: dict[str, Any]) -> Frame:
    dates = set(contents.get("dates") or ())
    values = {
        column: [_value(cell, column in dates) for cell in cells]
        for column, cells in contents["columns"].items()
    }
    return Frame(
        name,
        tuple(values),
        values,
        doubts=contents.get("doubts") or {},
        effect=contents.get("effect"),
        statement=contents.get("statement") or "",
    )


def _value(cell: Any, is_date: bool) -> Any:
    return date.fromisoformat(cell) if is_date and isinstance(cell, str) else cell


def main() -> None:
    """Print the figures, or with --show what is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    half = parser.add_mutually_exclusive_group()
    half.add_argument("--held-out", action="store_true")
    half.add_argument("--seen", action="store_true")
    parser.add_argument("--show", metavar="KIND", help='a kind of twins, or "right"')
    chosen = parser.parse_args()
    frames, sentences = read_texts()
    if chosen.held_out or chosen.seen:
        sentences = [one for one in sentences if one.held_out == chosen.held_out]
    if chosen.show:
        for text, failures in missed(sentences, frames, chosen.show):
            print(text)
            for each in failures:
                print(f"    {each.code}: {each.claimed}: {each.found}")
        return
    values = measured(sentences, frames)
    print(f"right sentences refused  {values['refused']} of {values['right']}")
    for code, count in values["refused_by"].items():
        print(f"    {code:18} {count:4}")
    print(f"perturbed twins found    {values['found']} of {values['twins']}")
    for kind, (found, count) in values["by_kind"].items():
        print(f"    {kind:14} {found:4} of {count}")
    print(f"{values['ms_a_text']:.1f} ms a text")


if __name__ == "__main__":
    main()
