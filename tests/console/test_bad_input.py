"""Hostile, long and large data in the console, and what ends or goes away while its pages are open.

Processes are started because browsers and servers are what is asked about.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.console import big_data
from tests.console.conftest import ConsoleServer, Walk

HOSTILE = (
    '<script>globalThis.ran=1</script>,"""><img src=x onerror=globalThis.ran=2>",'
    "javascript:ran,\u202eright to left,{{ran}}\n"
)


def test_hostile_names_and_cells_are_shown_and_run_nothing(walk: Walk, tmp_path: Path) -> None:
    path = tmp_path / "<b onmouseover=alert(1)>.csv"
    rows = [
        f"<i>{n}</i>,</td><script>globalThis.ran=3</script>,\x1b[31m,{n},{'y' * 4000}\n"
        for n in range(30)
    ]
    path.write_text(HOSTILE + "".join(rows))
    walk("hostile", file=str(path), question="number of rows by right to left")


def test_what_goes_away_while_a_page_is_open(
    walk: Walk, server: ConsoleServer, sales: Path
) -> None:
    told = server.command(
        "token", "create", "eve", "--role", "analyst", "--tenant", "elsewhere", "--json"
    )
    made = json.loads(told)
    walk(
        "going_away",
        file=str(sales),
        token=made["token"],
        doing={
            "restart": server.restart,
            "revoke": lambda: server.command(
                "token", "revoke", made["key"], "--tenant", "elsewhere"
            ),
        },
    )


def test_what_ends_while_a_page_is_open(walk: Walk, server: ConsoleServer, sales: Path) -> None:
    made = [
        json.loads(
            server.command(
                *("token", "create", "mia", "--role", "analyst", "--tenant", "mias", "--json")
            )
        )
        for _ in range(2)
    ]
    revoke = ("token", "revoke", made[0]["key"], "--tenant", "mias")
    walk(
        "ends",
        file=str(sales),
        tokens=[one["token"] for one in made],
        doing={
            "end sign-ins": lambda: server.let_time_pass("sign_ins"),
            "end workspaces": lambda: server.let_time_pass("sessions"),
            "revoke": lambda: server.command(*revoke),
        },
    )


def test_much_data_is_looked_at_asked_and_scrolled(walk: Walk, tmp_path: Path) -> None:
    walk(
        "scale",
        rows=str(big_data.million_rows(tmp_path)),
        columns=str(big_data.many_columns(tmp_path)),
        categories=str(big_data.many_categories(tmp_path)),
    )


def test_texts_of_a_hundred_thousand_characters_are_shown_and_run_nothing(
    walk: Walk, tmp_path: Path
) -> None:
    walk("long", file=str(big_data.long_cells(tmp_path)))
