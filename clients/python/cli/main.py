"""The `assay` command. Each subcommand has a file of its own, and imports what it needs late.

Exit codes are those of `mesh.errors.ExitCode`.
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer

# Every command, by its name, with the module that has it: only the one that is called is imported.
COMMANDS = {
    "ask": "ask",
    "chat": "chat",
    "investigate": "investigate",
    "causal": "causal",
    "query": "query",
    "sql": "query",
    "test": "test",
    "chart": "chart",
    "lint": "lint",
    "check": "check",
    "publish": "publish",
    "page": "page",
    "board": "board",
    "define": "define",
    "look": "look",
    "answer": "answer",
    "about": "about",
    "show": "show",
    "jobs": "jobs",
    "trace": "trace",
    "verify": "verify",
    "export": "export",
    "notebook": "notebook",
    "witness": "witness",
    "recipes": "recipes",
    "tools": "tools",
    "mcp": "mcp",
    "skill": "skill",
    "up": "up",
    "console": "console",
    "status": "status",
    "down": "status",
    "backup": "backup",
    "restore": "backup",
    "session": "session",
    "source": "source",
    "domain": "domain",
    "token": "token",
}

_FORMER_NAMES = {"sql": "query"}
"""Names that commands had; they go on working."""

HELP = """Ask a question of your data; get the answer, its table, its chart, and its proof.

State lives in one home folder: --home, else ASSAY_HOME, else the platform's place for data.
"""

EXIT_CODES = """\b
Exit codes:
    0  answered; also when the answer is that no row matches
    1  could not answer: unclear, unreadable data, a limit, a failed step; a text that fails
    2  wrong use: an option, a path, an id
    3  refused by policy
    4  unavailable: a service, or a home folder in use
    5  verification failed
    6  doubts in a statement, and no error (assay lint)
  130  cancelled
"""


_OBJECTS_BETWEEN_COLLECTIONS = 50_000


def _show_version(context: typer.Context, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"assay {version('assay')}")
        if context.params.get("verbose"):
            from clients.python.cli.reliability import lines

            typer.echo("\n".join(lines()))
        raise typer.Exit


def assay(
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose",
            is_eager=True,
            help="With --version: how often answers are right that are told as so sure.",
        ),
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, help="Show it.")
    ] = False,
    token_file: Annotated[
        str | None,
        typer.Option(
            "--token-file",
            metavar="FILE",
            help="A file with the token that --server is told; else ASSAY_TOKEN_FILE, ASSAY_TOKEN.",
        ),
    ] = None,
) -> None:
    """Hold the options that belong to no command."""
    if token_file is not None:
        os.environ["ASSAY_TOKEN_FILE"] = token_file


def command_line(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """The command with these subcommands, by default all; each name is one of COMMANDS."""
    app = typer.Typer(
        name="assay",
        epilog=EXIT_CODES,
        add_completion=True,
        rich_markup_mode=None,  # plain help needs no rich, and so answers at once
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
    )
    app.callback(help=HELP)(assay)
    for name in names:
        module = import_module(f"clients.python.cli.{COMMANDS[name]}")
        found = getattr(module, _FORMER_NAMES.get(name, name))
        if isinstance(found, typer.Typer):
            app.add_typer(found)
        else:
            app.command(name, hidden=name in _FORMER_NAMES)(found)
    return app


def run(arguments: list[str] | None = None) -> int:
    """Run the command line `arguments`; the exit code.

    By default they are the process's own, which then ends with the command.
    """
    if arguments is None:
        # Imports make objects by the hundred thousand that all stay: looking through them is vain.
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
        _leave(_run(sys.argv[1:]))
    return _run(arguments)


def _leave(code: int) -> NoReturn:
    """End the process at once: everything is closed, and taking modules down one by one is vain."""
    with contextlib.suppress(OSError):  # told when it was written
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


def _run(arguments: list[str]) -> int:
    given = arguments or ["--help"]
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # connections that end are no news here
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")  # there are none, and it looks for long
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None:  # a terminal without these letters shows others
            reconfigure(errors="replace")
    try:
        # Whatever else stands first is for the whole: options, and words that are no command.
        app = command_line(given[:1] if given[0] in COMMANDS else COMMANDS)
        return int(app(args=given, prog_name="assay", standalone_mode=False) or 0)
    except typer.TyperException as error:
        return _wrong_use(error, given)


def _wrong_use(error: typer.TyperException, given: list[str]) -> int:
    from clients.python.cli.screen import Screen
    from mesh.errors import INVALID_ARGUMENT, AssayError

    message = error.format_message()
    hint = "`assay --help` lists commands, `assay COMMAND --help` their options."
    if given[0] == "ask" and "extra argument" in message:
        hint = "A question is one argument, in quotes. Files follow --data, databases --db."
    return Screen(as_json="--json" in given).error(AssayError(INVALID_ARGUMENT, message, hint=hint))


if __name__ == "__main__":
    sys.exit(run())
