"""All checks. One more is one more value in a file of its topic, or a file that copies one."""

from services.planner.domain.checks import (
    additive,
    aggregates_asked,
    counting,
    dates_asked,
    directions,
    doubted,
    emptiness,
    grain,
    held,
    joins,
    matching,
    odd,
    ordering,
    periods,
    ratios,
    samples,
    sentinels,
    shares,
    spans,
    unasked,
    unread,
    values,
)
from services.planner.domain.checks.rule import Rule

RULES: tuple[Rule, ...] = tuple(
    sorted(
        (
            *additive.RULES,
            *aggregates_asked.RULES,
            *counting.RULES,
            *dates_asked.RULES,
            *directions.RULES,
            *doubted.RULES,
            *emptiness.RULES,
            *grain.RULES,
            *held.RULES,
            *joins.RULES,
            *matching.RULES,
            *odd.RULES,
            *ordering.RULES,
            *periods.RULES,
            *ratios.RULES,
            *samples.RULES,
            *sentinels.RULES,
            *shares.RULES,
            *spans.RULES,
            *unasked.RULES,
            *unread.RULES,
            *values.RULES,
        ),
        key=lambda rule: rule.code,
    )
)
