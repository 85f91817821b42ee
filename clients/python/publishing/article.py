"""The author's text as HTML: its Markdown, with a link to its cell for each binding.

The author's Markdown is not trusted: tags are text, links lead to the web, to mail and to places of
the page, pictures are charts of cited frames. What the check took for code is code here, and
what it took for a comment is left out, so that nothing is read that was not checked.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from clients.python.publishing.cited import CitedFrame
from clients.python.publishing.resolving import Citations, Resolved, section_anchor
from mesh.prose.bindings import Aside, find_asides, parse_text
from mesh.text.harmless import harmless

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"  # no text has them (`draft.clean`), and no entity makes them
_MARK = re.compile(f"{_OPEN}([bc])(\\d+){_CLOSE}")
_WEB = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)
_NO_SLUG = re.compile(r"[^\w-]+")


@dataclass(slots=True)
class Article:
    """The text as HTML, its first heading as the page's title, which bindings stand in it, and the
    frames whose charts it shows."""

    body: str = ""
    title: str = ""
    present: set[int] = field(default_factory=set)
    drawn: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Link:
    """A link of the author's; an address that is empty leads nowhere. Links do not hold links: one
    around bindings, which lead to their cells, stands `behind` its words."""

    address: str
    behind: bool


@dataclass(slots=True)
class _Inserted:
    """What marks of the Markdown stand for, and what was met so far."""

    citations: Citations
    frames: Mapping[str, CitedFrame]
    article: Article
    code: list[str] = field(default_factory=list)
    slugs: set[str] = field(default_factory=set)
    links: list[_Link] = field(default_factory=list)


def render_article(source: str, citations: Citations, frames: Sequence[CitedFrame]) -> Article:
    """The text as HTML; `citations` are of its bindings, in order."""
    article = Article()
    inserted = _Inserted(citations, {one.name: one for one in frames}, article)
    marked = "".join(_marked(source, inserted.code))
    article.body = _markdown().render(marked, {"inserted": inserted})
    return article


def _markdown() -> MarkdownIt:
    parser = MarkdownIt("js-default", {"html": False}, renderer_cls=_Renderer)
    parser.disable("code")  # what is merely indented was checked, and is prose
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # `_Renderer` decides
    return parser


def _marked(source: str, code: list[str]) -> Iterator[str]:
    """The Markdown with a mark for each binding and each piece of code, and no comments."""
    bound = list(enumerate(parse_text(source).bound, 1))
    pieces: list[tuple[int, int, str, Aside | None]] = [
        (one.start, one.end, f"{_OPEN}b{number}{_CLOSE}", None) for number, one in bound
    ]
    pieces += [(one.start, one.end, "", one) for one in find_asides(source)]
    at = 0
    for start, end, mark, aside in sorted(pieces, key=lambda piece: piece[0]):
        if start < at:
            continue
        yield source[at:start]
        yield _coded(source[start:end], code) if aside and aside.kind == "code" else mark
        at = end
    yield source[at:]


def _coded(text: str, code: list[str]) -> str:
    """Code with a mark for what is in it; backticks around nothing begin a fence in a list."""
    if text == "``":
        return text
    mark = f"{_OPEN}c{len(code)}{_CLOSE}"
    if text.startswith(("```", "~~~")):
        code.append("\n".join(text.split("\n")[1:-1]) + "\n")
        return f"```\n{mark}\n```"
    code.append(text[1:-1])
    return f"`{mark}`"


class _Renderer(RendererHTML):
    """Renders tokens of Markdown; every rule writes its own attributes, or none."""

    def text(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return _filled(tokens[idx].content, env)

    def code_inline(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return f"<code>{_filled(tokens[idx].content, env)}</code>"

    def fence(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return f"<pre><code>{_filled(tokens[idx].content, env)}</code></pre>\n"

    def table_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return '<div class="wide"><table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        return "</table></div>\n"

    def heading_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        inserted: _Inserted = env["inserted"]
        words = _plain(self.renderInlineAsText(tokens[idx + 1].children, options, env), inserted)
        inserted.article.title = inserted.article.title or words
        slug = _NO_SLUG.sub("-", words.lower()).strip("-") or "heading"
        number, unique = 2, slug
        while unique in inserted.slugs:
            number, unique = number + 1, f"{slug}-{number}"
        inserted.slugs.add(unique)
        return f'<{tokens[idx].tag} id="{escape(unique)}">'

    def link_open(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        inserted: _Inserted = env["inserted"]
        address = _address(str(tokens[idx].attrGet("href") or ""), inserted.frames)
        within = any(each.address for each in inserted.links)
        link = _Link("" if within else address, _has_bindings(tokens[idx + 1 :]))
        inserted.links.append(link)
        return _begin_link(link.address) if link.address and not link.behind else ""

    def link_close(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        link = env["inserted"].links.pop()
        if not link.address:
            return ""
        return f" {_begin_link(link.address)}↗</a>" if link.behind else "</a>"

    def image(self, tokens: Sequence[Token], idx: int, options: Any, env: Any) -> str:
        """A chart of a cited frame; the words that stand for any other picture."""
        inserted: _Inserted = env["inserted"]
        words = self.renderInlineAsText(tokens[idx].children, options, env)
        frame = inserted.frames.get(str(tokens[idx].attrGet("src") or ""))
        if frame is None or not frame.charts:
            return f'<span class="soft">[picture left out: {_filled(words, env)}]</span>'
        inserted.article.drawn.add(frame.name)
        return "".join(picture(chart, _plain(words, inserted)) for chart in frame.charts)


def picture(content: bytes, words: str) -> str:
    """A PNG within the page."""
    return (
        f'<img src="data:image/png;base64,{b64encode(content).decode()}" '
        f'alt="{escape(harmless(words))}">'
    )


def accepted_note(name: str, reason: str) -> str:
    """Why a contested frame is published: to stand beside each of its numbers."""
    words = f"[{name} is contested; accepted: {reason}]"
    return f'<span class="accepted">{escape(words)}</span>'


def _begin_link(address: str) -> str:
    return f'<a href="{escape(address)}" rel="noopener noreferrer nofollow">'


def _address(href: str, frames: Mapping[str, CitedFrame]) -> str:
    """Where a link of the author's leads; empty for where none may."""
    if href in frames:
        return f"#{section_anchor(href)}"
    return href if _WEB.match(href) or href.startswith("#") else ""


def _has_bindings(tokens: Sequence[Token]) -> bool:
    """Whether a binding stands before the end of the link that was just begun."""
    depth = 1
    for token in tokens:
        depth += {"link_open": 1, "link_close": -1}.get(token.type, 0)
        if depth == 0:
            return False
        if f"{_OPEN}b" in token.content:
            return True
    return False


def _filled(text: str, env: MutableMapping[str, Any]) -> str:
    """Text as HTML, with links and code in the places of their marks."""
    inserted: _Inserted = env["inserted"]

    def put(found: re.Match[str]) -> str:
        if found[1] == "c":
            return escape(inserted.code[int(found[2])])
        one = inserted.citations.bindings[int(found[2]) - 1]
        first = one.number not in inserted.article.present
        inserted.article.present.add(one.number)
        return _bound(one, inserted.frames, first=first)

    return _MARK.sub(put, escape(harmless(text)))


def _bound(one: Resolved, frames: Mapping[str, CitedFrame], *, first: bool) -> str:
    anchor = f' id="{one.anchor}"' if first else ""
    where = f'href="{escape(one.href)}" title="{escape(one.reference)}"'
    link = f'<a class="from"{anchor} {where}>{escape(one.shown)}</a>'
    notes = [
        accepted_note(name, frames[name].accepted)
        for name in one.frames
        if name in frames and frames[name].accepted
    ]
    return " ".join([link, *notes])


def _plain(text: str, inserted: _Inserted) -> str:
    """Text without marks: what is shown in their places."""

    def put(found: re.Match[str]) -> str:
        number = int(found[2])
        code = found[1] == "c"
        return inserted.code[number] if code else inserted.citations.bindings[number - 1].shown

    return _MARK.sub(put, text)
