# ruff: noqa: E501 - the page has lines of a terminal
"""Write docs/repairs.md from the kinds of doubts and repairs: `python -m scripts.repairs_doc [--check]`."""

from __future__ import annotations

import sys
from pathlib import Path

from scripts.errors_doc import table
from services.executor.doubts.kinds import KINDS as DOUBTS
from services.executor.repairs.kinds import KINDS as REPAIRS

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "repairs.md"

INTRODUCTION = """\
# Doubts and repairs

<!-- Written by `make docs` from services/executor/doubts and services/executor/repairs. Do not edit. -->

Half of the wrong answers to questions about files are decided before the question is read: -200 is
averaged, a second heading is a row, a list is compared as text. What is seen of that in the data is
a **doubt**: its kind, where, how many rows, what it changes, and the **repairs** on offer. A repair
is a step between the file and its table.

```sh
assay look sensors.csv                # doubts, the gravest first, and what was repaired
assay look sensors.csv --repair all   # keeps the first repair of each; without "all", asks one by one
assay ask "average co by station" --data sensors.csv --raw
assay ask "average co by station" --data sensors.csv --read nothing.co=-200
```

- Repairs that are certain are made and told; whatever rests on one says so before its number and is
  not told as sure until somebody keeps the repair. `--raw` undoes them.
- What `--repair` keeps stands in [the semantic model](semantic_model.md) beside the file
  (`repairs:`, by the file's name), and is made from then on.
- An answer that rests on a doubt says so before its number, and is not sure (check
  [D04](checks.md#d04)).
- Repairs are part of how a source is read: of its digest, of the record, and of `--recompute`.
- Databases that are read where they are have doubts and no repairs: what is in them is mended there.

Over gRPC doubts come with `DescribeSource` and `Look` (`assay.common.v1.Doubt`), and repairs go with
`ReadOptions.repairs`; `assay look --json` has both.

To add a kind of doubt or of repair, copy a neighbour in `services/executor/doubts/` or
`services/executor/repairs/`, and add it to `kinds.py` there (a repair's name also to
`mesh/repairs.py`)."""


def page() -> str:
    """The whole page as Markdown."""
    parts = [INTRODUCTION, "## Repairs"]
    rows = [(f"`{k.name}`", k.does, k.takes, f"`{k.example}`") for k in REPAIRS.values()]
    parts.append(table(("repair", "what it does", "takes", "such as"), rows))
    parts.append("## Doubts")
    for kind in DOUBTS:
        parts += [f"### {kind.name} {{ #{kind.code} }}", f"`{kind.code}`. {kind.why}"]
    return "\n\n".join(parts) + "\n"


def main(arguments: list[str]) -> int:
    """Write the page, or with --check only say whether it is up to date."""
    wanted = page()
    if "--check" in arguments:
        if PAGE.read_text(encoding="utf-8") == wanted:
            return 0
        print("docs/repairs.md is not what the kinds say: run `make docs`", file=sys.stderr)
        return 1
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
