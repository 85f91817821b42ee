"""How wide text will be, known before anything is drawn; all lengths in pixels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

from services.executor.plotting.style import DOTS_PER_INCH, font_path

LINE_SPACING = 1.25


@lru_cache(maxsize=4096)
def width(text: str, size: float, *, bold: bool = False) -> float:
    """Width of one line set at a size in points."""
    from matplotlib.font_manager import get_font

    font = get_font(font_path(bold=bold))
    font.set_size(size, DOTS_PER_INCH)
    font.set_text(text, 0.0)
    return float(font.get_width_height()[0]) / 64.0


def height(size: float, lines: int = 1) -> float:
    """Height of so many lines set at a size in points."""
    return em(size) * (1 + (lines - 1) * LINE_SPACING) * 1.15


def em(size: float) -> float:
    """A size in points as pixels."""
    return size * DOTS_PER_INCH / 72


def fit(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """The text, cut with an ellipsis to the room there is."""
    if width(text, size, bold=bold) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if width(text[:middle].rstrip() + "…", size, bold=bold) <= room:
            low = middle
        else:
            high = middle - 1
    return text[: max(low, 1)].rstrip() + "…"


def wrap(text: str, size: float, room: float, most: int, *, bold: bool = False) -> list[str]:
    """The text broken at spaces into at most `most` lines, the last cut if need be."""
    lines: list[str] = []
    words = text.split(" ")
    while words:
        if len(lines) == most - 1:
            lines.append(fit(" ".join(words), size, room, bold=bold))
            break
        count = 1
        while count < len(words):
            if width(" ".join(words[: count + 1]), size, bold=bold) > room:
                break
            count += 1
        lines.append(fit(" ".join(words[:count]), size, room, bold=bold))
        words = words[count:]
    return lines


def wrapped_without_loss(
    labels: Sequence[str], size: float, room: float, most: int
) -> list[str] | None:
    """Every label broken into at most `most` lines, or None where one would have to be cut."""
    result = []
    for label in labels:
        lines = wrap(label, size, room, most)
        if " ".join(lines) != label:
            return None
        result.append("\n".join(lines))
    return result


def wrap_distinct(labels: Sequence[str], size: float, room: float, most: int) -> list[str]:
    """Labels on at most `most` lines each; what many end alike is cut before what differs."""
    texts = ["\n".join(wrap(label, size, room, most)) for label in labels]
    if len(set(texts)) == len(set(labels)):
        return texts
    shared = _shared_end(labels)
    heads = [label[: len(label) - shared].rstrip() + "…" for label in labels]
    return [_without_middle(head, size, room) for head in heads]


def _shared_end(labels: Sequence[str]) -> int:
    """Characters, from a space on, with which all the labels end."""
    if len(set(labels)) < 2:
        return 0
    words = zip(*(reversed(label.split(" ")) for label in labels), strict=False)
    alike = list(takewhile(lambda found: len(set(found)) == 1, words))
    return sum(len(word) + 1 for word, *_ in alike)


def _without_middle(text: str, size: float, room: float) -> str:
    """The text with an ellipsis in its middle where it is too wide: both its ends are kept."""
    kept = len(text)
    short = text
    while width(short, size) > room and kept > 2:
        kept -= 1
        short = text[: (kept + 1) // 2].rstrip() + "…" + text[len(text) - kept // 2 :].lstrip()
    return short
