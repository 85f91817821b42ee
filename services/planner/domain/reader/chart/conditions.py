"""Every condition that a question may state, from values, numbers, quoted texts and flags."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from services.planner.domain.lexicon.normalise import readable
from services.planner.domain.lexicon.stop_words import STOP_WORDS
from services.planner.domain.lexicon.tokens import stem
from services.planner.domain.query.kinds import Operator
from services.planner.domain.reader.chart.against import as_promised, of_columns
from services.planner.domain.reader.chart.denied_lists import denied_lists
from services.planner.domain.reader.chart.events import denies, propose_events
from services.planner.domain.reader.chart.numbers import of_numbers
from services.planner.domain.reader.chart.pieces import Proposal
from services.planner.domain.reader.chart.placing import placed
from services.planner.domain.reader.chart.scaled import of_scales
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.so_many import of_entities
from services.planner.domain.reader.chart.times import of_times
from services.planner.domain.reader.grammar import changing, comparison, texts
from services.planner.domain.reader.links.mentions import Mention, Tie
from services.planner.domain.reader.links.schema import Place
from services.planner.domain.reader.links.value_words import find_value_words
from services.planner.domain.semantics.kinds import FLAG_VALUES, Kind

_WHOLE_NAME = 0.8
_QUALITY = {"exact": 1.0, "stem": 0.8, "alias": 0.8, "part": 0.4}
_MOST_COLUMNS = 5
_OWN_ROW = 0.9
_LEAST_PAIRS, _MOST_PAIRS = 0.98, 1.25  # pairs of thing and year for each row
_NEGATIVE = ("f", "n", "0", "no", "false", "0.0")
_FEW_ANSWERS, _BOTH = 5, 2
_WRITTEN_OUT = 5  # words between the first and the last of two days
_VALUED, _BESIDE, _SIGNED, _SURELY = 0.9, 4, 0.4, 0.8
_HALF = 0.5
_STATES = frozenset(("is", "was", "=", "==", "!=", "<>", "equals", "named", "called", "not"))
_DENIES = frozenset(("not", "!=", "<>"))
_LETTERS = frozenset("asti")  # stop words that may be what a text begins or ends with


def proposals(scene: Scene) -> list[Proposal]:
    """All proposals, the same said twice left out, in the order of the question."""
    found: dict[tuple[object, ...], Proposal] = {}
    for one in (
        *of_entities(scene),
        *_values(scene),
        *_as_written(scene),
        *_texts(scene),
        *of_numbers(scene),
        *_averages(scene),
        *_flags(scene),
        *propose_events(scene),
        *_signs(scene),
        *_having(scene),
        *_propose_by_word(scene),
        *_latest(scene),
        *of_columns(scene),
        *as_promised(scene),
        *of_scales(scene),
        *(placed(scene, one) for one in of_times(scene)),
    ):
        key = (
            one.place.index if one.place else -1,
            one.aggregate,
            one.operator,
            one.values,
            one.first,
            one.last,
            one.against.index if one.against else -1,
        )
        found.setdefault(key, one)
    return sorted(_outside_of_wholes(scene, list(found.values())), key=lambda p: (p.first, p.last))


def _outside_of_wholes(scene: Scene, found: list[Proposal]) -> list[Proposal]:
    """Without what is read of parts of "1 April 2023 to 31 March 2024", which is one span, or of
    "at least twice the reorder level", whose two is no bound; and no date is in every March, or in
    all of 2021, where it is in "March 2021"."""
    spans = [
        p
        for p in found
        if (p.source == "time" and p.last - p.first >= _WRITTEN_OUT)
        or (p.against is not None and p.values)
    ]
    apart = scene.words.find(changing.RULES)  # by which the two moments of a span are set apart
    single = {(one.first, one.last) for one in scene.spans if not (apart and one.span.ends)}
    moments = [p for p in found if p.source == "time" and (p.first, p.last) in single]
    return [
        p
        for p in found
        if not any(_is_part(p, s) for s in spans)
        and not any(_is_part(p, m) and _of_date(p) for m in moments)
    ]


def _is_part(one: Proposal, whole: Proposal) -> bool:
    """Whether fewer words state the one, all of them words that state the other."""
    within = whole.first <= one.first and one.last <= whole.last
    return within and one.last - one.first < whole.last - whole.first


def _of_date(one: Proposal) -> bool:
    """Whether a condition is on a date, or on a part of one that no column holds."""
    place = one.place
    worked_out = place is not None and place.definition is not None and one.source == "month"
    return place is not None and (place.time or worked_out)


def _values(scene: Scene) -> Iterator[Proposal]:
    for link in scene.values:
        several = bool(link.spellings)
        one = placed(
            scene,
            Proposal(
                link.place,
                Operator.IN if several else Operator.EQUAL,
                link.spellings or (link.value,),
                link.first,
                link.last,
                link.how,
                _QUALITY[link.how] * (link.score if link.how == "part" else 1),
            ),
        )
        yield one
        if one.denied:
            yield replace(one, operator=Operator.NOT_IN if several else Operator.NOT_EQUAL)
    for listed in denied_lists(scene):
        held = tuple(value for link in listed for value in link.spellings or (link.value,))
        quality = min(_QUALITY[link.how] for link in listed)
        one = Proposal(
            listed[0].place,
            Operator.NOT_IN,
            held,
            listed[0].first,
            listed[-1].last,
            listed[0].how,
            quality,
        )
        yield placed(scene, one)


def _texts(scene: Scene) -> Iterator[Proposal]:
    for cue in scene.words.find(texts.RULES):
        slot = cue.slot("quoted")
        at = slot if slot is not None else cue.slot("word")
        if at is None or scene.tokens[at].lower in STOP_WORDS - _LETTERS:
            continue
        if slot is None and len(scene.tokens[at].text) == 1 and not scene.tokens[at].text.isupper():
            continue
        for place in _texts_near(scene, cue.first):
            held = (scene.tokens[at].text,)
            one = placed(scene, Proposal(place, cue.means, held, at, at, "like", 0.7))
            yield one
            if one.denied and cue.means is Operator.CONTAINS:
                yield replace(one, operator=Operator.NOT_CONTAINS)
    for token in scene.tokens:
        if token.quoted and scene.valued[token.index] < 0.8:
            for place in _texts_near(scene, token.index):
                at, held = token.index, (token.text,)
                yield placed(scene, Proposal(place, Operator.CONTAINS, held, at, at, "quoted", 0.6))


def _as_written(scene: Scene) -> Iterator[Proposal]:
    """A value that the data does not hold beside the column that it is said of: "where region is
    North". No row has it, and without it the answer would be of all rows."""
    for mention in scene.mentions:
        place = mention.place
        if not place.text or mention.tie is not Tie.NAME or mention.coverage < _WHOLE_NAME:
            continue
        at, stated, denied = mention.last + 1, False, False
        while at < len(scene.tokens) and scene.tokens[at].lower in _STATES:
            stated, denied = True, denied or scene.tokens[at].lower in _DENIES
            at += 1
        for first in (at, mention.first - 1):
            last = _unknown_until(scene, first, stated=stated and first == at)
            if last >= first >= 0:
                held = scene.question[scene.tokens[first].start : scene.tokens[last].end]
                held = scene.tokens[first].text if first == last else held
                operator = Operator.NOT_EQUAL if denied and first == at else Operator.EQUAL
                note = f'no {readable(place.column.name)} is "{held}": it is taken as it is written'
                yield placed(
                    scene,
                    replace(
                        Proposal(place, operator, (held,), first, last, "exact", 0.8), note=note
                    ),
                )


def _unknown_until(scene: Scene, first: int, *, stated: bool) -> int:
    """The last token of a name from `first` on that nothing in the data has; -1 where none begins:
    a quoted text, words with capitals, or the word that ends a question after "is"."""
    last = -1
    for token in scene.tokens[max(0, first) :]:
        at = token.index
        known = scene.valued[at] or scene.named[at] > _HALF or scene.tabled[at] > _HALF
        ends = stated and at == first and not scene.tokens[at + 1 : at + 2]
        written = token.quoted or token.capital or (ends and token.text.isalpha())
        plain = token.lower in STOP_WORDS or token.mark or token.number is not None
        if known or plain or not written or (last >= 0 and token.quoted):
            break
        last = at
    return last


def _texts_near(scene: Scene, at: int) -> list[Place]:
    found = [p for p in scene.schema.places if p.text and scene.nearest(p, at)[1] > 0.3]
    found.sort(key=lambda p: scene.nearest(p, at)[0] - 6 * scene.nearest(p, at)[1])
    return found[:_MOST_COLUMNS]


def _averages(scene: Scene) -> Iterator[Proposal]:
    for cue in scene.words.find(comparison.AVERAGE):
        for place in scene.schema.places:
            if place.number and scene.nearest(place, cue.last)[1] > 0.4:
                yield placed(
                    scene,
                    Proposal(
                        place,
                        cue.means,
                        (),
                        cue.first,
                        cue.last,
                        "average",
                        0.8,
                        than_average=True,
                    ),
                )


def _flags(scene: Scene) -> Iterator[Proposal]:
    """Columns of yes and no: yes where they are spoken of, no where that is denied."""
    for mention in scene.mentions:
        values = _answers(mention.place)
        if not values or mention.tie is not Tie.NAME or _calls_rows(scene, mention):
            continue
        denied = denies(scene, mention.first)
        for text in values:
            no = text.strip().lower() in _NEGATIVE
            if len(values) > 1 and no is not denied:
                continue
            value: str | float = float(text) if mention.place.number else text
            one = placed(
                scene,
                Proposal(
                    mention.place,
                    Operator.EQUAL,
                    (value,),
                    mention.first,
                    mention.last,
                    "flag no" if no else "flag yes",
                    mention.coverage * 0.6,
                ),
            )
            yield replace(one, denied=False)  # what is denied is what it says


def _calls_rows(scene: Scene, mention: Mention) -> bool:
    """Whether part of a flag's name speaks of the rows, or is another's name: shifts are not night
    shifts."""
    sentences = {token.stem for token in scene.tokens[mention.first : mention.last + 1]}
    rows = {stem(word) for word in scene.schema.table_words[mention.place.table.name]}
    other = any(
        m.first == mention.first and m.last == mention.last and m.coverage > mention.coverage
        for m in scene.mentions
    )  # "opened" is the day, and not part of "reopened"
    return mention.coverage < _WHOLE_NAME and (sentences <= rows or other)


def _answers(place: Place) -> list[str]:
    """The values that say yes or no: all of a flag's, those two of a few texts ("hybrid" is
    neither); none where a column says no such thing."""
    values = list(dict.fromkeys(s for s in place.column.samples if s))
    if place.flag:
        return values
    answers = [s for s in values if s.strip().lower() in FLAG_VALUES]
    few = place.text and len(values) == place.column.distinct <= _FEW_ANSWERS
    return answers if few and len(answers) == _BOTH else []


def _propose_by_word(scene: Scene) -> Iterator[Proposal]:
    """What single words say of a column: who won came first."""
    for token, place, operator, value in find_value_words(scene.tokens, scene.schema):
        at = token.index
        sentences: tuple[str | float, ...] = ()
        if value:
            sentences = (float(value),) if place.number else (value,)
        yield placed(scene, Proposal(place, operator, sentences, at, at, "alias", 0.7))


def _signs(scene: Scene) -> Iterator[Proposal]:
    """ "A negative balance" is below nought, where the column has such values."""
    for cue in scene.words.find(comparison.SIGNS):
        for place in scene.schema.places:
            if not place.number or place.flag or scene.valued[cue.first] >= _VALUED:
                continue
            distance, coverage = scene.nearest(place, cue.last)
            if distance <= _BESIDE and coverage > _SIGNED and _reaches(place, cue.means):
                one = Proposal(place, cue.means, (0,), cue.first, cue.last, "number", 0.8)
                yield placed(scene, replace(one, rule=cue.rule.name))


_CORRELATED = frozenset(map(stem, ("correlation", "correlated", "covariance")))


def _having(scene: Scene) -> Iterator[Proposal]:
    """ "Bookings with children" have more than none of them, where a column tells how many."""
    for cue in scene.words.find(comparison.HAVING):
        if any(token.stem in _CORRELATED for token in scene.tokens[: cue.first]):
            continue  # a correlation with a number, whatever it is
        for mention in scene.mentions:
            place = mention.place
            if mention.first != cue.slot("word") or mention.coverage < _SURELY or place.flag:
                continue
            bare = mention.tie is Tie.NAME and _stands_bare(scene, mention.last)
            if bare and place.number and place.kind is Kind.AMOUNT and _from_nought(place):
                at = mention.first
                one = Proposal(place, cue.means, (0,), at, mention.last, "number", 0.8)
                yield placed(scene, replace(one, rule=cue.rule.name))


def _stands_bare(scene: Scene, last: int) -> bool:
    """Whether no number or comparison follows: "with price over 5" is about another number."""
    after = scene.tokens[last + 1 : last + 3]
    compared = {cue.first for cue in scene.words.find(comparison.RULES)}
    return not any(t.number is not None or t.index in compared for t in after)


def _from_nought(place: Place) -> bool:
    return place.column.minimum is not None and float(place.column.minimum) == 0


def _reaches(place: Place, operator: Operator) -> bool:
    """Whether a column has values below nought, or above."""
    end = place.column.minimum if operator is Operator.LESS else place.column.maximum
    if end is None:
        return False
    return float(end) < 0 if operator is Operator.LESS else float(end) > 0


def _latest(scene: Scene) -> Iterator[Proposal]:
    """The last year of a table that tells the same things year by year: no word states it."""
    if any(1500 < (token.number or 0) < 2100 for token in scene.tokens):
        return
    for table in scene.schema.catalogue.tables:
        for place in find_yearly(scene.schema.of_table(table.name)):
            last = int(float(place.column.maximum or 0))
            yield Proposal(place, Operator.EQUAL, (last,), 0, -1, "alias", 0.5, rule="latest")


def find_yearly(places: Sequence[Place]) -> Iterator[Place]:
    """The column of years of a table that tells the same things year by year."""
    for place in places:
        part = place.kind is Kind.DATE_PART and place.number and place.words[-1] == "year"
        if part and _yearly(places, place.column.distinct) and place.column.maximum is not None:
            yield place


def _yearly(places: Sequence[Place], years: int) -> bool:
    """Whether a table has a row for each thing and year: nearly as many rows as pairs, no more."""
    texts = [p for p in places if p.text]
    if years < 2 or any(p.unique >= _OWN_ROW for p in texts):  # each row is a thing of its own
        return False
    return any(_LEAST_PAIRS <= p.unique * years <= _MOST_PAIRS for p in texts)
