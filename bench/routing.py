"""How well are questions routed to domains, and does routing know what is none of its business?

`python -m bench.routing` measures on the test questions of Banking77, grouped into nine domains
that are described in bench/support_routing_bank.py, and on questions over half of the development
databases, eight at a time. Each question is routed among all domains, then once more with its own
domain taken away: then nothing should be found. Further strangers to the bank are the questions
over databases. `--calibrate` fits the curve of services/planner/domain/routing/confidence.py on
the other data: training questions and the other half of the databases. `--words` leaves the
vectors out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import statistics
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.reading.calibration import Stated, calibration_error, reliability
from bench.reading.sets import data_folder
from bench.support_routing_sets import RoutingSet, banking, databases
from services.memory.adapters.embedder_minilm import MiniLmEmbedder, model_folder
from services.planner.domain.routing.confidence import confidence
from services.planner.domain.routing.decision import DomainRoutingDecision, Outcome
from services.planner.domain.routing.nearness import Ranked, ranked
from services.planner.domain.routing.route import route, to_embed

if TYPE_CHECKING:
    from services.planner.domain.routing.nearness import Vectors

_STRANGERS_WEIGHT = 0.25
_PAIRS = 300


def main() -> None:
    """Measure, or fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calibrate", action="store_true", help="fit the curve and print it")
    parser.add_argument("--words", action="store_true", help="compare words alone")
    parser.add_argument("--every", type=int, default=1, help="only each n-th question of the bank")
    arguments = parser.parse_args()
    data = data_folder()
    if arguments.calibrate:
        sets = [banking(data, "train", 8 * arguments.every), *databases(data, odd=True)]
        value: Any = fitted(sets, embedded(sets, arguments.words))
    else:
        bank, others = banking(data, "test", arguments.every), list(databases(data, odd=False))
        vectors = embedded([bank, *others], arguments.words)
        value = {
            "banking": measured([bank], vectors)
            | {"pairs": pairs(bank, arguments.words)}
            | {"auroc_other_sets": round(other_sets(bank, others, vectors), 3)},
            "databases": measured(others, vectors),
        }
    print(json.dumps(value, indent=1))


def embedded(sets: Sequence[RoutingSet], none: bool = False) -> Vectors:
    """Vectors of all questions and domains."""
    if none:
        return {}
    texts = {t for s in sets for q, _ in s.questions for t in to_embed(q, s.domains)}
    return vectors_of(sorted(texts))


def vectors_of(texts: Sequence[str]) -> Vectors:
    """What the mesh's embedder makes of texts."""
    made = asyncio.run(MiniLmEmbedder(model_folder()).embed(texts))
    return dict(zip(texts, made, strict=True))


def measured(sets: Sequence[RoutingSet], vectors: Vectors) -> dict[str, Any]:
    """Accuracy, clarity, reliability; and how well strangers are told from questions at home."""
    stated: list[Stated] = []
    counts: dict[str, int] = {}
    strangers: list[float] = []
    taken = wrongly_several = 0
    for each in sets:
        for question, intended in each.questions:
            decided = route(question, each.domains, vectors)
            nearest = ranked(question, each.domains, vectors)
            stated.append((confidence(nearest), nearest.near[0].domain == intended))
            kind = _kind(decided, intended)
            counts[kind] = counts.get(kind, 0) + 1
            wrongly_several += len(decided.identified_domains) > 1
            counts["ambiguous"] = counts.get("ambiguous", 0) + decided.ambiguity_detected
            rest = [domain for domain in each.domains if domain.name != intended]
            strangers.append(confidence(ranked(question, rest, vectors)))
            taken += route(question, rest, vectors).outcome is Outcome.ROUTED
    number = len(stated)
    bins = reliability(stated)
    return {
        "questions": number,
        "nearest_is_right": round(sum(ok for _, ok in stated) / number, 3),
        **{kind: round(count / number, 3) for kind, count in sorted(counts.items())},
        "wrongly_several": round(wrongly_several / number, 3),
        "auroc_own_domain_taken_away": round(auroc([c for c, _ in stated], strangers), 3),
        "auroc_each_domain_held_out": held_out(sets, vectors),
        "strangers_routed": round(taken / number, 3),
        "calibration_error": round(calibration_error(bins), 3),
        "reliability": [
            f"{b.low:.2f}-{b.high:.2f}: {b.number} stated {b.stated:.2f} right {b.right:.2f}"
            for b in bins
        ],
    }


def _kind(decided: DomainRoutingDecision, intended: str) -> str:
    if decided.outcome is not Outcome.ROUTED:
        offered = intended in {other.domain for other in decided.alternatives}
        return f"{decided.outcome.value}_{'offered' if offered else 'lost'}"
    return "routed_right" if intended in decided.identified_domains else "routed_wrong"


def held_out(sets: Sequence[RoutingSet], vectors: Vectors) -> dict[str, float]:
    """Each domain in turn is none: its questions against those of the domains that are left."""
    found: list[float] = []
    for each in sets:
        for domain in each.domains:
            rest = [other for other in each.domains if other is not domain]
            inside: list[float] = []
            outside: list[float] = []
            for question, intended in each.questions:
                sure = confidence(ranked(question, rest, vectors))
                (outside if intended == domain.name else inside).append(sure)
            if inside and outside:
                found.append(auroc(inside, outside))
    return {"mean": round(statistics.mean(found), 3), "least": round(min(found), 3)}


def other_sets(bank: RoutingSet, others: Sequence[RoutingSet], vectors: Vectors) -> float:
    """The bank's questions against questions over databases, all put to the bank."""
    inside = [confidence(ranked(q, bank.domains, vectors)) for q, _ in bank.questions]
    outside = [confidence(ranked(q, bank.domains, vectors)) for o in others for q, _ in o.questions]
    return auroc(inside, outside)


def pairs(bank: RoutingSet, none: bool) -> dict[str, float]:
    """Two short questions of different domains in one breath: are both domains found?"""
    draw = random.Random(14)
    short = [(q.strip(" ?."), d) for q, d in bank.questions if len(q) < 60]
    made: list[tuple[str, frozenset[str]]] = []
    while len(made) < _PAIRS:
        (one, first), (other, second) = draw.sample(short, 2)
        if first != second:
            made.append((f"{one} and also {other}?", frozenset((first, second))))
    texts = sorted({text for q, _ in made for text in to_embed(q, bank.domains)})
    vectors = {} if none else vectors_of(texts)
    decided = [(route(q, bank.domains, vectors), both) for q, both in made]
    named = [set(d.identified_domains) for d, _ in decided]
    number = len(made)
    return {
        "both": round(
            sum(n == both for n, (_, both) in zip(named, decided, strict=True)) / number, 3
        ),
        "one_of_them": round(
            sum(bool(n) and n < both for n, (_, both) in zip(named, decided, strict=True)) / number,
            3,
        ),
        "one_wrong": round(
            sum(bool(n - both) for n, (_, both) in zip(named, decided, strict=True)) / number, 3
        ),
    }


def auroc(inside: Sequence[float], outside: Sequence[float]) -> float:
    """The probability that one from inside scores higher than one from outside."""
    from scipy.stats import rankdata

    ranks = rankdata([*inside, *outside])
    own = float(ranks[: len(inside)].sum()) - len(inside) * (len(inside) + 1) / 2
    return own / (len(inside) * len(outside))


def fitted(sets: Sequence[RoutingSet], vectors: Vectors) -> dict[str, float]:
    """The logistic curve over top and margin; the sets count alike, strangers a quarter."""
    rows: list[tuple[Ranked, bool, float]] = []
    kinds = {"banking": 0, "databases": 0}
    for each in sets:
        kinds[each.name.split()[0]] += len(each.questions)
    for each in sets:
        weight = 1.0 / kinds[each.name.split()[0]]
        for question, intended in each.questions:
            near = ranked(question, each.domains, vectors)
            rows.append((near, near.near[0].domain == intended, weight))
            rest = [domain for domain in each.domains if domain.name != intended]
            away = ranked(question, rest, vectors)
            rows.append((away, False, weight * _STRANGERS_WEIGHT))
    return _logistic(rows)


def _logistic(rows: Sequence[tuple[Ranked, bool, float]]) -> dict[str, float]:
    from scipy.optimize import minimize

    given = np.array([[1.0, near.top, near.margin] for near, _, _ in rows])
    signs = np.where([right for _, right, _ in rows], 1.0, -1.0)
    weights = np.array([weight for _, _, weight in rows])

    def loss(point: np.ndarray) -> float:
        return float(np.sum(weights * np.logaddexp(0.0, -signs * (given @ point))))

    found = minimize(loss, np.zeros(3)).x
    if not all(map(math.isfinite, found)):
        raise SystemExit("the curve cannot be fitted")
    names = ("constant", "top", "margin")
    return {name: round(float(number), 2) for name, number in zip(names, found, strict=True)}


if __name__ == "__main__":
    main()
