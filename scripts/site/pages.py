"""Pages that people write, made ready for the site: where links lead, and how lists are read."""

from __future__ import annotations

import posixpath
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

LINK = re.compile(r"\[([^\]]*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)")
CODE_OR_LINK = re.compile(rf"`[^`]+`|{LINK.pattern}")
FENCE = re.compile(r"\s*(```|~~~)")
ITEM = re.compile(r"(\s*)([-*]|\d+\.) ")
DECISION = re.compile(r"docs/decisions/(\d{4})-")


@dataclass
class Pages:
    """The pages of one build.

    A page below `docs/` keeps its place below that folder, any other its place in the repository.
    Pages outside of `docs/` are taken along when they are named or a page links to them, files that
    are no pages when a page links to them.
    """

    root: Path
    folder: Path
    _done: set[str] = field(default_factory=set)

    def write(self, outside: Iterable[str]) -> None:
        """Write all of `docs/`, and what is named or linked of the rest."""
        inside = (self.root / "docs").rglob("*.md")
        waiting = [*(str(path.relative_to(self.root)) for path in inside), *outside]
        while waiting:
            page = waiting.pop()
            if page in self._done:
                continue
            self._done.add(page)
            text = (self.root / page).read_text(encoding="utf-8")
            waiting += [linked for linked in self._linked(page, text) if linked.endswith(".md")]
            target = self.folder / place(page)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(self._ready(page, text), encoding="utf-8")

    def _linked(self, page: str, text: str) -> Iterator[str]:
        for _, target, _ in LINK.findall(text):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
            if (self.root / path).is_dir():
                path += "/README.md"
            if (self.root / path).is_file():
                yield path

    def _ready(self, page: str, text: str) -> str:
        for path in self._linked(page, text):
            if not path.startswith("docs/") and not path.endswith(".md"):
                copy = self.folder / place(path)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self.root / path, copy)
        return neighbours(self.root, page) + lists_apart(self._linked_here(page, text))

    def _linked_here(self, page: str, text: str) -> str:
        """The page with links that hold on the site; what the site lacks is named, not linked."""

        def anew(link: re.Match[str]) -> str:
            words, target, anchor = link.groups(default="")
            if not target:  # code, which may look like a link
                return link.group()
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target))
            if (self.root / path / "README.md").is_file():
                path += "/README.md"
            if not (self.root / path).is_file():
                return words if path in words else f"{words} (`{path}`)"
            start = posixpath.dirname(place(page)) or "."
            return f"[{words}]({posixpath.relpath(place(path), start)}{anchor})"

        return outside_of_code(text, lambda line: CODE_OR_LINK.sub(anew, line))


def place(path: str) -> str:
    """Where a file of the repository is on the site."""
    return "overview.md" if path == "README.md" else path.removeprefix("docs/")


def neighbours(root: Path, page: str) -> str:
    """What leads on from a decision, of which there are too many for the navigation."""
    found = DECISION.match(page)
    if not found:
        return ""
    number = int(found.group(1))
    names = {int(path.name[:4]): path.name for path in (root / "docs/decisions").glob("[0-9]*.md")}
    steps = [f"[{other}]({names[other]})" for other in (number - 1, number + 1) if other in names]
    trail = " · ".join((f"Decision {number}", "[all decisions](README.md)", *steps))
    return f"{trail}\n{{: .trail }}\n\n"


def lists_apart(text: str) -> str:
    """The text with lists as Python-Markdown wants them: a blank line before, four spaces a level.

    CommonMark, by which pages are read elsewhere, asks for neither.
    """
    lines: list[str] = []
    within = False  # whether the lines before belong to a list

    def apart(line: str) -> str:
        nonlocal within
        item = ITEM.match(line)
        before = lines[-1] if lines else ""
        begins = bool(item) and not within and bool(before.strip())
        if item:
            within = True
        elif line.strip() and not line.startswith(" "):
            within = bool(before.strip()) and within  # a paragraph after a blank line ends the list
        if within and line.startswith("  "):
            depth = (len(line) - len(line.lstrip())) // 2
            line = " " * 4 * depth + line.lstrip()
        lines.append(line)
        return f"\n{line}" if begins else line

    return outside_of_code(text, apart)


def outside_of_code(text: str, change: Callable[[str], str]) -> str:
    """The text with every line changed that is not within a fenced block."""
    lines, code = [], False
    for line in text.split("\n"):
        if FENCE.match(line):
            code = not code
            lines.append(line)
        else:
            lines.append(line if code else change(line))
    return "\n".join(lines)
