"""The commands that the documentation tells people to type, with what it says they then see."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"(?P<indent> *)```(?P<language>\w*)[^\n]*\n(?P<body>.*?)\n(?P=indent)```", re.S)
INLINE = re.compile(r"(?<!`)`(?P<code>(?:assay|make|python -m) [^`\n]+)`(?!`)")
COMMAND_LIKE = re.compile(
    r"^(\$ |(\S+=\S+ )?(assay|make|python -m|\.venv/bin/\S+|docker|kubectl|kustomize) )", re.M
)


@dataclass(frozen=True)
class Command:
    """One command of a page; `typed` goes to its standard input, `shown` is None if nothing is."""

    page: str
    line: int
    text: str
    typed: tuple[str, ...] = ()
    shown: str | None = None

    @property
    def place(self) -> str:
        """Where it stands, for people."""
        return f"{self.page}:{self.line}"

    @property
    def is_talk(self) -> bool:
        """Whether it is told as a conversation, of which only some lines are shown."""
        return bool(self.typed)


def pages() -> list[str]:
    """The pages that hold commands for people; decisions tell what was once true."""
    outside = ("README.md", "CONTRIBUTING.md", "examples/README.md", "k8s/README.md")
    clients = ROOT.glob("clients/*/README.md")
    found = [*clients, *(ROOT / "docs").glob("*.md")]
    return [*outside, *sorted(str(path.relative_to(ROOT)) for path in found)]


def blocks(page: str) -> Iterator[tuple[int, str, str]]:
    """The fenced blocks of a page: line of the first line in it, language, text."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start("body")) + 1
        indent = len(found["indent"])
        yield line, found["language"], "\n".join(row[indent:] for row in found["body"].split("\n"))


def inline(page: str) -> Iterator[str]:
    """Commands that are named within sentences."""
    text = FENCE.sub("", (ROOT / page).read_text(encoding="utf-8"))
    yield from (found["code"] for found in INLINE.finditer(text))


def commands(page: str) -> list[Command]:
    """Every command of a page, in its order."""
    found: list[Command] = []
    for line, language, body in blocks(page):
        if language == "console":
            found += _console(page, line, body)
        elif language == "sh":
            found += _shell(page, line, body)
        elif language == "python":
            found.append(Command(page, line, f"python - <<'END'\n{body}\nEND"))
    return found


def untold(page: str) -> list[str]:
    """Blocks that hold commands and do not say so, by their place."""
    return [
        f"{page}:{line}"
        for line, language, body in blocks(page)
        if (language in ("", "text", "bash", "shell") and COMMAND_LIKE.search(body))
        or (language == "console" and not body.startswith("$ "))
    ]


def _shell(page: str, line: int, body: str) -> Iterator[Command]:
    for number, text in _whole(body.split("\n")):
        if text.strip() and not text.lstrip().startswith("#"):
            yield Command(page, line + number, text)


def _console(page: str, line: int, body: str) -> Iterator[Command]:
    rows = list(_whole(body.split("\n")))
    starts = [at for at, (_, text) in enumerate(rows) if text.startswith("$ ")]
    for start, end in itertools.pairwise([*starts, len(rows)]):
        number, text = rows[start]
        below = [row for _, row in rows[start + 1 : end]]
        typed = tuple(row[2:] for row in below if row.startswith("> "))
        shown = "\n".join(below).strip("\n")
        yield Command(page, line + number, text[2:], typed, shown or None)


def _whole(rows: list[str]) -> Iterator[tuple[int, str]]:
    """Rows, those joined that end with a backslash, each with the number of its first."""
    begun: list[str] = []
    for number, row in enumerate(rows):
        begun.append(row)
        if not row.endswith("\\"):
            yield number - len(begun) + 1, "\n".join(begun)
            begun = []
    assert not begun, "a block ends in the middle of a command"
