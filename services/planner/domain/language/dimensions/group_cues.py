"""Words that say what the numbers are split by: "by", "per", "for each", "group by attribute"."""

from __future__ import annotations

from services.planner.domain.catalogue import ColumnRole
from services.planner.domain.language.linking.mention import Mention
from services.planner.domain.language.normalising.cues import SKIPPABLE
from services.planner.domain.language.scene import Scene
from services.planner.domain.query.columns import is_measure, numeric

_DIFFERENT = frozenset(["different", "various", "distinct", "each"])
_SERIES_CUES = frozenset(
    """split categorized categorised categorizing categorize colored coloured color stacked broken
    group grouping grouped groups classified classify breakdown""".split()
)
_CUE_REACH = 5
_BINNING = frozenset(["bin", "binned", "bucket", "bucketed"])


def _before_owner(scene: Scene, mention: Mention) -> int:
    """The token at which a mention starts, with the owner that stands in front of it."""
    index = scene.ending(mention.first)
    if index is not None and scene.roles.get(index) == "owner":
        return scene.mentions[index].first
    return mention.first


def _previous_words(scene: Scene, position: int, most: int = 5) -> list[tuple[int, str]]:
    """Words before a token, nearest first, leaving out those that say nothing."""
    found: list[tuple[int, str]] = []
    for index in range(position - 1, max(-1, position - 1 - most), -1):
        token = scene.tokens[index]
        if token.used in ("chart", "order", "axis"):
            found.append((index, "|"))
            break
        found.append((index, token.lower))
    return found


def group_cue(scene: Scene, mention: Mention) -> str:
    """ "group", "series" or nothing, by the words before a mention."""
    if mention.chosen.kind == "value":
        return ""
    different = False
    for position, word in _previous_words(scene, _before_owner(scene, mention)):
        if word in _DIFFERENT:
            different = True
            if word == "each":
                return "group"
            continue
        if word in ("by", "with", "for", "on", "based"):
            before = set(scene.words(position - 4, position))
            if before & _SERIES_CUES:
                return "series"
        if word in ("versus", "vs", "against") and _is_number(scene, mention):
            return ""
        if word in ("per", "every", "across", "versus", "vs", "by"):
            return "group"
        if word == "over" and scene.column(mention) is not None:
            return "group"
        if word == "against":
            return "group"
        if different and word in ("in", "of", "for", "with", "from", "between", "among", "the"):
            return "group"
        if word in SKIPPABLE:
            continue
        if mention.chosen.kind == "grain":
            return "group" if word in ("|", "over", "for") else ""
        return ""
    return "group" if mention.chosen.kind == "grain" else ""


def take_cue(scene: Scene, mention: Mention) -> None:
    """Marks the words of "group by attribute city" as used."""
    first = _before_owner(scene, mention)
    for token in scene.tokens[max(0, first - _CUE_REACH) : first]:
        if token.lower in _SERIES_CUES | SKIPPABLE | _BINNING:
            token.used = token.used or "group"


def _is_number(scene: Scene, mention: Mention) -> bool:
    column = scene.column(mention)
    return column is not None and is_measure(column.role, column.data_type)


def continues_group(scene: Scene, index: int) -> bool:
    """ "by month and category": the second goes on with what the first began."""
    if not index or scene.roles.get(index - 1) != "group":
        return False
    mention, previous = scene.mentions[index], scene.mentions[index - 1]
    gap = scene.words(previous.last, mention.first)
    if mention.chosen.kind == "value" or gap[:1] not in (["and"], [","]):
        return mention.chosen.kind == "grain" and not gap
    column = scene.column(mention)
    if column is not None and numeric(column.data_type) and column.role is ColumnRole.MEASURE:
        return False
    return all(word in SKIPPABLE or word in ("and", ",") for word in gap)
