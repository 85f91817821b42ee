"""Reads a fragment over the links and the grammar that questions are read with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from services.planner.domain.catalogue import Catalogue, ValueLookup
from services.planner.domain.language.intent import Aggregate, Intent, Operator
from services.planner.domain.language.normalising import normalise
from services.planner.domain.language.phrases.times import time_spans
from services.planner.domain.reader import read
from services.planner.domain.reader.chart.conditions import proposals
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import COUNT, Number
from services.planner.domain.reader.fragments.cues import ADDING, DIRECTIONS, IDLE, MOVES, Move
from services.planner.domain.reader.fragments.fragment import Fragment, Split
from services.planner.domain.reader.fragments.parts import fields_of, tables_of
from services.planner.domain.reader.grammar import aggregation, chart_words, comparison, ordering
from services.planner.domain.reader.grammar.rules import Words
from services.planner.domain.reader.links.mentions import Mention, Tie
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.links.semantics import Kind
from services.planner.domain.reader.words.common import PRESENTATION, STOP_WORDS
from services.planner.domain.reader.words.tokens import tokenise

_NAMED, _IMPLIED, _HOME, _USED_HERE, _SPOKEN, _PARTLY = (0.45, 0.25, 0.1, 0.15, 0.6, 0.3)
_LEAST_QUALITY = 0.5  # a part of a value is no value: "people" is not "People Ops"
_NUMBERED, _OF_ITS_TABLE = 0.25, 0.3  # "by department" means their names, not their numbers
_VALUES = ("exact", "stem", "alias")
_MEASURED = (Kind.AMOUNT, Kind.LEVEL, Kind.INTENSIVE)


async def fragment_of(
    words: str, intent: Intent, catalogue: Catalogue, lookup: ValueLookup, today: date
) -> Fragment:
    """The fragment read over the data of the reading that it changes."""
    scene = await read.scene_of(words, catalogue, lookup, today=today)
    return _Reading(scene, intent, words).fragment()


class _Reading:
    """One fragment being read; `_done` are the words that something was made of."""

    def __init__(self, scene: Scene, intent: Intent, words: str) -> None:
        self._scene = scene
        self._words = words
        self._base = intent.base
        self._tables = tables_of(intent)
        self._fields = fields_of(intent)
        self._done: set[int] = set()
        self._found = Fragment(scene.question)

    def fragment(self) -> Fragment:
        """All that is named, form before content: "top 5" is no condition on a column."""
        self._forms()
        self._times()
        self._moved = moves = self._moves()
        self._valued = {
            p.place.index
            for p in proposals(self._scene)
            if p.place is not None and p.source in _VALUES and p.quality >= _LEAST_QUALITY
        }
        self._aggregates()
        self._counted()
        for place, first, last in self._named():
            self._take(place, first, last, moves[first])
        self._values(moves)
        self._things()
        left = [t for t in self._scene.tokens if t.index not in self._done and not t.mark]
        idle = IDLE | STOP_WORDS | (PRESENTATION if self._found.chart else frozenset())
        self._found.unread = tuple(t.text for t in left if t.lower not in idle)
        return self._found

    def _forms(self) -> None:
        """Chart, limit, order, and whether it adds."""
        words, named = self._scene.words, self._scene.named
        for cue in words.find(chart_words.KINDS):
            alone = all(named[at] < _NAMED for at in range(cue.first, cue.last + 1))
            if self._found.chart is None and alone:
                self._found.chart = cue.means
                self._read(cue.first, cue.last)
        for few in words.find(ordering.TOP):
            at = few.slot("number")
            number = self._scene.tokens[at].number if at is not None else None
            if number is not None and number >= 1:
                self._found.limit = int(number)
                self._read(few.first, few.last)
        for end in words.find(DIRECTIONS):
            if self._found.descending is None and self._no_column(end.first, end.last):
                self._found.descending = end.means
                self._read(end.first, end.last)
        for beside in words.find(ADDING):
            self._read(beside.first, beside.last)
        # In a question "as well" is a filler, which the scene leaves out.
        self._found.adds = bool(Words(tokenise(self._words)).find(ADDING))

    def _no_column(self, first: int, last: int) -> bool:
        """Whether no name of a column follows: "lowest price" is a number, "lowest first" none,
        be there a first name or not."""
        most = _NAMED if first == last else 1
        following = [m for m in self._scene.mentions if m.first == last + 1 and m.tie is Tie.NAME]
        return not any(m.coverage >= _NAMED for m in following) and all(
            self._scene.named[at] < most for at in range(first, last + 1)
        )

    def _times(self) -> None:
        """Units of time that numbers are split by, and spans of time."""
        for cue in self._scene.words.find(chart_words.GRAINS):
            if cue.first not in self._done:
                self._found.splits.append(Split(None, cue.means))
                self._read(cue.first, cue.last)
        tokens = normalise.tokenise(self._scene.question)
        for span in time_spans(self._scene.question, tokens, self._scene.today):
            covered = [t for t in tokens[span.first_token :] if t.used == "time"]
            start, end = tokens[span.first_token].start, covered[-1].end
            inside = [t.index for t in self._scene.tokens if start <= t.start < end]
            if inside and not self._done & set(inside):
                self._found.spans.append(span)
                self._read(inside[0], inside[-1])

    def _moves(self) -> list[Move]:
        """What is done with each word: what the last cue before it says."""
        cues = sorted(self._scene.words.find(MOVES), key=lambda c: (c.first, -c.last))
        found, now, gone, until = [Move.PLAIN] * len(self._scene.tokens), Move.PLAIN, False, -1
        for token in self._scene.tokens:
            if token.mark:
                now, gone = Move.PLAIN, False
            begins = [c for c in cues if c.first == token.index and c.first > until]
            if begins:
                # "not by city": what is split by is what is gone
                gone = begins[0].means is Move.GONE or (gone and begins[0].means is Move.SPLIT)
                now, until = begins[0].means, begins[0].last
                self._read_idle(begins[0].first, until)
            found[token.index] = Move.GONE if gone else now
        return found

    def _aggregates(self) -> None:
        self._cues = [
            c for c in self._scene.words.find(aggregation.RULES)
            if not self._done & set(range(c.first, c.last + 1))
            and all(self._scene.named[at] < 1 for at in range(c.first, c.last + 1))
        ]  # fmt: skip
        for cue in self._cues:
            self._read(cue.first, cue.last)

    def _counted(self) -> None:
        """Rows are counted by what they are called: "how many flights"."""
        for cue in [c for c in self._cues if c.means is Aggregate.COUNT]:
            for said in self._scene.tables:
                near = 0 <= said.first - cue.last <= 2 and said.coverage >= _SPOKEN
                if near and said.table.name == self._base:
                    self._found.numbers = [COUNT]
                    self._cues.remove(cue)
                    self._read(said.first, said.last)
                    break

    def _things(self) -> None:
        """What the rows are called says nothing more: "only people hired before 2016"."""
        for said in self._scene.tables:
            if said.coverage >= _SPOKEN and said.table.name in self._tables:
                self._read(said.first, said.last)

    def _named(self) -> Iterator[tuple[Place, int, int]]:
        """The columns named, from left to right, the best for each span."""
        at = 0
        while at < len(self._scene.tokens):
            best = max(self._candidates(at), key=lambda found: found[0], default=None)
            if best is None:
                at += 1
                continue
            _, place, last = best
            self._read(at, last)
            yield place, at, last
            at = last + 1

    def _candidates(self, at: int) -> Iterator[tuple[tuple[float, int], Place, int]]:
        for mention in self._scene.mentions:
            if mention.first != at or self._done & set(range(at, mention.last + 1)):
                continue
            if mention.coverage * mention.quality < self._least(mention):
                continue
            if mention.coverage < 1 and self._of_a_value(mention):
                continue  # "shipped to France": the ship country is meant, no date of shipping
            if mention.place.flag and self._moved[at] in (Move.PLAIN, Move.GONE):
                continue  # a condition, as "without discontinued ones" is
            if self._scene.tokens[at].lower in STOP_WORDS and mention.first == mention.last:
                continue
            home = _HOME * (mention.place.table.name in self._tables)
            used = _USED_HERE * (mention.place.field in self._fields)
            longer = 0.2 * (mention.last - mention.first)
            score = mention.coverage * mention.quality + home + used + longer
            score -= _NUMBERED * (mention.place.kind is Kind.ID)
            score += _OF_ITS_TABLE * (mention.tie is Tie.IMPLIED)
            yield (score, -mention.place.index), mention.place, mention.last

    def _of_a_value(self, mention: Mention) -> bool:
        """Whether a word names, as well as its column, another whose value stands in the words."""
        return any(
            other.place.index in self._valued
            for other in self._scene.mentions
            if other.first == mention.first
            and other.place is not mention.place
            and other.coverage >= _PARTLY
            and mention.place.index not in self._valued
        )

    def _least(self, mention: Mention) -> float:
        if mention.tie is Tie.IMPLIED:
            return _IMPLIED * mention.quality
        return _NAMED

    def _take(self, place: Place, first: int, last: int, move: Move) -> None:
        """A named column, as the words around it have it."""
        aggregate = next(
            (c.means for c in self._cues if 0 <= first - c.last <= 2 or 0 <= c.first - last <= 1),
            None,
        )
        compared = any(p.place is place for p in self._compared())
        if move is Move.GONE:
            self._found.gone.append(place)
        elif move is Move.LIFTED:
            self._found.lifted.append(place)
        elif compared or (move is Move.PLAIN and place.index in self._valued):
            return  # it is named for its condition
        elif move is Move.SPLIT:
            self._found.splits.append(Split(place))
        elif aggregate is not None:
            self._cues = [c for c in self._cues if c.means is not aggregate]
            self._found.numbers.append(_number(aggregate, place))
        elif place.time and self._found.spans:
            self._found.dates.append(place)
        elif place.kind in _MEASURED and place.number:
            self._found.numbers.append(Number(None, place))
        else:
            self._found.bare.append(place)

    def _compared(self) -> list[Proposal]:
        """Conditions that compare a number with a column that is named."""
        return [
            p for p in proposals(self._scene)
            if p.source == "number" and p.place is not None and p.first not in self._done
            and p.coverage >= _NAMED
        ]  # fmt: skip

    def _values(self, moves: Sequence[Move]) -> None:
        """Values, comparisons and gaps: of each span the likeliest that its cue allows."""
        by_span: dict[int, list[Proposal]] = {}
        for one in proposals(self._scene):
            whole = set(range(one.first, one.last + 1))
            sound = one.place is not None and one.quality >= _LEAST_QUALITY
            if sound and not one.of_groups and not whole & self._done:
                by_span.setdefault(one.first, []).append(one)
        for first, several in sorted(by_span.items()):
            best = max(several, key=self._likely)
            if first in self._done or best.place is None or best.source == "lacking":
                continue
            # What a flag denies it says by its value already.
            denied = moves[first] is Move.GONE and best.source != "flag no"
            self._found.conditions.append(_denied(best) if denied else best)
            self._read_condition(best)
        for cue in self._cues:
            count = cue.means is Aggregate.COUNT
            if count and not self._found.numbers:
                self._found.numbers.append(COUNT)
            elif not self._found.numbers:
                self._found.aggregate = cue.means

    def _read_condition(self, one: Proposal) -> None:
        """With the words that compare, and those that name its column."""
        self._read(one.first, one.last)
        assert one.place is not None
        for cue in self._scene.words.find(comparison.RULES):
            if cue.first <= one.first <= cue.last:
                self._read(cue.first, cue.last)
        for mention in self._scene.by_place.get(one.place.index, ()):
            if mention.tie is not Tie.IMPLIED and mention.coverage >= _PARTLY:
                self._read(mention.first, mention.last)

    def _likely(self, one: Proposal) -> tuple[float, ...]:
        place = one.place
        assert place is not None
        here = place.field in self._fields
        positive = one.operator not in (Operator.NOT_EQUAL, Operator.NOT_IN)
        return (
            one.quality >= 0.8, one.last - one.first, one.coverage >= _NAMED, here,
            place.table.name in self._tables, positive, one.quality, -place.index,
        )  # fmt: skip

    def _read(self, first: int, last: int) -> None:
        self._done |= set(range(first, last + 1))

    def _read_idle(self, first: int, last: int) -> None:
        """A cue is read unless it is part of a name of the data."""
        for at in range(first, last + 1):
            if self._scene.named[at] < 1:
                self._done.add(at)


def _number(aggregate: Aggregate, place: Place) -> Number:
    """A number of a column; a count of what is no number counts different ones."""
    if aggregate is Aggregate.COUNT:
        return Number(Aggregate.COUNT_DISTINCT, place)
    return Number(aggregate, place)


def _denied(one: Proposal) -> Proposal:
    turned = {
        Operator.EQUAL: Operator.NOT_EQUAL, Operator.IN: Operator.NOT_IN,
        Operator.CONTAINS: Operator.NOT_CONTAINS,
    }  # fmt: skip
    return replace(one, operator=turned.get(one.operator, one.operator))
