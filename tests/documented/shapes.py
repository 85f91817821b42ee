"""Whether a command printed what a page says it prints, but for what differs from run to run.

Ids, durations, sizes, times of day and addresses may differ; an id that is shown twice must be the
same one twice, and is the one that later commands of the page name. `…` stands for anything. Steps
of a plan (lines with ✔) end in any order. White space counts for nothing: terminals differ.
"""

from __future__ import annotations

import re

ID = r"(?<![\w.])(?=[0-9a-f]*\d)[0-9a-f]{8}(?:[0-9a-f]{8}|[0-9a-f]{24})?(?![\w.])"
VARYING = {
    r"\d+(?:\.\d+)? (?:ms|s|min)\b": r"\d+(?:\.\d+)?\s+(?:ms|s|min)",
    r"\d[\d,]* bytes": r"\d[\d,]*\s+bytes",
    r"checkpoint [\d,]+": r"checkpoint\s+[\d,]+",
    r"\d{4}-\d\d-\d\d \d\d:\d\d": r"\d{4}-\d\d-\d\d\s+\d\d:\d\d",
    r"127\.0\.0\.1:\d+": r"127\.0\.0\.1:\d+",
    r"pid \d+": r"pid\s+\d+",
    r"…/": r"\S*/",  # the beginning of a path
    r"…": r".*?",
    ID: "id",
}
SPLIT = re.compile("(" + "|".join(VARYING) + r")")


class Ids:
    """Which id of this run each id of a page stands for."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def put_into(self, command: str) -> str:
        """A command with the ids of this run; pages may shorten an id to its first letters."""

        def actual(found: re.Match[str]) -> str:
            whole = [real for told, real in self.known.items() if told.startswith(found.group())]
            return whole[0] if whole else found.group()

        return re.sub(r"(?<![\w.-])[0-9a-f]{4,32}(?![\w.-])", actual, command)


def difference(shown: str, printed: str, ids: Ids, *, in_part: bool = False) -> str | None:
    """What of `shown` was not printed, or None; learns what ids stand for.

    `in_part` says that other lines may stand between those that are shown, as of a conversation.
    """
    told_steps, told = _apart(shown)
    done_steps, done = _apart(printed)
    for step in told_steps:
        if not any(re.fullmatch(_pattern(step, ids), other, re.S) for other in done_steps):
            return f"the step “{step.strip()}”"
    if in_part:
        return _missing(_fragments(told), done, ids)
    found = re.fullmatch(_once(rf"\s*{_pattern(told, ids)}\s*"), done, re.S)
    if found:
        _learn(found, ids)
        return None
    return _where(told, done, ids)


def _missing(parts: list[str], done: str, ids: Ids) -> str | None:
    """The first of the parts that does not stand after those before it; None where all do.

    One after the other: as one expression, a part that is missing is looked for in every place of
    every other.
    """
    place = 0
    for part in parts:
        found = re.compile(_once(_pattern(part, ids)), re.S).search(done, place)
        if found is None:
            return f"“{part.strip()}”"
        _learn(found, ids)
        place = found.end()
    return None


def _learn(found: re.Match[str], ids: Ids) -> None:
    ids.known |= {name[3:]: value for name, value in found.groupdict().items()}


def _apart(text: str) -> tuple[list[str], str]:
    """The steps of plans, and all the rest."""
    lines = text.split("\n")
    steps = [line.removeprefix("plan").strip() for line in lines if "✔" in line]
    return steps, "\n".join(line for line in lines if "✔" not in line)


def _fragments(text: str) -> list[str]:
    """Lines with those that are indented below them; what was typed is told as `said`."""
    pieces: list[str] = []
    for line in text.split("\n"):
        if line.startswith(" ") and pieces:
            pieces[-1] += "\n" + line
        elif line.strip():
            pieces.append(re.sub(r"^> ", "said ", line))
    return pieces


def _pattern(text: str, ids: Ids) -> str:
    """A regular expression for one shown text."""
    pieces = []
    for number, piece in enumerate(SPLIT.split(" ".join(text.split()))):
        pieces.append(_varying(piece, ids) if number % 2 else _literal(piece))
    return "".join(pieces)


def _literal(text: str) -> str:
    return re.sub(r"(?:\\ )+", r"\\s*", re.escape(text))


def _varying(piece: str, ids: Ids) -> str:
    if re.fullmatch(ID, piece):
        known = ids.known.get(piece)
        length = len(piece)
        return re.escape(known) if known else f"(?P<id_{piece}>[0-9a-f]{{{length}}})"
    return next(to for of, to in VARYING.items() if re.fullmatch(of, piece))


def _once(pattern: str) -> str:
    """The pattern with the second and later groups of a name as references to the first."""
    seen: set[str] = set()

    def again(found: re.Match[str]) -> str:
        name = found.group(1)
        if name in seen:
            return f"(?P={name})"
        seen.add(name)
        return found.group()

    return re.sub(r"\(\?P<(id_\w+)>[^)]*\)", again, pattern)


def _where(told: str, done: str, ids: Ids) -> str:
    """The line of what is shown from which on it was not printed."""
    lines = told.split("\n")
    for count in range(1, len(lines) + 1):
        beginning = _once(_pattern("\n".join(lines[:count]), ids))
        if not re.match(rf"\s*{beginning}", done, re.S):
            return f"the line “{lines[count - 1].strip()}”"
    return f"the end after “{lines[-1].strip()}”"
