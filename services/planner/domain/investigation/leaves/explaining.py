"""What explains that leaves differ from their forecast, in words."""

from __future__ import annotations

from services.planner.domain.investigation.cited_sentences import label, level, named
from services.planner.domain.investigation.found import Row
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.hypothesising import in_words
from services.planner.domain.investigation.leaves.telling import way_of
from services.planner.domain.investigation.wording import called
from services.planner.domain.reporting.prose import Prose, capital
from services.planner.domain.reporting.story import Speaker

_MIX, _ALIKE, _NEW, _VANISHED = "mix", "alike", "new", "vanished"


def title_of_leaves(row: Row) -> str:
    """An explanation in a few words."""
    where = in_words(row.segment)
    before, after = _sides(row)
    way = "" if before is None or after is None else way_of(before, after).replace("its ", "")
    return {
        _ALIKE: "Everything is off alike",
        _MIX: f"Another mix than forecast: {where}",
        _NEW: f"Not forecast: {where}",
        _VANISHED: f"Forecast, and nothing came: {where}",
    }.get(str(row["kind"]), f"{where} {way or 'is off by itself'}")


def what_of_leaves(row: Row, ground: Ground, speaker: Speaker) -> Prose:
    """What is off, as the answer tells it (`mesh.proof.movements.explained`)."""
    kind, segment = row["kind"], named(row.segment)
    before, after = _sides(row)
    if kind == _MIX:
        return Prose.of("a changed mix, ", segment)
    if kind == _ALIKE:
        return Prose.of("everything alike")
    if before is None or after is None:
        return segment
    so = {_NEW: "new", _VANISHED: "gone"}.get(str(kind), way_of(before, after))
    return Prose.of(
        segment,
        f", which is {so} (forecast ",
        level(speaker, ground, row, "baseline"),
        ", actual ",
        level(speaker, ground, row, "comparison"),
        ")",
    )


def moved_from_forecast(row: Row, ground: Ground, speaker: Speaker) -> Prose:
    """How far it is off, and what it would be had it been off like the rest: for the report."""
    before, after = _sides(row)
    if before is None or after is None:
        return Prose()
    of = Prose.of(label(ground), " of ", named(row.segment)) if row.segment else label(ground)
    if row["kind"] == _NEW:
        prose = Prose.of(
            of, " is ", level(speaker, ground, row, "comparison"), "; none of it was forecast"
        )
    elif row["kind"] == _VANISHED:
        prose = Prose.of(
            of, " was forecast as ", level(speaker, ground, row, "baseline"), "; none of it came"
        )
    else:
        prose = Prose.of(
            of,
            f" is {way_of(before, after)}: forecast ",
            level(speaker, ground, row, "baseline"),
            ", actual ",
            level(speaker, ground, row, "comparison"),
        )
    expected = row.figure("expected")
    if expected is not None and row["kind"] not in (_MIX, _ALIKE, _NEW, _VANISHED):
        prose = Prose.of(
            prose,
            "; had it been off like the rest, it would be ",
            level(speaker, ground, row, "expected"),
        )
    return capital(Prose.of(prose, "."))


def story_of_leaves(row: Row, ground: Ground) -> str:
    """How it may have come about."""
    where, metric = in_words(row.segment), called(ground)
    stories = {
        _ALIKE: f"Something that touches all segments moved {metric}, or the forecast is too high "
        "or too low everywhere.",
        _MIX: f"{where} makes another part of the whole than was forecast, and its own level "
        f"differs from that of the rest: the mix moved {metric}, not the rates.",
        _NEW: f"{where} was forecast as nothing and adds to {metric}.",
        _VANISHED: f"{where} was forecast to add to {metric}, and nothing of it came.",
    }
    return stories.get(
        str(row["kind"]),
        f"Something that touches {where} alone moved {metric} there, or its forecast is at fault, "
        "while the rest came as it was forecast.",
    )


def _sides(row: Row) -> tuple[float | None, float | None]:
    return row.figure("baseline"), row.figure("comparison")
