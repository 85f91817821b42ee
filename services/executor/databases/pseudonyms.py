"""What stands in the place of texts that policy blocks."""

from __future__ import annotations

from collections.abc import Mapping

Pseudonyms = Mapping[str, Mapping[str, str] | None]
"""By column: what stands in the place of which texts; None for a column that nobody reads."""
