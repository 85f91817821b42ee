"""`assay look`: what there is in files, a database, or a source by name, before a question."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import (
    AllowColumn,
    AsJson,
    BlockPattern,
    Home,
    Model,
    Read,
    Server,
    User,
)

if TYPE_CHECKING:
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
    read: Read = None,
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
             assay look flights.csv --propose flights.assay.yaml
    """
    from clients.python.cli.began import show_reading
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute
    from clients.python.question import Question

    given = places or []
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
        read=tuple(read or ()),
        models=tuple(model or ()),
        without_models=bool(propose) and not model,
    )
    if propose:
        return execute(
            lambda screen: _propose(screen, at, wanted, propose, force=force), as_json=as_json
        )
    return execute(lambda screen: _look(screen, at, wanted), as_json=as_json)


def _is_path(place: str) -> bool:
    """Whether a place is a file or folder, there or not, rather than a source's name."""
    return any(sign in place for sign in "./\\~") or Path(place).exists()


async def _look(screen: Screen, place: Place, wanted: Question) -> int:
    from clients.python.cli.connection import connected
    from clients.python.cli.looked import look_object, show_look
    from mesh.errors import ExitCode

    wanted = wanted.located()
    wanted.check()
    async with connected(place, screen) as client:
        seen = await client.look(wanted)
    if screen.as_json:
        screen.object(look_object(seen))
    else:
        show_look(screen, seen)
    return ExitCode.ANSWERED


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
