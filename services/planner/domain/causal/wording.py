"""Words that agents tell one another."""

from __future__ import annotations

TRY = "Try: "
"""What an improvement begins with that another round can make."""
