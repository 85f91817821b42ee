"""Which date a time that is said of a doing goes by: "customers who ordered in 2023".

The customers have a date of their own, on which they signed up; the year is that of the orders.
"""

from __future__ import annotations

from services.planner.domain.catalogue import Column, DataType, Table
from services.planner.domain.language.linking.mention import Mention
from services.planner.domain.language.scene import Scene
from services.planner.domain.language.work import Work
from services.planner.domain.lexicon.normalise import name_words
from services.planner.domain.query.intent import Condition, Field, Filter, Group, Membership
from services.planner.domain.query.joining.joins import JoinGraph
from services.planner.domain.query.tables import filter_tables
from services.planner.domain.reader.times.calendar_spans import by_the_data
from services.planner.domain.reader.times.dates import latest_of, own_date, span_column
from services.planner.domain.reader.times.times import TimeSpan

_DATES = (DataType.DATE, DataType.DATETIME)
_COMING = frozenset("joined started enrolled registered signed hired began".split())
_CAME = frozenset("hire join start signup sign regist enrol enroll begin entri admiss".split())
_LEAVING = frozenset("left quit resigned departed".split())
_LEFT = frozenset("leav left exit end termin quit resign depart".split())
_BORN = frozenset("birth born birthday dob birthdat".split())
_BEING = frozenset("was were is are has have had been being got".split())
_REACH = 3


def date_of_coming_or_leaving(scene: Scene) -> Field | None:
    """The hire date of "who joined in 2020", the leaving date of "who left": by their meaning."""
    for place, token in enumerate(scene.tokens):
        words = _family(token.lower)
        after = scene.tokens[place + 1 : place + 2]
        if not words or not after or after[0].used != "time" or _inside(scene, place):
            continue
        for table in _spoken(scene):
            found = [c for c in table.columns if _is_date(c) and set(name_words(c.name)) & words]
            if len(found) == 1:
                token.used = token.used or "condition"
                return Field(table=table.name, column=found[0].name)
    return None


def why_undated(scene: Scene) -> str:
    """Why a time cannot be held against what somebody did in it: no date tells of that."""
    for place, token in enumerate(scene.tokens):
        after = scene.tokens[place + 1 : place + 2]
        timed = bool(after) and after[0].used == "time"
        if not timed or token.used or token.quoted or not token.stem or _inside(scene, place):
            continue
        start = place
        while start > 0 and scene.tokens[start - 1].lower in _BEING:
            start -= 1
        who = scene.words(start - 1, start) == ["who"] and token.lower not in _BEING
        if token.lower in _LEAVING or who:
            return f'No date in the data tells when somebody "{token.text}".'
    return ""


def verbs_of_counted(scene: Scene) -> Field | None:
    """The date in "how many employees were hired on weekends": it says which, not split by what.

    Its mention is taken, unless the question has words of grouping.
    """
    words = [token.lower for token in scene.tokens]
    if words[:2] != ["how", "many"] or {"per", "by", "each", "every", "over"} & set(words):
        return None
    if any(mention.chosen.kind == "grain" for mention in scene.mentions):
        return None
    for index, mention in enumerate(scene.mentions):
        column = scene.column(mention)
        one = mention.last - mention.first == 1
        verb = mention.phrase.lower().endswith("ed") or mention.phrase.lower() == "born"
        said = scene.words(mention.first - 1, mention.first)
        if one and verb and scene.free(index) and _is_date(column) and set(said) & _BEING:
            scene.roles[index] = "dated"
            return Field(table=mention.chosen.table, column=mention.chosen.column)
    return None


def date_of_event(work: Work) -> Field | None:
    """The date of what things did, where the times of the question are said right after that."""
    places = [span.first_token for span in work.wishes.spans]
    base = work.catalogue.table(work.draft.base)
    if base is None or not places or own_date(base, ()) is None:
        return None
    found = {_event_before(work, base, place) for place in places}
    return found.pop() if len(found) == 1 else None


def settle_calendar(work: Work) -> None:
    """Takes this year and last year from the data, where they are to be set side by side."""
    settled: list[TimeSpan] = []
    dated = work.draft.dated or date_of_event(work)
    for span in work.wishes.spans:
        target = span_column(
            span, work.catalogue, work.graph, work.draft.base, work.date_stems(), dated,
            counted=True,
        )  # fmt: skip
        latest = latest_of(work.catalogue, target) if target is not None else None
        known, told = by_the_data(span, latest, target.column if target is not None else "")
        settled.append(known)
        work.draft.notes += [told] if told else []
    work.wishes.spans = settled


def within_events(
    filters: list[Filter], spans: list[Filter], dated: Field | None
) -> tuple[list[Filter], list[Filter]]:
    """Puts times into what things must have done: tea and coffee, both bought in 2024."""
    if dated is None or not spans:
        return filters, spans
    changed = [_timed(wanted, spans, dated) for wanted in filters]
    return (filters, spans) if changed == filters else (changed, [])


def averages_within(filters: list[Filter], spans: list[Filter]) -> list[Filter]:
    """Averages that are compared with, told of the same times as the rows: "above it in 2007"."""
    changed: list[Filter] = []
    for wanted in filters:
        if isinstance(wanted, Condition) and wanted.than_average:
            same = [one for one in spans if set(filter_tables([one])) == {wanted.field.table}]
            among = Group(connective="and", members=tuple(same)) if len(same) > 1 else None
            among_one = same[0] if len(same) == 1 else among
            wanted = wanted.model_copy(update={"among": among_one})
        changed.append(wanted)
    return changed


def _timed(wanted: Filter, spans: list[Filter], dated: Field) -> Filter:
    if isinstance(wanted, Group):
        members = tuple(_timed(member, spans, dated) for member in wanted.members)
        return wanted.model_copy(update={"members": members})
    reached = isinstance(wanted, Membership) and dated.table in {
        relation.right.table for relation in wanted.path
    }
    if not isinstance(wanted, Membership) or not reached or wanted.where is None:
        return wanted
    both = Group(connective="and", members=(wanted.where, *spans))
    return wanted.model_copy(update={"where": both})


def _event_before(work: Work, base: Table, place: int) -> Field | None:
    """The date of the events between the things and what is said before the time."""
    scene = work.scene
    before = [m for m in scene.mentions if m.last <= place and m.chosen.kind in _TOLD]
    if not before or place - before[-1].last > _REACH or _other_doing(scene, before[-1], place):
        return None
    tables = _on_the_way(work.graph, base.name, before[-1].chosen.table)
    stems = work.date_stems()
    dates = [d for t in tables if (d := _plain_date(work, t, stems)) is not None]
    return dates[0] if len(dates) == 1 else None


_TOLD = ("table", "value", "column")


def _other_doing(scene: Scene, mention: Mention, place: int) -> bool:
    """Whether another verb stands between: "who bought tea and joined in 2023"."""
    return any(t.lower.endswith("ed") or not t.stem for t in scene.tokens[mention.last : place])


def _on_the_way(graph: JoinGraph, base: str, table: str) -> list[str]:
    """The tables of which a row of the base has several, on the way to that table."""
    tree = graph.tree(base, [table])
    if table == base or tree.missing or not tree.fans_out:
        return []
    several: list[str] = []
    for relation in tree.relations:
        if relation.fans_out or relation.left.table in several:
            several.append(relation.right.table)
    return several


def _plain_date(work: Work, name: str, stems: list[str]) -> Field | None:
    table = work.catalogue.table(name)
    found = own_date(table, stems) if table is not None else None
    return None if found is None or set(name_words(found.column)) & _BORN else found


def _family(word: str) -> frozenset[str]:
    if word in _COMING:
        return _CAME
    return _LEFT if word in _LEAVING else frozenset()


def _spoken(scene: Scene) -> list[Table]:
    """The tables that are spoken of; all where none is, as in "who left in 2023"."""
    names = {m.chosen.table for m in scene.mentions if m.chosen.table}
    return [t for t in scene.catalogue.tables if t.name in names or not names]


def _is_date(column: Column | None) -> bool:
    return column is not None and column.data_type in _DATES


def _inside(scene: Scene, place: int) -> bool:
    return any(m.first <= place < m.last for m in scene.mentions)
