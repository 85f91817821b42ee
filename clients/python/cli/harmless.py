"""The console of every command: what it is told to print is shown, and not obeyed."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from mesh.harmless import harmless, is_harmless


class HarmlessConsole(Console):
    """A console whose own colours and movements are all that a terminal obeys."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The segments of what is shown, made harmless (`mesh.harmless`)."""
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
