"""All checks. One more is one more value in a file of its topic, or a file that copies one."""

from services.planner.domain.checks import (
    additive,
    counting,
    directions,
    held,
    joins,
    matching,
    odd,
    ordering,
    periods,
    ratios,
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
            *joins.RULES,
            *matching.RULES,
            *values.RULES,
            *spans.RULES,
            *periods.RULES,
            *sentinels.RULES,
            *additive.RULES,
            *counting.RULES,
            *ratios.RULES,
            *shares.RULES,
            *ordering.RULES,
            *odd.RULES,
            *unread.RULES,
            *unasked.RULES,
            *directions.RULES,
            *held.RULES,
        ),
        key=lambda rule: rule.code,
    )
)
