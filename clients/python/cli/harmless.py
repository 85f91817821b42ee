"""The console of every command: what it is told to print is shown, and not obeyed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from unicodedata import bidirectional

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from mesh.text.harmless import harmless, harmless_line, is_harmless

_FROM_THE_RIGHT = ("R", "AL")
_LEFT_TO_RIGHT = "\u200e"


class HarmlessConsole(Console):
    """A console whose own colours and movements are all that a terminal obeys."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments of what is shown, made harmless (`mesh.text.harmless`)."""
        if isinstance(renderable, Text):  # before its lines are broken: no character is cut off
            renderable = harmless_text(renderable)
        for segment in super().render(renderable, options):
            if segment.control or is_harmless(segment.text):
                yield segment
            else:
                yield Segment(harmless(segment.text), segment.style)


def harmless_text(text: Text) -> Text:
    """The text with its styles, made harmless; the same object where it is so already."""
    if is_harmless(text.plain):
        return text
    shown = text.copy()
    shown.plain = harmless(text.plain)
    return shown


def one_line(text: str | Text) -> str | Text:
    """A text that has to stay one line, made harmless; no name in it begins another line."""
    if isinstance(text, str):
        return harmless_line(text)
    shown = text.copy()
    shown.plain = harmless_line(text.plain)
    return shown


def in_order(cells: Sequence[str]) -> list[str]:
    """The cells of a row, kept from turning around on a terminal that orders letters.

    Figures after letters that are read from the right would be shown before them, and the last
    first (UAX #9, N1). A mark that is not seen begins each cell, where no cut can take it away.
    """
    if any(bidirectional(letter) in _FROM_THE_RIGHT for cell in cells for letter in cell):
        return [_LEFT_TO_RIGHT + cell for cell in cells]
    return list(cells)
