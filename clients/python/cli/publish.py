"""`assay publish`: a checked text as one page, with the proofs of its numbers beside it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import AsJson, Home, Server, User

if TYPE_CHECKING:
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen
    from clients.python.publishing.draft import Draft
    from clients.python.publishing.writing import Places, Published


def publish(
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
    accept: Annotated[
        list[str] | None,
        typer.Option(
            "--accept",
            metavar="FRAME=REASON",
            help="Publish a contested frame; readers see the reason beside each of its numbers.",
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option("--to", metavar="PAGE.html", help="The page; FILE.html by default."),
    ] = None,
    proof: Annotated[
        Path | None,
        typer.Option(
            "--proof", metavar="DIR", help="The folder of the bundles; PAGE.proof by default."
        ),
    ] = None,
    markdown: Annotated[
        Path | None,
        typer.Option(
            "--markdown", metavar="OUT.md", help="Also write plain Markdown with footnotes."
        ),
    ] = None,
    notebook: Annotated[
        Path | None,
        typer.Option(
            "--notebook", metavar="OUT.ipynb", help="Also write a notebook that reads the bundles."
        ),
    ] = None,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Publish a text as one page, each number a link to its cell, with proofs beside it.

    It is checked as `assay check` does; where anything fails, nothing is written, and the exit code
    is 1. The page needs no script and no other file. The mesh keeps it as well, where `assay page`
    finds it and takes it back. See docs/texts.md.
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    named, reasons = list(frame or ()), list(accept or ())

    async def work(screen: Screen) -> int:
        draft = _draft(text, named, session, reasons)
        return await _publish(screen, place, draft, _places(text, to, proof, markdown, notebook))

    return execute(work, as_json=as_json)


def _draft(path: str, named: list[str], session: str, reasons: list[str]) -> Draft:
    """What is to be published, with jobs and session as a person names them."""
    from clients.python.cli.check import frames_cited, read_text
    from clients.python.publishing.draft import Draft, accepted_of, clean

    source = clean(read_text(path))
    return Draft(source, frames_cited(source, named), session, accepted_of(reasons))


async def _publish(screen: Screen, place: Place, named: Draft, places: Places) -> int:
    from dataclasses import replace

    from clients.python.cli.connection import connected
    from clients.python.cli.naming import whole_id, whole_session_id
    from clients.python.cli.text_checked import exit_code, show_checked, text_object
    from clients.python.publishing.draft import check_draft
    from clients.python.publishing.writing import publish, require_ours

    require_ours(places)
    written = None
    async with connected(place, screen) as client:
        frames = {name: await whole_id(client, job) for name, job in named.frames.items()}
        session = await whole_session_id(client, named.session) if named.session else ""
        draft = replace(named, frames=frames, session=session)
        found = await check_draft(client, draft)
        if not found.failures:
            written = await publish(client, draft, found, places)
    if screen.as_json:
        screen.object(text_object(found) | (written.object() if written else {}))
        return exit_code(found)
    show_checked(screen, found)
    if written is not None:
        _show(screen, written, draft)
    return exit_code(found)


def _show(screen: Screen, written: Published, draft: Draft) -> None:
    """What was written, for people."""
    import shlex

    from clients.python.cli.words import count, short_id, short_path

    places, frames = written.places, written.manifest["frames"]
    for name, reason in draft.accepted.items():
        screen.row("accepted", f"{name}: {reason}", "yellow")
    screen.line("published", short_path(places.page.absolute()))
    for other in filter(None, (places.markdown, places.notebook)):
        screen.line("", short_path(other.absolute()))
    screen.line("link", f"assay page show {short_id(written.manifest['publication_id'])}")
    proof = short_path(places.proof.absolute())
    screen.line("proof", f"{proof} · {count(len(frames), 'bundle')}")
    for one in frames:
        screen.line("", f"assay verify {shlex.quote(f'{proof}/' + one['bundle'])}")


def _places(
    text: str,
    to: Path | None,
    proof: Path | None,
    markdown: Path | None,
    notebook: Path | None,
) -> Places:
    """Where things go. Raises AssayError(INVALID_ARGUMENT) where that is not said, or not safe."""
    from clients.python.publishing.writing import Places
    from mesh.errors import INVALID_ARGUMENT, AssayError

    if text == "-" and to is None:
        raise AssayError(
            INVALID_ARGUMENT,
            "the text of standard input has no name for its page",
            hint="Say where it goes: --to PAGE.html",
        )
    page = (to or Path(text).with_suffix(".html")).expanduser()
    folder = (proof or page.with_suffix(".proof")).expanduser()
    others = [each.expanduser() if each else None for each in (markdown, notebook)]
    read = [] if text == "-" else [Path(text)]
    used = [each.absolute() for each in (*read, page, folder, *filter(None, others))]
    if len(set(used)) < len(used):
        raise AssayError(
            INVALID_ARGUMENT,
            "text, page, proof, Markdown and notebook are to be at different places",
            hint="Name others with --to, --proof, --markdown and --notebook.",
        )
    return Places(page, folder, *others)
