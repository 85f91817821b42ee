"""No command repeats what a terminal would obey, wherever it came from: cells, names, questions.

The conversation is a process of its own, as it reads lines; all else runs in the test's.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mesh.text.harmless import is_harmless
from tests.e2e.conftest import Assay
from tests.serving import Ran

EVIL = "\x1b]52;c;aGk=\x07\x1b]0;t\x07\x9b8m\u202e"
ROWS = f"region{EVIL},revenue{EVIL}\nNorth{EVIL},10\nSouth{EVIL},20\nNorth{EVIL},7\n"


def checked(ran: Ran, *, as_json: bool = False) -> Any:
    """What a command said, which must be harmless; of JSON its value."""
    assert is_harmless(ran.out) and is_harmless(ran.err), ran
    assert "Traceback" not in ran.err, ran.err
    return json.loads(ran.out) if as_json else ran.out + ran.err


def test_no_command_repeats_what_a_terminal_obeys(
    assay: Assay, assay_here: Assay, tmp_path: Path
) -> None:
    data = tmp_path / f"sales{EVIL}.csv"
    data.write_text(ROWS, encoding="utf-8")
    about = ("--data", data)

    checked(assay_here("look", *about))
    checked(assay_here("look", *about, "--json"), as_json=True)
    checked(assay_here("look", *about, "--propose", "-"))
    asked = checked(
        assay_here("ask", f"total revenue by region {EVIL}", *about, "--json"), as_json=True
    )
    job = asked["job"]
    assert asked["question"].endswith(EVIL)  # the same text, in other letters
    checked(assay_here("ask", f"total revenue by region {EVIL}", *about))
    checked(assay_here("ask", f"{EVIL} of {EVIL}", *about, "--plan"))
    checked(assay_here("sql", f'SELECT * FROM "sales{EVIL}" -- {EVIL}', *about))
    checked(assay_here("sql", f"SELECT '{EVIL}' AS \"{EVIL}\"", *about))
    for command in (("show",), ("show", "--entries"), ("trace",), ("verify",), ("about",)):
        checked(assay_here(command[0], job, *command[1:]))
    for command in (("jobs",), ("recipes",), ("tools",), ("status",), ("domain", "list")):
        checked(assay_here(*command))
    checked(assay_here("jobs", "--json"), as_json=True)
    checked(assay_here("investigate", f"why did revenue fall {EVIL}", *about))
    checked(assay_here("source", "add", f"n{EVIL}", *about))
    checked(assay_here("source", "add", "known", *about))
    checked(assay_here("source", "list"))
    checked(assay_here("ask", "total revenue", "--on", EVIL))
    checked(assay_here("export", job, "--to", tmp_path / f"out{EVIL}"))
    checked(assay_here("verify", tmp_path / f"missing{EVIL}"))
    checked(assay_here("show", EVIL))

    made = checked(assay_here("session", "new", data, "--title", EVIL, "--describe", EVIL))
    session = made.split()[1]
    for arguments in (("list",), ("show", session), ("show", session, "--json")):
        checked(assay_here("session", *arguments))
    checked(assay_here("session", "show", EVIL))

    said = f"total revenue by region {EVIL}\n{EVIL}\n/why\n/sql\n/export {tmp_path}/{EVIL}/x\n"
    checked(assay("chat", *about, lines=said))
    for line in checked(assay("chat", *about, "--json", lines=said)).splitlines():
        assert json.loads(line), "an object a line"
    checked(assay_here("chat", "--list"))
