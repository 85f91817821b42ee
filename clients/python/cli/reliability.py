"""How often answers are right that are told as so sure, for `assay --version --verbose`."""

from __future__ import annotations

from collections.abc import Iterator

from mesh.reliability import measured

_KINDS = {
    "rules": "rules alone",
    "edit": "rules, a change of a reading",
    "chosen": "rules, a reading you chose",
    "agreed": "rules and model agree",
    "model": "model, one sample",
    "twice": "model, two samples agree",
    "edit twice": "two samples that go on",
    "person": "your statement (assay sql)",
}
_ROW = "{:<28} {:<9} {:>9}  {:>8}  {}"


def lines() -> Iterator[str]:
    """The reliability table, measured on questions kept apart."""
    known = measured()
    yield "how often answers were right, on questions over databases kept apart:"
    yield _ROW.format("decided by", "told", "decisions", "right", "95 % interval")
    for one in known.table:
        interval = f"{100 * one.low:.1f} to {100 * one.high:.1f} %"
        share = f"{100 * one.share:.1f} %"
        yield _ROW.format(_KINDS[one.kind], one.label, one.number, share, interval)
    assumed = known.made_from.get("assumed", {})
    if errs := assumed.get("errs"):
        text = f"a language model is assumed to err {100 * errs:.0f} times in 100"
        yield f"{text}: docs/confidence.md"
