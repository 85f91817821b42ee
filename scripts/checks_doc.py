# ruff: noqa: E501 - the page has lines of a terminal
"""Write docs/checks.md from the checks: `python -m scripts.checks_doc [--check]`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from scripts.errors_doc import table
from services.planner.domain.checks.rule import Example, Rule
from services.planner.domain.checks.rules import RULES

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "checks.md"

INTRODUCTION = """\
# Checks

<!-- Written by `make docs` from services/planner/domain/checks. Do not edit. -->

Faults of analysis, found in a statement and sized by asking the data:
`assay lint "select …" --data FILE` looks for all of them; `assay sql`, `assay ask` and plans of a
language model are judged by the same rules.

```console
$ assay lint "select sum(prior_spend) from customers join orders using (customer_id)" --db sqlite:///shop.sqlite --fix
error J01   SUM(customers.prior_spend) is over rows that the joins repeat: a row of customers comes once for
            every row of orders that goes with it, so it is 6,409,078 over 10,310 rows where each of 1,390
            once gives 498,720.
            in SUM(customers.prior_spend)
            Aggregate orders in a query of its own, one row for each of customers, before the join.
mended      SELECT SUM(customers.prior_spend) FROM customers WHERE EXISTS(SELECT 1 FROM orders WHERE
            customers.customer_id = orders.customer_id)
```

What a statement alone suggests is not said before the data were asked: a join that repeats no row
is no fan-out. An **error** makes an answer doubtful, a **doubt** is told before its number, a
**note** beside it. The exit code is 1 where there is an error, 6 where there are doubts alone, and
0 else; `--json` gives everything, `--fix` the statement with every change that is safe, and
`--question "…"` holds it to the words that it answers as well. Every example on this page runs as a
test.

A check is one value in `services/planner/domain/checks/`: what it looks for, what it asks the data,
and its examples. To add one, copy a neighbour."""


def page() -> str:
    """The whole page as Markdown."""
    head = ("code", "fault", "told as")
    rows = [(f"[{r.code}](#{r.code.lower()})", r.name, r.severity.value) for r in RULES]
    parts = [INTRODUCTION, table(head, rows)]
    for rule in RULES:
        parts += [f"## {rule.code} {rule.name} {{ #{rule.code.lower()} }}", rule.why]
        parts += _examples(rule)
    return "\n\n".join(parts) + "\n"


def _examples(rule: Rule) -> Iterator[str]:
    for example in rule.examples:
        if example.question:
            yield f"Of the question “{example.question}”:"
        lines = list(_lines(example))
        yield "```sql\n" + "\n".join(lines) + "\n```"


def _lines(example: Example) -> Iterator[str]:
    if example.wrong:
        yield f"-- has it (over {', '.join(example.tables)})"
        yield from (f"{sql};" for sql in example.wrong)
    if example.right:
        yield "-- has it not"
        yield from (f"{sql};" for sql in example.right)


def main(arguments: list[str]) -> int:
    """Write the page, or with --check only say whether it is up to date."""
    wanted = page()
    if "--check" in arguments:
        if PAGE.read_text(encoding="utf-8") == wanted:
            return 0
        print("docs/checks.md is not what the checks say: run `make docs`", file=sys.stderr)
        return 1
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
