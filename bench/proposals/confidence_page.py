# ruff: noqa: E501 - the page has lines of its own
"""Writes docs/confidence.md from what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mesh.reliability import Group, Measured

PAGE = Path(__file__).resolve().parents[2] / "docs" / "confidence.md"

KINDS = {
    "rules": "the built-in rules alone",
    "edit": "the built-in rules, of words that change what was answered",
    "chosen": "the built-in rules, the reading that a person chose",
    "agreed": "rules and a language model, whose results are the same",
    "model": "a language model, one sample",
    "twice": "a language model, two samples whose results are the same",
    "edit twice": "the same, of words that go on from what was answered",
    "person": "a person's statement (`assay sql`)",
}
_HEAD = """\
# How sure an answer is told

<!-- Written by `python -m bench.proposals.confidence fit`. Do not edit. -->

Every answer is told as **sure**, **likely** or **doubtful**. Which of these is measured, not set by hand: from what is seen
of a decision before anything runs, a logistic curve for its kind says how often such decisions are right
([decision 91](decisions/0091-confidence-is-fitted.md)). `assay --version --verbose` prints the table below for the version
at hand.

## What was measured

On questions over databases that nothing was fitted by:

"""
_HOW = """\

Share right with its 95 % Wilson interval; *decisions* is the number of equal weight where some stand for more than others
(Kish). A line with few decisions says little, and its interval says so. Questions made from templates (`short`, `queries`)
are plainer than those of people and hide where these go wrong: in every line they weigh a quarter at most, and the last
column leaves them out.

- **sure** is told where a decision's own probability is at least 95 %, and where of all such decisions that the curve was
  fitted by at least 95 % are right with 95 % certainty (the lower end of a one-sided Wilson interval; templates weigh a
  quarter at most), and at least 95 % of people's own questions alone. With a doubt, another
  interpretation of another result, a second sample that differs, or a check that the data did not answer in time, nothing is
  sure, whatever the curve says.
- **doubtful** is told below {doubtful} %, and with an error, **likely** between.
- One sample of a model alone is never sure: nothing independent speaks for it. Where a second could make it so, and only
  there, the model is asked again ([`ASSAY_LLM_SAMPLES`](operations.md#a-language-model)): of {again} % of questions.
- Of the rules alone only **plain** questions plainly read are sure (below): of others too few are known.
- Where no threshold does that nothing is sure: **{never}**.
- What a recipe remembers is as sure as what it was made from, with what checks find today.

## What a curve sees

Findings of [checks](checks.md) that are left (errors, doubts, notes), joins, assumptions, the length of the question, other
interpretations that give another result, a statistical test, whether it follows another question, whether rules and model
gave the same, and how sure the rules are of their own reading. Only the last may raise confidence; a finding never does.

- *sure*, *fairly sure* and *surest* are what the rules' ranker thinks of the reading, *clear* the odds of its result among all
  readings that were tried (what lies above 90 %).
- *undeclared joins* go by columns of which neither the data nor a semantic model says that they refer to each other.
- *plain* is a plain question plainly read: each of its words is a name or a value of the statement or asks for a part that it
  has ("average" for an average), its joins are declared, nothing is assumed, the rules are sure and the odds at least 97 %.

The last three were kept because curves with them miss less over databases that they were not fitted by. How many columns no
word names, or name in part, filters, queries inside and grouping made no such difference and are left out. Whether a metric
of a semantic model was asked for is not measured: no set has one. Weights, in log-odds for each:

{weights}

What never occurs in the questions has no weight and changes nothing by itself: a model's own assumptions are such, for the
models that were played state none.

## From what

{sets}

Decisions are the planner's own, with every check asked of the data. The rules' are of the questions as they are. A model is
**played**, for nobody knows which will be configured: it proposes the truth; a planted slip (a dropped filter, a wrong
column, a join that repeats rows: `bench/proposals/mutations.py`); or what the rules took the question for where they were
wrong, which is how questions are really misread. What is assumed of it:

| assumed | |
|---|---|
| first proposals that are wrong | {errs} % (a capable model had 2 of 75 wrong, [decision 83](decisions/0083-results-decide-between-readers.md)) |
| of these, misreadings that no planted slip stands for | {misread} % |
| of misreadings where the rules misread, too: the very same | {shared} % |
| mistakes that a second sample makes again | {repeated} % |
| two right statements, each written in any of the ways that count as right, that are seen to give the same | {alike} % (measured) |

Of words that go on from an answer the one before counts as sure. A reading is **chosen** by one who takes the right one where
it is offered, and where none is takes the first {first} % of the time.

A person's statement is no answer to words: its mistakes are those that a statement shows by itself (joins, values that do not
exist, order of texts), {errs} % assumed.

## Where a model errs more often, or less

Share right of what is told as sure, with the curves as they are, and everything else as assumed:

{erring}

## The rules, by set

Of the databases kept apart, with those questions that people would ask back about counted as wrong. `everyday`, `beside`, `analytical` and
`talks` (conversations) are as people ask; `short` are plain questions from templates. What the rules do over `queries`, which
they learnt from, is not counted:

{rules}
"""


def page(known: Measured) -> str:
    """The whole page as Markdown."""
    from_ = known.made_from
    assumed = {name: f"{100 * value:.0f}" for name, value in from_["assumed"].items()}
    kinds = [
        (f"{100 * one['errs']:.0f} %", _share(one.get("agreed")), _share(one.get("twice")))
        for one in from_["erring"]
    ]
    sets = [(f"`{one['set']}`", one["fitted"], one["apart"]) for one in from_["sets"]]
    rules = [
        (f"`{one['set']}`", one["answered"], one["sure"], one["right"])
        for one in from_["rules_by_set"]
    ]
    never = [KINDS[kind] for kind in KINDS if known.curves[kind].sure is None]
    text = _HOW.format(
        never="; ".join(never),
        doubtful=f"{100 * known.doubtful:.0f}",
        again=f"{100 * from_['asked_again']:.0f}",
        weights=_weights(known),
        alike=f"{100 * from_['alike']:.0f}",
        **assumed,
        sets=table(("answered questions of", "to fit by", "kept apart"), sets),
        erring=table(("first proposals that are wrong", "rules and model", "two samples"), kinds),
        rules=table(("set", "answered", "told sure", "of these right"), rules),
    )
    return (
        _HEAD
        + table(
            ("whose decision", "told", "decisions", "right", "interval", "people's alone"),
            list(map(_line, known.table)),
        )
        + "\n"
        + text
    )


def table(head: Sequence[object], lines: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    every = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in every)


def _line(one: Group) -> tuple[object, ...]:
    interval = f"{100 * one.low:.1f} to {100 * one.high:.1f} %"
    people = f"{100 * one.of_people:.1f} % of {one.people}" if one.people else "none"
    return KINDS[one.kind], one.label, one.number, f"{100 * one.share:.1f} %", interval, people


def _share(value: float | None) -> str:
    return "none told" if value is None else f"{100 * value:.1f} %"


def _weights(known: Measured) -> str:
    names = sorted({name for curve in known.curves.values() for name in curve.weights})
    lines = [
        (
            name,
            *(
                f"{known.curves[kind].weights.get(name, 0):+.2f}".replace("+0.00", "") or " "
                for kind in KINDS
            ),
        )
        for name in names
    ]
    constant = ("constant", *(f"{known.curves[kind].constant:+.2f}" for kind in KINDS))
    sure = [known.curves[kind].sure for kind in KINDS]
    least = ("sure from", *("never" if one is None else f"{100 * one:.1f} %" for one in sure))
    return table(("", *KINDS), [constant, *lines, least])
