"""The reference of the command line, made of the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from clients.python.cli.main import command_line
from scripts.site.markdown import code, plain, table

INTRODUCTION = """\
# Command line

Every command with its options, as `assay COMMAND --help` shows them. Those that most commands have
are told once, [below](#options-of-most-commands)."""

COMMON = ("--json", "--server", "--home", "--user")
ALWAYS = "--help"


def page() -> str:
    """The whole page as Markdown."""
    root: Any = typer.main.get_command(command_line())
    parts = [INTRODUCTION, *_exit_codes(root.epilog)]
    shared: dict[str, tuple[str, str]] = {}
    for name, command in _commands(root, "assay"):
        parts += _describe(name, command, shared)
    parts += ["## Options of most commands", _options(shared.values())]
    return "\n\n".join(parts) + "\n"


def _commands(group: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Each command under its whole name, a group before those in it."""
    yield prefix, group
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{prefix} {name}")
        else:
            yield f"{prefix} {name}", command


def _describe(name: str, command: Any, shared: dict[str, tuple[str, str]]) -> list[str]:
    """A command's part of the page; options that most have are noted in `shared` instead."""
    context = command.context_class(command, info_name=name)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    level = "#" * min(len(name.split()) + 1, 3) if name != "assay" else "##"
    parts = [f"{level} {name}", f"```text\n{usage}\n```", *_paragraphs(command.help)]
    arguments, options = [], []
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        first = record[0].split()[0] if record else ""
        if not record or first.startswith(ALWAYS):
            continue
        if first.rstrip(",") in COMMON and name != "assay":
            shared.setdefault(first, record)
        elif parameter.param_type_name == "argument":
            arguments.append((str(parameter.metavar or parameter.name).upper(), record[1]))
        else:
            options.append(record)
    if arguments:
        rows = ((code(names), plain(meaning)) for names, meaning in arguments)
        parts.append(table(("argument", "meaning"), rows))
    if options:
        parts.append(_options(options))
    return parts


def _options(records: Any) -> str:
    return table(("option", "meaning"), ((code(names), plain(text)) for names, text in records))


def _paragraphs(help_text: str | None) -> Iterator[str]:
    """A help text; what a backspace keeps from being wrapped is shown as it is."""
    for paragraph in (help_text or "").split("\n\n"):
        if paragraph.startswith("\b\n"):
            yield f"```text\n{paragraph[2:].rstrip()}\n```"
        elif paragraph.strip():
            yield plain(paragraph.strip())


def _exit_codes(epilog: str) -> Iterator[str]:
    yield "## Exit codes"
    rows = [line.split(None, 1) for line in epilog.splitlines()[2:] if line.strip()]
    yield table(("exit code", "means"), ((code(number), plain(text)) for number, text in rows))
    yield "Each reason that is told with them is in [Errors](../errors.md)."
