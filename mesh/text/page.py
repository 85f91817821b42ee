"""Pages that run nothing and load nothing: which HTML is let in, whoever made it. Pure.

What is let in is listed, and all else is not: browsers read broken HTML, and what is new in it, in
ways that no list of dangers keeps up with. Tags have one spelling here, so that browsers can read
no other attributes in them than the parser of the standard library does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from html.parser import HTMLParser

from mesh.errors import PAGE_UNSAFE, AssayError
from mesh.text.harmless import harmless_line

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""The Content-Security-Policy that each page states: nothing is loaded and nothing runs."""

LARGEST = 8 << 20
"""Bytes of a page at most."""

_LONGEST_TITLE = 200
_ANYWHERE = frozenset({"class", "id", "title"})
_OWN = {
    "a": frozenset({"href", "rel"}),
    "html": frozenset({"lang"}),
    "img": frozenset({"alt", "src"}),
    "meta": frozenset({"charset", "content", "http-equiv", "name"}),
    "ol": frozenset({"start"}),
    "td": frozenset({"colspan", "style"}),
    "th": frozenset({"colspan", "scope", "style"}),
}
_TAGS = frozenset(
    "a article b blockquote body br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 head hr "
    "html i img li meta ol p pre s section small span strong style sub summary sup table tbody td "
    "tfoot th thead title tr u ul".split()
)
_METAS = frozenset({"viewport", "referrer", "generator"})
_TAG = re.compile(r'<[a-z][a-z0-9]*(?:\s+[a-z][a-z-]*(?:="[^"<>]*")?)*\s*/?>')
_PLAIN = re.compile(rf"\A<!doctype html>|</[a-z][a-z0-9]*>|{_TAG.pattern}", re.IGNORECASE)
_LINK = re.compile(r"(?:https?://|mailto:|#)[^\x00-\x20]*", re.IGNORECASE)
_PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]*")
_ALIGNED = re.compile(r"text-align:\s*(?:left|right|center);?")
_LOADS = re.compile(r"[\\<]|@import|\b(?:url|src|image|image-set|expression|attr)\s*\(", re.I)


@dataclass(frozen=True, slots=True)
class PageRead:
    """A page as it was let in. `title` is what it says of itself, at most 200 characters."""

    html: str
    title: str


def read_page(content: bytes) -> PageRead:
    """A page that runs and loads nothing. Raises AssayError(PAGE_UNSAFE), naming what is wrong."""
    try:
        html = content.decode()
    except UnicodeDecodeError:
        raise _unsafe("it is not written in UTF-8") from None
    if "\x00" in html:
        raise _unsafe("it has a character that no text has")
    reader = _Reader()
    reader.feed(html)
    reader.close()
    # Whatever a parser makes of it: besides tags of one spelling nothing begins as a tag does.
    if reader.rawdata or "<" in _PLAIN.sub("", html):
        raise _unsafe("it has a < that begins no plain tag")
    if not reader.stated:
        raise _unsafe("it does not state the policy by which it loads nothing", f"State {POLICY}")
    words = " ".join(harmless_line(unescape("".join(reader.title))).split())
    return PageRead(html, words[:_LONGEST_TITLE])


def _unsafe(what: str, hint: str = "") -> AssayError:
    return AssayError(PAGE_UNSAFE, f"the page cannot be published: {what}", hint=hint)


class _Reader(HTMLParser):
    """Goes through a page, and raises AssayError at the first thing that is not let in."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.title: list[str] = []
        self.stated = False
        self._within = ""
        self._titled = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            raise self._refused(f"it has the tag <{harmless_line(tag)[:40]}>")
        for name, value in attrs:
            if name not in _ANYWHERE and name not in _OWN.get(tag, ()):
                raise self._refused(f"<{tag}> has {harmless_line(name)[:40]}")
            self._check_value(tag, name, value or "")
        if _TAG.fullmatch(self.get_starttag_text() or "") is None:
            raise self._refused(f"a <{tag}> is not spelled plainly")
        if len({name for name, _ in attrs}) < len(attrs):
            raise self._refused(f"a <{tag}> says something twice")
        if tag == "meta":
            self._check_meta({name: value or "" for name, value in attrs})
        elif not self.stated and tag not in ("html", "head"):
            raise self._refused(f"<{tag}> comes before the policy by which it loads nothing")
        self._within = tag
        self._titled = self._titled or tag == "title"

    def handle_endtag(self, tag: str) -> None:
        self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within == "style":
            if found := _LOADS.search(data):
                raise self._refused(f"its style has {found[0]!r}")
        elif "<" in data:
            raise self._refused("it has a < that begins no tag")
        if self._within == "title":
            self.title.append(data)

    def handle_entityref(self, name: str) -> None:
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.handle_data(f"&#{name};")

    def handle_comment(self, data: str) -> None:
        raise self._refused("it has a comment")

    def handle_pi(self, data: str) -> None:
        raise self._refused("it has an instruction to a program")

    def unknown_decl(self, data: str) -> None:
        raise self._refused("it has a declaration")

    def handle_decl(self, decl: str) -> None:
        if decl.lower() != "doctype html" or self.getpos() != (1, 0):
            raise self._refused("it has a declaration other than that of its kind")

    def _check_value(self, tag: str, name: str, value: str) -> None:
        let_in = {
            "href": _LINK.fullmatch(value) is not None,
            "src": _PICTURE.fullmatch(value) is not None,
            "style": _ALIGNED.fullmatch(value.strip()) is not None,
        }
        if not let_in.get(name, True):
            raise self._refused(f"the {name} of a <{tag}> leads where none may")

    def _check_meta(self, said: dict[str, str]) -> None:
        kind = said.get("http-equiv")
        if kind is not None:
            if (kind, said.get("content")) != ("Content-Security-Policy", POLICY):
                raise self._refused("it states another policy than that by which it loads nothing")
            self.stated = True
        elif said.get("charset", "utf-8") != "utf-8" or said.get("name", "generator") not in _METAS:
            raise self._refused("a <meta> says what none may")

    def _refused(self, what: str) -> AssayError:
        line, _ = self.getpos()
        return _unsafe(f"{what} (line {line:,})")
