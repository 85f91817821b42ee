"""Units that names of columns end in: "bill length mm" is a length in millimetres."""

from __future__ import annotations

_UNITS = {
    **{unit: unit for unit in ("mm", "cm", "m", "km", "g", "kg", "ms", "mol", "mph")},
    **{unit: unit.upper() for unit in ("usd", "eur", "gbp", "jpy", "chf")},
    **{"kwh": "kWh", "kmh": "km/h", "percent": "%", "pct": "%"},
    **{"celsius": "°C", "fahrenheit": "°F"},
}
_TEMPERATURES = {"c": "°C", "f": "°F"}


def parted(column: str) -> tuple[str, str]:
    """A column's name as words and the unit they ended in, empty where they name none."""
    words = column.replace("_", " ").split()
    unit = _unit(words)
    return " ".join(words[:-1] if unit else words), unit


def headed(column: str) -> str:
    """A column's name as the heading of a table: "bill length (mm)"."""
    name, unit = parted(column)
    return f"{name} ({unit})" if unit else name


def _unit(words: list[str]) -> str:
    if len(words) < 2:
        return ""
    last = words[-1].casefold()
    if last in _TEMPERATURES and words[-2].casefold() in ("temp", "temperature"):
        return _TEMPERATURES[last]
    return _UNITS.get(last, "")
