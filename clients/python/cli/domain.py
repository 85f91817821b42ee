"""`assay domain`: named bodies of data that `assay chat` puts questions to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from clients.python.cli.options import AsJson, Home, Server, User

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path
    from typing import Any

    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen

domain = typer.Typer(
    name="domain",
    rich_markup_mode=None,
    invoke_without_command=True,
)


@domain.callback()
def only_with_a_command(context: typer.Context) -> None:
    """Name bodies of data and tools that `assay chat` puts questions to."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


Name = Annotated[str, typer.Argument(metavar="NAME", help="snake_case, such as customer_orders.")]


@domain.command("add")
def add(
    name: Name,
    source: Annotated[
        str, typer.Option("--source", metavar="NAME", help="Made of a source of `assay source`.")
    ] = "",
    session: Annotated[
        str, typer.Option("--session", metavar="ID", help="Made of the files of a session.")
    ] = "",
    mcp: Annotated[
        str,
        typer.Option(
            "--mcp",
            metavar="SERVER",
            help="Made of tools of an MCP server: the operator's name of it, or a URL.",
        ),
    ] = "",
    tool: Annotated[
        list[str] | None,
        typer.Option("--tool", metavar="NAME", help="A tool of the MCP server; repeatable."),
    ] = None,
    title: Annotated[
        str, typer.Option("--title", metavar="TEXT", help="What people call it; else its name.")
    ] = "",
    about: Annotated[
        str, typer.Option("--about", metavar="TEXT", help="What data it has, in a sentence.")
    ] = "",
    can: Annotated[
        list[str] | None,
        typer.Option(
            "--can",
            metavar="TEXT",
            help="What it can answer, as people would ask it; repeatable. Questions are put to it "
            "by these words.",
        ),
    ] = None,
    related: Annotated[
        list[str] | None,
        typer.Option("--related", metavar="NAME", help="Another domain; repeatable."),
    ] = None,
    disabled: Annotated[
        bool, typer.Option("--disabled", help="Keep it, and put no questions to it yet.")
    ] = False,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Register a domain. The tools of an MCP server are called once they are approved.

    \b
    Example: assay domain add trade --source shop --about "orders and products" \\
                 --can "revenue by month" --can "orders per customer"
             assay domain add warehouse --mcp warehouse --tool stock_levels \\
                 --can "units of a product on the shelves"
    """
    from clients.python.cli.domain_commands import add_domain, wanted_domain

    places = {"source_name": source, "session_id": session, "mcp_server": mcp}

    def flow(screen: Screen, place: Place) -> Coroutine[Any, Any, int]:
        wanted = wanted_domain(
            name,
            places,
            title=title,
            about=about,
            can=can or (),
            tools=tool or (),
            related=related or (),
            enabled=not disabled,
        )
        return add_domain(screen, place, wanted)

    return _do(flow, as_json, server, home, user)


@domain.command("list")
def list_(
    as_json: AsJson = False, server: Server = None, home: Home = None, user: User = None
) -> int:
    """List the domains, the operator's too."""
    from clients.python.cli.domain_commands import list_domains

    return _do(list_domains, as_json, server, home, user)


@domain.command("show")
def show(
    name: Name, as_json: AsJson = False, server: Server = None, home: Home = None, user: User = None
) -> int:
    """Show what a domain says of itself and what it is made of."""
    from clients.python.cli.domain_commands import show_domain

    return _do(lambda s, p: show_domain(s, p, name), as_json, server, home, user)


@domain.command("enable")
def enable(
    name: Name, as_json: AsJson = False, server: Server = None, home: Home = None, user: User = None
) -> int:
    """Have questions put to a domain."""
    from clients.python.cli.domain_commands import enable_domain

    return _do(lambda s, p: enable_domain(s, p, name, True), as_json, server, home, user)


@domain.command("disable")
def disable(
    name: Name, as_json: AsJson = False, server: Server = None, home: Home = None, user: User = None
) -> int:
    """Have no questions put to a domain, and keep it."""
    from clients.python.cli.domain_commands import enable_domain

    return _do(lambda s, p: enable_domain(s, p, name, False), as_json, server, home, user)


@domain.command("approve")
def approve(
    name: Name,
    tools: Annotated[
        list[str] | None, typer.Argument(metavar="[TOOL]...", help="Which; else all of it.")
    ] = None,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Let tools of a domain be called as they are described now; `check` shows that first.

    A tool that is described otherwise later is not called until it is approved again.
    """
    from clients.python.cli.domain_commands import approve_tools

    return _do(lambda s, p: approve_tools(s, p, name, tools or ()), as_json, server, home, user)


@domain.command("remove")
def remove(
    name: Name, as_json: AsJson = False, server: Server = None, home: Home = None, user: User = None
) -> int:
    """Forget a domain. Its data, and what was asked of it, stay."""
    from clients.python.cli.domain_commands import remove_domain

    return _do(lambda s, p: remove_domain(s, p, name), as_json, server, home, user)


@domain.command("check")
def check(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A domain; else all of them.")
    ] = None,
    question: Annotated[
        str,
        typer.Option(
            "--question", metavar="TEXT", help="Show which domains it would be put to, and why."
        ),
    ] = "",
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
    user: User = None,
) -> int:
    """Look whether domains can be asked now: their data, and their tools as servers describe them.

    The exit code is 0 where all can.
    """
    from clients.python.cli.domains_checked import check_domains, check_question

    if question:
        return _do(lambda s, p: check_question(s, p, question), as_json, server, home, user)
    return _do(lambda s, p: check_domains(s, p, name or ""), as_json, server, home, user)


def _do(
    flow: Callable[[Screen, Place], Coroutine[Any, Any, int]],
    as_json: bool,
    server: str | None,
    home: Path | None,
    user: str | None,
) -> int:
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, user)
    return execute(lambda screen: flow(screen, place), as_json=as_json)
