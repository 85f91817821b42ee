"""How does Assay answer over data as people really have it? `python -m bench.untidy`

Inputs of sixteen kinds, made here by code in several forms, domains and languages of headings, each
with the right values; situations held out, which nobody had in mind who wrote what recognises them
(`bench/untidy/held`); and the examples of `../shared/cases` where they lie beside the checkout.
All are asked of one mesh in this process. Printed are a table by kind and every wrong answer.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from bench.measure import arguments, keep, print_table
from bench.untidy.asking import Outcome, ask_all
from bench.untidy.beside import CASES, beside
from bench.untidy.further import further
from bench.untidy.held import held
from bench.untidy.inputs import Input
from bench.untidy.judging import Verdict, counted
from bench.untidy.keys import keys
from bench.untidy.layouts import layouts
from bench.untidy.times import times
from bench.untidy.values import values

_ROWS_SHOWN = 6


def made() -> list[Input]:
    """The inputs that are made here."""
    return [*keys(), *layouts(), *times(), *values(), *further(), *held()]


def main() -> None:
    """Ask, and print."""
    parser = arguments("untidy", __doc__)
    parser.add_argument("--kind", help="only of this kind")
    parser.add_argument("--held", action="store_true", help="only what is held out")
    parser.add_argument(
        "--all", action="store_true", help="show every answer, not wrong ones alone"
    )
    given = parser.parse_args()
    found = beside()
    if not found:
        print(f"the examples are left out: there is no {CASES}")
    inputs = [
        one
        for one in (*made(), *found)
        if given.kind in (None, one.kind) and (one.held or not given.held)
    ]
    began = time.perf_counter()
    outcomes = asyncio.run(
        ask_all(inputs, lambda _: print(".", end="", file=sys.stderr, flush=True))
    )
    print(file=sys.stderr)
    _print(outcomes, every=given.all)
    seconds = time.perf_counter() - began
    print(f"{len(outcomes)} questions over {len(inputs)} inputs in {seconds:.0f} s")
    keep({"outcomes": [_as_json(one) for one in outcomes]}, given.json)


def _print(outcomes: Sequence[Outcome], *, every: bool) -> None:
    for title in ("made here", "held out", "beside the checkout"):
        part = [one for one in outcomes if _half(one.input) == title]
        if part:
            _print_table(title, part)
    wrong = (Verdict.SURE, Verdict.WRONG)
    for verdict in reversed(Verdict):
        of = [one for one in outcomes if one.verdict is verdict]
        if of and (every or verdict in wrong):
            print(f"\n{verdict} ({len(of)})")
            for one in of:
                _print_one(one)


def _half(given: Input) -> str:
    if given.place is not None:
        return "beside the checkout"
    return "held out" if given.held else "made here"


def _print_table(title: str, outcomes: Sequence[Outcome]) -> None:
    kinds = counted((one.input.kind, one.verdict) for one in outcomes)
    kinds["all"] = Counter(one.verdict for one in outcomes)
    print_table(
        title,
        ("", "questions", *(str(verdict) for verdict in Verdict)),
        [(kind, of.total(), *(of[verdict] for verdict in Verdict)) for kind, of in kinds.items()],
    )


def _print_one(one: Outcome) -> None:
    reply = one.reply
    print(f"  {one.input.kind}, {one.input.name}: {one.asked.question}")
    if reply.refused:
        print(f"      {reply.refused}")
        return
    print(f"      {reply.confidence}: {reply.text}")
    print(f"      {[tuple(map(str, row)) for row in (reply.rows or ())[:_ROWS_SHOWN]]}")
    for caveat in reply.notes:
        print(f"      note: {caveat}")


def _as_json(one: Outcome) -> dict[str, Any]:
    return {
        "kind": one.input.kind,
        "input": one.input.name,
        "question": one.asked.question,
        "verdict": str(one.verdict),
        "confidence": one.reply.confidence,
        "text": one.reply.text,
        "told": list(one.reply.notes),
        "refused": one.reply.refused,
        "rows": [[str(cell) for cell in row] for row in (one.reply.rows or ())[:_ROWS_SHOWN]],
    }


if __name__ == "__main__":
    main()
