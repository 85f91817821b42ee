"""Which remarks on an answer change how it is to be read: these stand above it."""

from __future__ import annotations

LEFT_OUT = "left out as not understood: "
"""How a remark begins that names words of the question that were not used."""

_CHANGING = (
    LEFT_OUT, "not used: ", "it may also mean: ", "taken as ", "Only the first ",
    "Found in an even sample of ", "this reading is ",
)  # fmt: skip


def changes_reading(remark: str) -> bool:
    """Whether an answer says something else to whoever has not read the remark."""
    return remark.startswith(_CHANGING)
