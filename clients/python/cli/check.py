"""`assay check`: a text held against the results that it cites."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import AsJson, Home, Server, User

if TYPE_CHECKING:
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen


def check(
    text: Annotated[
        str, typer.Argument(metavar="FILE", help="Markdown; - reads it from standard input.")
    ],
    frame: Annotated[
        list[str] | None,
        typer.Option(
            "--frame",
            metavar="NAME=JOB",
            help="A job whose table the text cites by that name; also `frames:` at its head.",
        ),
    ] = None,
    session: Annotated[
        str,
        typer.Option(
            "--session", metavar="ID", help="The session whose frames (f1, f2) the text cites."
        ),
    ] = "",
    plain: Annotated[
        bool, typer.Option("--plain", help="Where nothing fails, print the text as people read it.")
    ] = False,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Check a text whose numbers are bound to cells: {71,398|f7.revenue[1997-12]}.

    Says what the cells do not bear out: numbers, names, "rose", "highest", "significant", causes,
    and doubts that are not passed on. Exits with 1 where anything fails. See docs/texts.md.
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    named = list(frame or ())
    return execute(
        lambda screen: _check(screen, place, text, named, session, plain), as_json=as_json
    )


async def _check(
    screen: Screen, place: Place, path: str, named: list[str], session: str, plain: bool
) -> int:
    from clients.python.cli.connection import connected
    from clients.python.cli.naming import whole_id, whole_session_id
    from clients.python.cli.text_checked import exit_code, show_checked, text_object

    source = read_text(path)
    frames = frames_cited(source, named)
    async with connected(place, screen) as client:
        whole = {name: await whole_id(client, job) for name, job in frames.items()}
        session = await whole_session_id(client, session) if session else ""
        found = await client.texts.check(source, whole, session)
    if screen.as_json:
        screen.object(text_object(found))
    elif plain and not found.failures:
        screen.copied(found.plain)
    else:
        show_checked(screen, found)
    return exit_code(found)


def read_text(path: str) -> str:
    """The text at a path, or of standard input for `-`. Raises AssayError."""
    from mesh.errors import INVALID_ARGUMENT, SOURCE_NOT_FOUND, AssayError

    try:
        return sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise AssayError(
            INVALID_ARGUMENT, f"{path} is no text in UTF-8", hint="Save it as UTF-8."
        ) from error
    except OSError as error:
        raise AssayError(
            SOURCE_NOT_FOUND,
            f"{path} cannot be read: {error.strerror}",
            hint="Name a Markdown file, or - for standard input.",
        ) from error


def frames_cited(source: str, named: list[str]) -> dict[str, str]:
    """Jobs as people name them, by the names that a text or `named` (NAME=JOB) gives to their
    tables. Raises AssayError(INVALID_ARGUMENT)."""
    from mesh.errors import INVALID_ARGUMENT, AssayError
    from mesh.prose.front_matter import frames_named

    try:
        frames = frames_named(source)
    except ValueError as error:
        raise AssayError(
            INVALID_ARGUMENT, f"the head of the text cannot be read: {error}"
        ) from error
    for one in named:
        name, sign, job = one.partition("=")
        if not sign or not name.strip() or not job.strip():
            raise AssayError(
                INVALID_ARGUMENT, f"--frame {one} is not NAME=JOB", hint="--frame f7=1a2b3c4d"
            )
        frames[name.strip()] = job.strip()
    return frames
