"""Words that ask for an average over things: "average order value"."""

from __future__ import annotations

from services.planner.domain.catalogue import ColumnRole
from services.planner.domain.language.mention import Mention
from services.planner.domain.language.scene import Scene

_AVERAGES = ("average", "avg", "mean")
_WORTH = frozenset(
    """value values worth size sizes total totals revenue sales spend amount""".split()
)


def find_averaged_thing(scene: Scene) -> int | None:
    """The thing whose worth is to be averaged; what says so is marked as used."""
    for position, token in enumerate(scene.tokens):
        if token.lower not in ("average", "avg", "mean") or token.used:
            continue
        thing = scene.starting(position + 1, within=1)
        if thing is not None and _is_thing(scene, scene.mentions[thing]):
            last = scene.mentions[thing].last
            if scene.tokens[last - 1].lower in _WORTH and scene.mentions[thing].first < last - 1:
                _take(scene, thing, None, position, last)
                return thing
            said = scene.tokens[last : last + 1]
            following = scene.starting(last)
            sold = following is not None and scene.mentions[following].chosen.kind == "revenue"
            if said and said[0].lower in _WORTH and (following is None or sold):
                _take(scene, thing, following, position, last + 1)
                return thing
        if thing is not None and scene.mentions[thing].chosen.kind == "revenue":
            last = scene.mentions[thing].last
            per = scene.starting(last + 1)
            each = scene.words(last, last + 1) == ["per"]
            if each and per is not None and _is_thing(scene, scene.mentions[per]):
                _take(scene, per, thing, position, last + 1)
                return per
    return None


def find_average_count(scene: Scene) -> tuple[int, int] | None:
    """In "average number of orders per customer": what is counted, and per what."""
    for position in range(len(scene.tokens)):
        words = scene.words(position, position + 3)
        if words[:1] == ["the"] or words[1:] != ["number", "of"] or words[0] not in _AVERAGES:
            continue
        counted = scene.starting(position + 3, within=1)
        if counted is None or scene.mentions[counted].chosen.kind != "table":
            continue
        last = scene.mentions[counted].last
        gap = scene.words(last, last + 4)
        thing = scene.starting(last, within=3)
        said = set(gap) & {"per", "each", "every", "by"}
        if not said or thing is None or not _is_thing(scene, scene.mentions[thing]):
            continue
        if scene.mentions[thing].chosen.table == scene.mentions[counted].chosen.table:
            continue
        _take(scene, counted, thing, position, scene.mentions[thing].first)
        return counted, thing
    return None


def _is_thing(scene: Scene, mention: Mention) -> bool:
    column = scene.column(mention)
    named = mention.chosen.kind == "column" and column is not None
    return mention.chosen.kind == "table" or (
        named and column is not None and column.role is ColumnRole.ID
    )


def _take(scene: Scene, thing: int, worth: int | None, first: int, last: int) -> None:
    scene.roles[thing] = "averaged"
    if worth is not None:
        scene.roles[worth] = "averaged"
    for token in scene.tokens[first:last]:
        token.used = token.used or "aggregate"
