"""`assay token`: keys for programs and people who call a server."""

from __future__ import annotations

from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clients.python.cli.options import AsJson, Home, Server

if TYPE_CHECKING:
    from google.protobuf.timestamp_pb2 import Timestamp

    from assay.gateway.v1.token_service_pb2 import Token
    from clients.python.cli.connection import Place
    from clients.python.cli.screen import Screen

token = typer.Typer(
    name="token",
    rich_markup_mode=None,
    invoke_without_command=True,
)


@token.callback()
def only_with_a_command(context: typer.Context) -> None:
    """Make and revoke the keys that callers of a server are known by."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


Tenant = Annotated[
    str | None,
    typer.Option(
        "--tenant",
        metavar="NAME",
        help="Whose things the keys reach; else your own. Only on the server's machine.",
    ),
]


@token.command("create")
def create(
    user: Annotated[str, typer.Argument(metavar="USER", help="Who will call with it.")],
    role: Annotated[
        str,
        typer.Option(
            "--role", metavar="ROLE", help="reader (default), analyst, or operator: may make keys."
        ),
    ] = "reader",
    label: Annotated[
        str, typer.Option("--label", metavar="TEXT", help="What it is for, to know it by later.")
    ] = "",
    days: Annotated[
        float, typer.Option("--days", metavar="N", help="How long it is good for, at most 366.")
    ] = 90.0,
    tenant: Tenant = None,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
) -> int:
    """Make a key, and show its token this once.

    Callers send it as "authorization: Bearer TOKEN"; the command does with ASSAY_TOKEN, or with
    --token-file FILE before the command's name.

    \b
    Example: assay token create nightly-report --role analyst --days 30
    """
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, tenant)
    return execute(lambda screen: _create(screen, place, user, role, label, days), as_json=as_json)


@token.command("list")
def list_(
    tenant: Tenant = None, as_json: AsJson = False, server: Server = None, home: Home = None
) -> int:
    """List the keys, with those that are revoked or over."""
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, tenant)
    return execute(lambda screen: _list(screen, place), as_json=as_json)


@token.command("revoke")
def revoke(
    key: Annotated[str, typer.Argument(metavar="KEY", help="Its id, as the list tells it.")],
    tenant: Tenant = None,
    as_json: AsJson = False,
    server: Server = None,
    home: Home = None,
) -> int:
    """End a key: five seconds later nobody is let in by it."""
    from clients.python.cli.connection import Place
    from clients.python.cli.running import execute

    place = Place(home, server, tenant)
    return execute(lambda screen: _revoke(screen, place, key), as_json=as_json)


async def _create(
    screen: Screen, place: Place, user: str, role: str, label: str, days: float
) -> int:
    from clients.python.cli.connection import connected
    from clients.python.cli.words import moment
    from mesh.errors import INVALID_ARGUMENT, AssayError, ExitCode
    from mesh.roles import NAMED

    if role not in NAMED:
        raise AssayError(
            INVALID_ARGUMENT,
            f"there is no role {role[:40]!r}",
            hint=f"Choose {', '.join(NAMED)}.",
            fields={"role": "must be reader, analyst or operator"},
        )
    if not 0 < days <= 366:
        raise AssayError(INVALID_ARGUMENT, "--days must be more than 0 and at most 366")
    async with connected(place, screen) as client:
        made = await client.tokens.create(user, role, label, timedelta(days=days))
    if screen.as_json:
        screen.object({**_object(made.token), "token": made.secret})
        return ExitCode.ANSWERED
    screen.row("key", made.token.token_id)
    screen.line("for", _whom(made.token))
    screen.row("until", moment(made.token.expires_at.ToDatetime(UTC)))
    screen.line("token", made.secret)
    screen.row("", "it is shown this once")
    return ExitCode.ANSWERED


async def _list(screen: Screen, place: Place) -> int:
    from rich.table import Table
    from rich.text import Text

    from clients.python.cli.connection import connected
    from clients.python.cli.words import moment
    from mesh.errors import ExitCode

    async with connected(place, screen) as client:
        found = await client.tokens.all()
    if screen.as_json:
        screen.object({"tokens": [_object(key) for key in found]})
        return ExitCode.ANSWERED
    if not found:
        screen.show("no keys yet: make one, assay token create USER")
        return ExitCode.ANSWERED
    grid = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for heading in ("key", "for", "label", "state", "last used"):
        grid.add_column(heading, no_wrap=True, overflow="ellipsis")
    for key in found:
        used = moment(key.last_used_at.ToDatetime(UTC)) if key.HasField("last_used_at") else "never"
        grid.add_row(key.token_id, Text(_whom(key)), Text(key.label), _state(key), used)
    screen.show(grid)
    return ExitCode.ANSWERED


async def _revoke(screen: Screen, place: Place, key: str) -> int:
    from clients.python.cli.connection import connected
    from mesh.errors import ExitCode

    async with connected(place, screen) as client:
        ended = await client.tokens.revoke(key)
    if screen.as_json:
        screen.object(_object(ended))
        return ExitCode.ANSWERED
    screen.row("revoked", ended.token_id)
    return ExitCode.ANSWERED


def _whom(key: Token) -> str:
    from clients.python.tokens import role_word

    return f"{key.user} · {role_word(key.role)} · tenant {key.tenant}"


def _state(key: Token) -> str:
    import time

    from clients.python.cli.words import moment

    if key.HasField("revoked_at"):
        return f"revoked {moment(key.revoked_at.ToDatetime(UTC))}"
    until = moment(key.expires_at.ToDatetime(UTC))
    return f"over since {until}" if key.expires_at.seconds <= time.time() else f"until {until}"


def _object(key: Token) -> dict[str, Any]:
    """A key for machines."""
    from clients.python.tokens import role_word

    def told(moment: Timestamp, there: bool) -> str | None:
        return moment.ToJsonString() if there else None

    return {
        "key": key.token_id,
        "tenant": key.tenant,
        "user": key.user,
        "role": role_word(key.role),
        "label": key.label,
        "created_at": key.created_at.ToJsonString(),
        "expires_at": key.expires_at.ToJsonString(),
        "revoked_at": told(key.revoked_at, key.HasField("revoked_at")),
        "last_used_at": told(key.last_used_at, key.HasField("last_used_at")),
    }
