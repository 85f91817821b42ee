"""Words on a chart: safe to draw, short enough, and the same on every machine."""

from __future__ import annotations

import re
import unicodedata
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
    """A column's name as words: "unit_price" and "UnitPrice" become "Unit price"."""
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", column):
        return clean(column)
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column).replace("_", " ")
    words = [w if w.isupper() and len(w) > 1 else w.lower() for w in spaced.split()]
    if len(words) > 1 and words[-1] in _UNITS:
        words[-1] = f"({words[-1].upper() if words[-1] in _CURRENCIES else words[-1]})"
    name = " ".join(words) or column
    return name[0].upper() + name[1:]


_CURRENCIES = frozenset({"usd", "eur", "gbp", "jpy", "chf"})
_UNITS = _CURRENCIES | {"mm", "cm", "m", "km", "g", "kg", "ms", "kwh", "mph", "kmh"}


def slug(text: str) -> str:
    """A file name stem: lower-case ASCII words joined by underscores, "chart" if none are left."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "_", ascii_text.lower()).strip("_")[:FEW].strip("_") or "chart"


def with_unit(label: str, unit: str | None) -> str:
    """The label with its unit in brackets, unless it says so already."""
    unit = clean(unit or "")
    if not unit or re.search(rf"(?<!\w){re.escape(unit)}(?!\w)", label, re.IGNORECASE):
        return label
    return f"{label} ({unit})"


@lru_cache(maxsize=1)
def _drawable() -> frozenset[int]:
    from matplotlib.ft2font import FT2Font

    from services.executor.plotting.style import font_path

    normal, bold = (set(FT2Font(font_path(bold=b)).get_charmap()) for b in (False, True))
    return frozenset(normal & bold)
