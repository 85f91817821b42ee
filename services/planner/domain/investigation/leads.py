"""What a language model suggests to an investigation: candidates, which tools measure.

A dimension that it names is split and scored like every other, under the same correction for many
tries. What it supposes to have happened is told as its own beside what the data say of the column
that would show it, and nowhere else (docs/decisions/0100-a-model-suggests-in-one-form.md).
"""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.domain.investigation.hypothesis import Hypothesis, HypothesisStatus, Test
from services.planner.domain.suggestions import OF_INVESTIGATIONS, Suggestions


def supposed_of(given: Suggestions | None) -> dict[str, str]:
    """What a model supposes of each dimension, by its name in the metric's rows; empty words where
    it only named it."""
    found: dict[str, str] = {}
    for one in given.of(*OF_INVESTIGATIONS) if given is not None else ():
        if one.name and not found.get(one.name):
            found[one.name] = one.because
    return found


def describe_leads(given: Suggestions | None, hypotheses: Sequence[Hypothesis]) -> tuple[str, ...]:
    """What came of what a model suggested, for the caveats: what the data bear out, what they do
    not, what was not tried, and that it gave nothing."""
    if given is None:
        return ()
    beside = (given.fell_back,) if given.fell_back else ()
    if given.failed:
        return (given.failure_note, *beside)
    of = {h.dimensions[0]: h for h in hypotheses if h.test is Test.DIMENSION and h.dimensions}
    texts: dict[tuple[str, str], list[str]] = {}
    for one in given.of(*OF_INVESTIGATIONS):
        known = of.get(one.name)
        what = _STATUS_TEXTS[known.status] if known is not None else _UNTRIED
        what = what if one.name else _UNSPLIT
        texts.setdefault(what, []).append(one.name or one.column)
    parts = [_sentence(list(dict.fromkeys(names)), what) for what, names in texts.items()]
    if not parts:
        return beside
    text = f"Supposed by {given.by}, and measured like every other split: {'; '.join(parts)}."
    return (text, *beside)


def _sentence(names: list[str], what: tuple[str, str]) -> str:
    return f"{', '.join(names)} {what[len(names) > 1]}"


_UNTRIED = ("was not tried by itself", "were not tried by themselves")
_UNSPLIT = ("does not split these rows", "do not split these rows")
_STATUS_TEXTS = {
    HypothesisStatus.CONFIRMED: ("is borne out by the data", "are borne out by the data"),
    HypothesisStatus.RULED_OUT: ("is not supported by the data", "are not supported by the data"),
    HypothesisStatus.PENDING: _UNTRIED,
    HypothesisStatus.INVESTIGATING: _UNTRIED,
}
