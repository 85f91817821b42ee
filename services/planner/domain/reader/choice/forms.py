"""Whether a reading has the form that is asked for in so many words: the first of each, a change.

Few questions with known answers ask for them, so that nothing can be learnt of them: what they
weigh is declared, and left out of what is learnt.
"""

from __future__ import annotations

from services.planner.domain.query.kinds import Aggregate
from services.planner.domain.reader.chart.changes import direction
from services.planner.domain.reader.chart.leading import fulfils, leading_of
from services.planner.domain.reader.chart.scene import Scene
from services.planner.domain.reader.chart.sketch import Number, Sketch
from services.planner.domain.reader.grammar import changing, chart_words
from services.planner.domain.reader.grammar.leading import DAY_OF_MOST, EACH, ENDS, WHEN, End
from services.planner.domain.reader.grammar.rules import Words
from services.planner.domain.semantics.kinds import Kind

_ASKS, _NEAR = frozenset(("which", "who", "whose")), 7

DECLARED = {
    "each missed": -8.0,
    "each heeded": 1.0,
    "change missed": -8.0,
    "often missed": -3.0,
    "time missed": -4.0,
    "left out": -1.5,
    "nothing left out": 1.0,
    "grain missed": -6.0,
    "thing missed": -1.5,
    "count missed": -2.0,
    "group missed": -3.0,
    "kinds unsaid": -1.0,
    "sides missed": -2.0,
    "share of other": -1.5,
    "latest missed": -1.0,
    "sum unsaid": -2.0,
    "name missed": -6.0,
    "total missed": -2.0,
    "values left out": -1.5,
    "things missed": -6.0,
    "rank": -0.005,
}
"""What is added to a candidate's score. Those from "left out" on (`asked_for.py`, `read.py`) were
chosen where they answer most of people's own questions, by models that had not seen the tables: the
right reading came first of 103 without and of 113 with them, of 224 everyday questions over open
tables; of 51 and 56, of 171 over tables held out; of 112 and 117, of 200 of `queries`. By
"rank", of two that are as likely, the one stays first whose columns the data has first."""


def forms(scene: Scene, sketch: Sketch) -> dict[str, float]:
    """What is heeded, and what is missed."""
    leading = leading_of(scene)
    found = {
        "change missed": float(changes(scene.words) and not _tells_change(scene, sketch)),
        "time missed": float(
            bool(scene.words.find(WHEN))
            and not (_tells_when(sketch) and (sketch.limit is not None or not _one_time(scene)))
        ),
        "often missed": float(_often(scene.words) and not _counts(sketch)),
    }
    if leading is not None and leading.outright:
        is_mentioned = fulfils(sketch, leading)
        found |= {"each missed": float(not is_mentioned), "each heeded": float(bool(sketch.within))}
    return found


def missed(scene: Scene, sketch: Sketch) -> bool:
    """Whether a form that is asked for outright is not that of the reading."""
    return any(value for name, value in forms(scene, sketch).items() if name.endswith("missed"))


def asked_outright(scene: Scene) -> bool:
    """Whether the words leave no doubt that one of these forms is asked for."""
    leading = leading_of(scene)
    return (leading is not None and leading.outright) or any(
        (changes(scene.words), _often(scene.words), scene.words.find(WHEN))
    )


def changes(words: Words) -> bool:
    """Whether things are asked for that rose or fell: alone, or most."""
    if words.find(chart_words.ASKED) or direction(words) is None:
        return False
    picked = bool(words.find(changing.MOST)) or bool(words.find(changing.SET_AGAINST))
    return picked or _asks_which(words)


def _asks_which(words: Words) -> bool:
    """Whether things are asked for: by "which", or by where it is that something rose."""
    texts = [token.lower for token in words.tokens]
    where = [at for at, word in enumerate(texts) if word == "where"]
    rose = [cue.first for cue in words.find(changing.WAYS)]
    return bool(_ASKS & set(texts)) or any(0 < at - w <= _NEAR for at in rose for w in where)


def _tells_change(scene: Scene, sketch: Sketch) -> bool:
    change = sketch.change
    if change is None:
        return False
    most = bool(scene.words.find(changing.MOST))
    if not most and not _asks_which(scene.words):
        return True
    return bool(sketch.shown) and (sketch.limit is not None if most else change.only is not None)


def _one_time(scene: Scene) -> bool:
    """Whether one day is asked for: "the highest volume day", and not that of each."""
    named = [cue for cue in scene.words.find(WHEN) if cue.rule.name == DAY_OF_MOST]
    return bool(named) and not scene.words.find(EACH)


def _tells_when(sketch: Sketch) -> bool:
    """Whether it shows the day, or the year, that is asked for."""
    return any(place.time or place.kind is Kind.DATE_PART for place in sketch.shown)


def _often(words: Words) -> bool:
    """Whether the one with the most rows is asked for."""
    return any(cue.means is End.COMMONEST for cue in words.find(ENDS))


def _counts(sketch: Sketch) -> bool:
    """Whether it is ranked by how many there are: of rows, or as a column tells it."""
    by = sketch.sorting.by if sketch.sorting is not None else None
    return isinstance(by, Number) and (by.place is None or by.aggregate is Aggregate.SUM)
