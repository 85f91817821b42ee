"""What was done after the date it was promised for: "orders shipped late", "on time", "overdue"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.planner.domain.catalogue import Table
from services.planner.domain.language.timing.events import (
    Dated,
    date_called,
    dates_of,
    holds_times,
    listed,
)
from services.planner.domain.language.timing.pieces import Piece
from services.planner.domain.lexicon.normalise import name_words, readable
from services.planner.domain.query.defining.terms import (
    Branch,
    Choice,
    Computed,
    Constant,
    Definition,
    Function,
    Reference,
    Term,
)

COLUMN, LATE, PUNCTUAL = "timeliness", "late", "punctual"
_PLAN = r"(?:required|due|promised|expected|planned|scheduled|estimated|target)"
_BEHIND = (
    r"(?:after|past|beyond|later than) (?:the |its |their )?"
    rf"(?:(?:{_PLAN})(?: \w+)?(?: date| time)?"
    rf"|deadline|(?:it |they )?(?:was |were |is |are )?{_PLAN})|(?:too |behind )late"
    r"|behind schedule|delayed(?! (?:by|for|until|payments?)\b)"
    r"|late(?! (?:in|of|at|on the|night|evening|afternoon|fees?|\d{4}|nineties"
    r"|summer|spring|autumn|winter|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|payments?\b))"
)
_AHEAD = (
    rf"by (?:the |its |their )?(?:(?:{_PLAN})(?: \w+)?(?: date| time)|deadline"
    rf"|(?:it |they )?(?:was |were |is |are )?{_PLAN})"
    r"|on time(?! (?:series|spent))|in time(?! (?:for|order|series))|on schedule|punctual(?:ly)?"
    r"|not late"
)
_SAID = re.compile(
    rf"\b(?P<negated>not |n't |never )?(?:(?P<done>\w+(?:ed|ent|aid|eft)) )?"
    rf"(?:(?P<ahead>{_AHEAD})|(?P<behind>{_BEHIND}))(?: (?P<noun>\w+))?\b",
    re.IGNORECASE,
)
_HOW_LATE = re.compile(
    r"\b(?P<said>\w+ (?:days?|weeks?|hours?) (?:too )?(?:late|early|behind))\b", re.IGNORECASE
)
_BEFORE = re.compile(
    rf"\b(?:before|earlier than) (?:the |its |their )?(?:{_PLAN}(?: \w+)? (?:date|time)|deadline"
    rf"|(?:it |they )(?:was |were |is |are ){_PLAN})",
    re.IGNORECASE,
)
_DELAYED = re.compile(r"\b(?:overdue|past due)\b", re.IGNORECASE)
_RANKED_BY = re.compile(r"\b(?:top|bottom|ranked|sorted|ordered)\b.*\bby\s*$", re.IGNORECASE)
_OF = r"\b(?:what |which |the )*(?:percentage|percent|share|proportion|fraction) of"
_SHARE = re.compile(rf"{_OF}(?= )", re.IGNORECASE)
_RATE = re.compile(
    rf"{_OF} (?:the |all )?(?P<thing>\w+(?: \w+)?)(?: (?:that|which|were|was|are|is))*"
    rf" (?P<word>{LATE}|{PUNCTUAL})(?= (?:by|per|for each|in each|of each)\b)",
    re.IGNORECASE,
)
_NOUGHT = Constant(value=0)
_DATE_OWN = re.compile(
    r"\b(?:the )?(?P<done>\w+ date) (?:is |was |were |that is )?$", re.IGNORECASE
)


def next_lateness(question: str, tables: Sequence[Table]) -> Piece | str | None:
    """The first phrase that holds what was done against what was promised, or why it cannot."""
    delayed = _DELAYED.search(question)
    if delayed is not None and not _in_names(delayed.group(), tables):
        return (
            f'"{delayed.group()}" depends on the day it is asked: say "late" for what came after '
            "the date it was due, or give a date."
        )
    by_how_much = _HOW_LATE.search(question)
    if by_how_much is not None and not _in_names("late", tables):
        said = by_how_much.group("said")
        return f'"{said}" is not read: ask for what was late, or for the days between two dates.'
    before = _BEFORE.search(question)
    if before is not None and "date" not in before.group().lower():
        return f'"{before.group()}" is not read: say "on time" for what was done by that day.'
    match = _SAID.search(question)
    if match is None or _in_names("late", tables) or _delays_are_told(match, tables):
        return None
    found = [pair for table in tables if (pair := _promise(match, question, table)) is not None]
    if len(found) != 1:
        return _unheld(match, tables, len(found))
    planned, done = found[0]
    return _piece(match, question, definition_of(planned, done), done)


def _piece(match: re.Match[str], question: str, made: Definition, done: Dated) -> Piece:
    late = (match.group("behind") is not None) != bool(match.group("negated"))
    late = late and not match.group().lower().startswith("not late")
    word = LATE if late else PUNCTUAL
    start, end = match.start(), match.end()
    own = _DATE_OWN.search(question[:start])
    start = own.start() if own is not None else start
    noun = match.group("noun")
    stands = f"that are {word}" if own is not None else word
    stands = _thing(noun, done, word) if noun else stands
    stands = f"number of {stands}" if noun and _RANKED_BY.search(question[:start]) else stands
    return Piece(start, end, stands, made)


def _thing(noun: str, done: Dated, word: str) -> str:
    """What is late, as the data calls it: a late shipment is a row with a shipped date."""
    if _is_plain(noun, done.table):
        return f"{noun} that are {word}"
    event = date_called(noun, [done]) is not None
    return f"{readable(done.table.name)} that are {word}" if event else f"{word} {noun}"


def _promise(match: re.Match[str], question: str, table: Table) -> tuple[Dated, Dated] | None:
    """The planned date and the one to hold against it, where a table has one of each."""
    dates = dates_of(table)
    planned = [dated for dated in dates if dated.planned]
    done = [dated for dated in dates if not dated.planned]
    noun = match.group("noun") or ""
    said = match.group("done") or ("" if _is_plain(noun, table) else noun)
    own = _DATE_OWN.search(question[: match.start()])
    said = own.group("done") if own is not None else said
    named = date_called(said, done) if said else None
    if named is None and match.group("done") and not _is_plain(match.group("done"), table):
        return None
    if named is None:
        named = _only([d for d in done if not d.opening])
        shared = [d for d in done if any(d.words & plan.words for plan in planned)]
        named = named or _only(shared)
    plan = _only([p for p in planned if named and p.words & named.words]) or _only(planned)
    return (plan, named) if plan is not None and named is not None else None


def rates(question: str, made: Definition) -> tuple[str, Definition | None]:
    """The share of late ones of each group as the average of a column that is 1 for those."""
    match = _RATE.search(question)
    if match is None:
        return _SHARE.sub("what percentage of", question), None
    word = match.group("word").lower()
    column = f"share_{word}"
    branches = made.term.branches if isinstance(made.term, Choice) else ()
    held = [branch.when for branch in branches if branch.then == Constant(value=word)]
    term = Choice(branches=(Branch(when=held[0], then=Constant(value=1)),), otherwise=_NOUGHT)
    said = f"average {column} of {match.group('thing')}"
    share = Definition(table=made.table, column=column, text=made.text, term=term)
    return f"{question[: match.start()]}{said}{question[match.end() :]}", share


def _is_plain(done: str, table: Table) -> bool:
    """Whether the word before "late" says nothing of its own: "orders late", "were late"."""
    return set(name_words(done)) <= set(name_words(table.name)) or done.lower() in ("used", "need")


def _only(dates: Sequence[Dated]) -> Dated | None:
    return dates[0] if len(dates) == 1 else None


def definition_of(planned: Dated, done: Dated) -> Definition:
    """Late or punctual, and missing where it is not done yet."""
    exact = holds_times(planned)
    operands = tuple(
        _day(Reference(table=d.table.name, column=d.column.name), exact) for d in (done, planned)
    )
    branches = tuple(
        Branch(when=Computed(function=sign, operands=operands), then=Constant(value=word))
        for sign, word in _SIGNS
    )
    return Definition(
        table=done.table.name,
        column=COLUMN,
        text=f"late where the {done.said} is after the {planned.said}",
        term=Choice(branches=branches),
    )


_SIGNS: tuple[tuple[Function, str], ...] = ((">", LATE), ("<=", PUNCTUAL))


def _day(term: Term, exact: bool) -> Term:
    return term if exact else Computed(function="day", operands=(term,))


def _delays_are_told(match: re.Match[str], tables: Sequence[Table]) -> bool:
    """Whether the data says itself what was delayed, as a status or by how much."""
    said = (match.group("behind") or "").lower() == "delayed"
    return said and any(_in_names(word, tables) for word in ("delay", "delays", "delayed"))


def _in_names(word: str, tables: Sequence[Table]) -> bool:
    """Whether the data has something of that name, or that value: a late fee, a status."""
    return any(
        word in re.findall(r"[a-z]+", readable(column.name))
        or any(word in sample.lower().split() for sample in column.samples)
        for table in tables
        for column in table.columns
    )


def _unheld(match: re.Match[str], tables: Sequence[Table], found: int) -> str:
    dates = [dated for table in tables for dated in dates_of(table)]
    if found > 1:
        names = " or ".join(readable(t.name) for t in tables if dates_of(t))
        return f'"{match.group().strip()}" may be said of several tables: name one of {names}.'
    return (
        f'"{match.group().strip()}" needs a date when it was done and one when it was due; '
        f"the dates there are: {listed(dates)}."
    )
