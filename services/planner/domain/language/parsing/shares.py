"""Shares of the few that are picked: what they have together, "the top 5 customers' share"."""

from __future__ import annotations

from services.planner.domain.language.intent import Calculation, Intent


def with_share_together(intent: Intent) -> Intent:
    """Adds the share of each picked row with those before it: the last has that of all of them."""
    share = intent.derived[0] if len(intent.derived) == 1 else None
    several = intent.limit is not None and intent.limit > 1 and not intent.offset
    ranked = bool(intent.order) and intent.order[0].target == "measure"
    if share is None or share.calculation is not Calculation.SHARE or not several or not ranked:
        return intent
    if len(intent.dimensions) != 1 or len(intent.measures) != 1:
        return intent
    label = f"{share.label} with those before"
    both = share.model_copy(update={"label": label, "together": True})
    return intent.model_copy(update={"derived": (share, both)})
