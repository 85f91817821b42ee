"""What an engine cannot say."""

from __future__ import annotations


class NotExpressible(Exception):
    """An engine has no words for this; the text says for what. DuckDB then computes it instead."""
