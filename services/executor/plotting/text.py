"""Words on a chart: safe to draw, short enough, and the same on every machine."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

FEW = 60


def clean(text: str) -> str:
    """One line without control or formatting characters; what the font lacks becomes □."""
    spaced = "".join(
        " " if unicodedata.category(c) in {"Cc", "Zl", "Zp", "Zs"} else c for c in text[:2000]
    )
    drawn = _drawable()
    kept = (c for c in spaced if unicodedata.category(c) not in {"Cf", "Cs", "Co", "Cn"})
    return " ".join("".join(c if ord(c) in drawn else "□" for c in kept).split())


def humanise(column: str) -> str:
    """A column's name as words: "unit_price" becomes "Unit price", "bill mm" "Bill (mm)"."""
    words = clean(column).split()
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", column):
        spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column).replace("_", " ")
        words = [w if w.isupper() and len(w) > 1 else w.lower() for w in spaced.split()]
    unit = unit_of(words)
    number = 0 if not unit else 1 if unit[-1] not in _POWERS.values() else 2
    name = " ".join(words[: len(words) - number]) or column
    return capital(name) + (f" ({unit})" if unit else "")


def capital(words: str) -> str:
    """The words with a capital in front, where the font has it."""
    first = words[:1].upper()
    return first + words[1:] if all(ord(c) in _drawable() for c in first) else words


def unit_of(words: Sequence[str]) -> str:
    """The unit that a column's last words name, or nothing: "bill", "length", "mm" gives "mm"."""
    if len(words) < 2 or _WITHOUT_UNIT.match(" ".join(words)):
        return ""
    last = words[-1].casefold()
    if last in _POWERS and len(words) > 2 and words[-2].casefold() in _LENGTHS:
        return words[-2].casefold() + _POWERS[last]
    if words[-2].casefold() in ("temp", "temperature"):
        return {"c": "°C", "f": "°F"}.get(last, _UNITS.get(last, ""))
    return _UNITS.get(last, "")


def spoken(column: str) -> str:
    """A column's name inside a sentence, without its unit: "bill length"."""
    return inside(humanise(column).partition(" (")[0])


def inside(label: str) -> str:
    """A label as it stands inside a sentence: without its capital, but for an acronym."""
    return label if label[:2].isupper() else label[:1].lower() + label[1:]


_WITHOUT_UNIT = re.compile(r"(?:rank )?correlation\b|variance\b|number of\b", re.IGNORECASE)
_LENGTHS = ("mm", "cm", "m", "km", "ft", "in")
_POWERS = {"2": "²", "3": "³"}
_UNITS = {
    **{unit: unit for unit in ("mm", "cm", "m", "km", "g", "kg", "ms", "mol", "mph")},
    **{unit: unit.upper() for unit in ("usd", "eur", "gbp", "jpy", "chf")},
    **{"kwh": "kWh", "kmh": "km/h", "percent": "%", "pct": "%"},
    **{"celsius": "°C", "fahrenheit": "°F"},
}


def quoted(column: str) -> str:
    """A column's name in a note, as the frame spells it."""
    return f'"{clean(column)}"'


def slug(text: str) -> str:
    """A file name stem: lower-case ASCII words joined by underscores, "chart" if none are left."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "_", ascii_text.lower()).strip("_")[:FEW].strip("_") or "chart"


def with_unit(label: str, unit: str | None) -> str:
    """The label with its unit in brackets, unless it or its numbers say so already."""
    unit = clean(unit or "")
    if unit in ("", "%") or re.search(rf"(?<!\w){re.escape(unit)}(?!\w)", label, re.IGNORECASE):
        return label
    return f"{label} ({unit})"


@lru_cache(maxsize=1)
def _drawable() -> frozenset[int]:
    from matplotlib.ft2font import FT2Font

    from services.executor.plotting.style import font_path

    normal, bold = (set(FT2Font(font_path(bold=b)).get_charmap()) for b in (False, True))
    return frozenset(normal & bold)
