"""What training prints: how often each stage is right on databases it has not learnt from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from bench.reading.sets import Item
from bench.training.stages import Seen, Tried
from services.planner.domain.reader.choice.model import ReaderModel
from services.planner.domain.reader.choice.shape import YES

_AMONG = (1, 2, 5, 10, 30, 1000)


def report(
    items: Sequence[Item], tried: Mapping[str, Tried], order: Mapping[str, Sequence[int]]
) -> None:
    """Right first, among five, among any; totals and means over databases, by set.

    `order` holds the places of each question's candidates, the best first.
    """
    for name in sorted({item.set for item in items}):
        mine = [item for item in items if item.set == name]
        line: list[str] = []
        for most in _AMONG:
            hits = [any(tried[i.id].right[k] for k in order[i.id][:most]) for i in mine]
            line.append(f"{most} {sum(hits) / len(mine):.3f}")
        by: dict[str, list[bool]] = defaultdict(list)
        extra: list[bool] = []
        for item in mine:
            t, o = tried[item.id], order[item.id]
            by[item.database].append(bool(o) and bool(t.right[o[0]]))
            extra.append(bool(o) and t.judged[o[0]] in ("right", "extra columns"))
        mean = sum(sum(v) / len(v) for v in by.values()) / len(by)
        speed = sum(tried[i.id].seconds for i in mine) / len(mine)
        print(
            f"{name:9} {len(mine):5}  right among first {'  '.join(line)}   over databases "
            f"{mean:.3f}   with extra columns {sum(extra) / len(mine):.3f}   {speed:.3f} s",
            flush=True,
        )


def local_report(
    items: Sequence[Item],
    seen: Mapping[str, Seen],
    models: Sequence[ReaderModel],
    fold: Mapping[str, int],
) -> None:
    """How often each local model is right on databases it has not seen."""
    flags: dict[str, list[bool]] = defaultdict(list)
    for item in items:
        one, model = seen[item.id], models[fold[item.id]]
        if not one.shape:
            continue
        shape = model.shape.shape(one.wording)
        for head, choice in one.shape.items():
            flags[head].append(_likeliest(shape.odds[head]) == choice)
        for features, role in zip(one.mentions, one.roles, strict=True):
            flags["role"].append(_likeliest(model.roles.probabilities(features)) == role)
        for features, intended in zip(one.conditions, one.intended, strict=True):
            odds = model.conditions.probabilities(features)
            flags["condition"].append((odds[YES] > 0.5) == (intended == YES))
    print("  ".join(f"{name} {sum(v) / len(v):.3f}" for name, v in flags.items()), flush=True)


def _likeliest(odds: Mapping[str, float]) -> str:
    return max(odds, key=lambda choice: odds[choice])
