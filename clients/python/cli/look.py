"""`assay look`: what there is in files, a database, or a source by name, before a question."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import (
    AllowColumn,
    AsJson,
    BlockPattern,
    Home,
    Model,
    Raw,
    Read,
    Server,
    User,
    ways_to_read,
)

if TYPE_CHECKING:
    from assay.common.v1.look_pb2 import Look
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen
    from clients.python.question import Question


def look(
    places: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE|URL|NAME]...", help="What to look at; else the only source."),
    ] = None,
    model: Model = None,
    propose: Annotated[
        str,
        typer.Option(
            "--propose",
            metavar="FILE",
            help="Write a semantic model to begin with, made of the data alone; - shows it.",
        ),
    ] = "",
    force: Annotated[
        bool, typer.Option("--force", help="With --propose: replace a file that is there.")
    ] = False,
    repair: Annotated[
        bool,
        typer.Option(
            "--repair",
            help="Go through what can be repaired, one by one, or all with `--repair all`; what is "
            "wanted is kept in the semantic model beside the file.",
        ),
    ] = False,
    page: Annotated[
        str,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Write the look as a page: columns with how they are spread, joins, doubts.",
        ),
    ] = "",
    value: Annotated[
        list[str] | None,
        typer.Option("--value", metavar="WORDS", help="Tell where such a value is. Repeatable."),
    ] = None,
    read: Read = None,
    raw: Raw = False,
    allow_column: AllowColumn = None,
    block_pattern: BlockPattern = None,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Look at data before asking: tables, what one row is, columns, joins, doubts.

    It ends with questions to begin with. Nothing here is an answer with a proof.

    \b
    Example: assay look flights.csv
             assay look flights.csv --repair all
             assay look flights.csv --html flights.html
             assay look flights.csv --propose flights.assay.yaml
    """
    from clients.python.cli.began import show_reading
    from clients.python.cli.connection import Place
    from clients.python.cli.repairing import ALL, EACH
    from clients.python.cli.running import execute
    from clients.python.question import Question

    given = list(places or [])
    every = repair and ALL in given and not Path(ALL).exists()
    if every:
        given.remove(ALL)
    urls = tuple(place for place in given if "://" in place)
    files = tuple(place for place in given if place not in urls and _is_path(place))
    if not as_json:
        show_reading(files, urls)
    at = Place(home, server, user).begin("executor", "planner")
    wanted = Question(
        text="look",
        data=files + urls,
        on=tuple(place for place in given if place not in urls + files),
        allowed_columns=tuple(allow_column or ()),
        blocked_patterns=tuple(block_pattern or ()),
        read=ways_to_read(read, raw=raw),
        models=tuple(model or ()),
        without_models=bool(propose) and not model,
    )
    if propose:
        return execute(
            lambda screen: _propose(screen, at, wanted, propose, force=force), as_json=as_json
        )
    how = (ALL if every else EACH) if repair else ""
    sought = tuple(value or ())
    return execute(lambda screen: _look(screen, at, wanted, how, page, sought), as_json=as_json)


def _is_path(place: str) -> bool:
    """Whether a place is a file or folder, there or not, rather than a source's name."""
    return any(sign in place for sign in "./\\~") or Path(place).exists()


async def _look(
    screen: Screen,
    place: Place,
    wanted: Question,
    how: str,
    page: str,
    values: Sequence[str],
) -> int:
    """Show what there is; with `how`, all or each, repair it first and show it as it is then; with
    `page` write it there; with `values` tell where these are."""
    from clients.python.cli.connection import connected
    from clients.python.cli.looked import look_object, show_look
    from clients.python.cli.repairing import ALL, repair, tell_repaired
    from clients.python.cli.words import short_path
    from mesh.errors import ExitCode

    wanted = wanted.located()
    wanted.check()
    async with connected(place, screen) as client:
        seen = await client.look(wanted, values=values)
        kept = repair(screen, seen, wanted.data, every=how == ALL) if how else {}
        if kept:
            seen = await client.look(wanted)
    if page:
        _write(Path(page).expanduser(), seen, (*wanted.data, *wanted.databases, *wanted.on))
    if screen.as_json:
        screen.object(look_object(seen) | ({"kept": kept} if how else {}))
        return ExitCode.ANSWERED
    show_look(screen, seen)
    if how:
        tell_repaired(screen, kept, wanted.data)
    if page:
        screen.line("page", short_path(Path(page).expanduser().absolute()))
    return ExitCode.ANSWERED


def _write(path: Path, seen: Look, places: Sequence[str]) -> None:
    """Write the page. Raises AssayError(INVALID_ARGUMENT) where it cannot be written."""
    from clients.python.look_page import render_look
    from mesh.errors import INVALID_ARGUMENT, AssayError

    title = ", ".join(PurePath(place.rpartition("@")[2]).name for place in places) or "Sources"
    try:
        path.write_text(render_look(seen, title), encoding="utf-8")
    except OSError as error:
        raise AssayError(INVALID_ARGUMENT, f"{path} cannot be written: {error.strerror}") from error


async def _propose(
    screen: Screen, place: Place, wanted: Question, target: str, *, force: bool
) -> int:
    """Write a semantic model to begin with, or show it."""
    from clients.python.cli.connection import connected
    from clients.python.cli.words import short_path
    from mesh.errors import INVALID_ARGUMENT, AssayError, ExitCode

    path = Path(target).expanduser()
    if target != "-" and path.exists() and not force:
        raise AssayError(
            INVALID_ARGUMENT,
            f"{path} is there already, and may hold somebody's work",
            hint="Name another file, or replace it with --force.",
        )
    wanted.check()
    async with connected(place, screen) as client:
        seen = await client.look(wanted, propose=True)
    if target != "-":
        path.write_text(seen.proposal, encoding="utf-8")
    if screen.as_json:
        screen.object({"proposal": seen.proposal, "path": None if target == "-" else target})
    elif target == "-":
        screen.copied(seen.proposal)
    else:
        screen.line("written", short_path(path.absolute()))
        screen.row("", "it changes nothing as it stands: mend it, and add what data cannot tell")
    return ExitCode.ANSWERED
