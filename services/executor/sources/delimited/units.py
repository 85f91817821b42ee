"""Units in headers: `weight (kg)` holds kilograms."""

from __future__ import annotations

import re

_UNIT = re.compile(r"^(?P<name>.*\S)\s*[(\[](?P<unit>[^()\[\]]{1,16})[)\]]$")
_IN = re.compile(r"^.*\S[ _]in[ _](?P<unit>%|[A-Za-z°²³/]{1,6}|percent|dollars|euros)$")


def unit_of(name: str) -> str:
    """The unit that a column's name states in brackets or after "in", or nothing."""
    match = _UNIT.match(name.strip()) or _IN.match(name.strip())
    unit = match.group("unit").strip() if match else ""
    return "" if unit.isdigit() else unit
