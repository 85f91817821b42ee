"""`assay about`: a question about what a job did, answered by what it recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import AsJson, Home, Server, User

if TYPE_CHECKING:
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen


def about(
    job: Annotated[
        str,
        typer.Argument(
            metavar="JOB|SESSION", help="A job's id, or with --session a session's; or its start."
        ),
    ],
    question: Annotated[str, typer.Argument(help="What to know of it.")],
    session: Annotated[
        bool, typer.Option("--session", help="Ask the job of that session that fits best.")
    ] = False,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Ask a finished job about itself: what it assumed, how sure it is, what it ruled out.

    It is told in the job's own words, with the claims that its numbers are. What is not recorded is
    not told, and it says what is.

    \b
    Example: assay about 62c2 "how sure are you of the drop in EMEA?"
             assay about 0de4 "what did the placebo test say?"
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    return execute(lambda screen: _about(screen, place, job, question, session), as_json=as_json)


async def _about(screen: Screen, place: Place, job: str, question: str, session: bool) -> int:
    from clients.python.cli.connection import connected
    from clients.python.cli.naming import whole_id, whole_session_id
    from clients.python.cli.quoted import quoted_object, refused, show_quoted
    from mesh.errors import EXIT_CODES, ExitCode

    async with connected(place, screen) as client:
        if session:
            of = await whole_session_id(client, job)
            response = await client.ask_about(question, session_id=of)
        else:
            response = await client.ask_about(question, job_id=await whole_id(client, job))
    error = refused(response)
    if screen.as_json:
        screen.object(quoted_object(response))
        return EXIT_CODES[error.reason.kind] if error is not None else ExitCode.ANSWERED
    return screen.error(error) if error is not None else show_quoted(screen, response)
