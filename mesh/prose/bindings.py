"""Markdown with bindings: `{what is shown|where it is from}`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mesh.prose.front_matter import front_of

_BINDING = re.compile(r"(?<!\\)\{(?P<shown>[^{}|\n]*)\|(?P<reference>[^{}\n]*)\}")
_CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_ADDRESS = re.compile(r"https?://\S+|(?<=\]\()[^)\s]+(?=\))")
_LIST_MARK = re.compile(r"^[ \t]*\d+[.)](?=[ \t])", re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_OPEN = re.compile(r"(?<!\\)\{[^{}\n]*(?:\}|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Bound:
    """What is shown, where it is from, and which characters of the text say so."""

    start: int
    end: int
    shown: str
    reference: str


@dataclass(frozen=True, slots=True)
class Text:
    """A text with its bindings in order.

    `prose` has the text's length; what is no prose (bindings, code, addresses, marks of lists) is
    blanks there, so that places in one are places in the other.
    """

    source: str
    prose: str
    bound: tuple[Bound, ...]
    unread: tuple[tuple[int, int], ...] = ()

    def line(self, place: int) -> int:
        """The line of a place, from 1."""
        return self.source.count("\n", 0, place) + 1


@dataclass(frozen=True, slots=True)
class Aside:
    """Characters of a text that are no prose: its front matter, code, or a comment."""

    kind: str
    start: int
    end: int


def find_asides(source: str) -> list[Aside]:
    """Front matter, code and comments of a text, in order: what `parse_text` takes for no prose."""
    _, front = front_of(source)
    found = [Aside("front", 0, front)] if front else []
    rest = re.sub(r"[^\n]", " ", source[:front]) + source[front:]
    for kind, pattern in (("code", _CODE), ("comment", _COMMENT)):
        found += [Aside(kind, *one.span()) for one in pattern.finditer(rest)]
        rest = pattern.sub(_blanks, rest)
    apart: list[Aside] = []
    for one in sorted(found, key=lambda each: each.start):
        if not apart or one.start >= apart[-1].end:  # code within a comment goes with it
            apart.append(one)
    return apart


def parse_text(source: str) -> Text:
    """The text with its bindings. Braces that hold none are `unread`."""
    _, front = front_of(source)
    prose = re.sub(r"[^\n]", " ", source[:front]) + source[front:]
    for pattern in (_CODE, _COMMENT, _ADDRESS, _LIST_MARK):
        prose = pattern.sub(_blanks, prose)
    bound = tuple(
        Bound(found.start(), found.end(), found["shown"].strip(), found["reference"].strip())
        for found in _BINDING.finditer(prose)
    )
    prose = _BINDING.sub(_blanks, prose)
    unread = tuple(found.span() for found in _OPEN.finditer(prose))
    return Text(source, prose, bound, unread)


def render_plain(source: str) -> str:
    """The text as people read it: what is shown, without where it is from, and no front matter."""
    return "".join(_plain(source, parse_text(source).bound))


def _plain(source: str, bound: tuple[Bound, ...]) -> Iterator[str]:
    _, at = front_of(source)
    for one in bound:
        yield source[at : one.start]
        yield one.shown
        at = one.end
    yield source[at:]


def _blanks(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())
