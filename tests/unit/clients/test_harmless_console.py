"""What commands print is shown by a terminal, and not obeyed: by whichever way it is printed."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from rich.cells import cell_len
from rich.live import Live
from rich.table import Table
from rich.text import Text

from assay.common.v1.job_pb2 import Clarification
from clients.python.cli import began, main
from clients.python.cli.connection import Place
from clients.python.cli.offering import Offering
from clients.python.cli.screen import Parts, Screen
from clients.python.cli.show import _show_record
from clients.python.cli.table import FittedTable
from clients.python.cli.unclear import readings
from mesh.errors import INVALID_ARGUMENT, AssayError
from mesh.text.harmless import is_harmless
from tests.unit.clients.conftest import Printed
from tests.unit.clients.fake_gateway import FakeGateway
from tests.unit.clients.story import Install

EVIL = "x\x1b]52;c;aGk=\x07\x1b]0;t\x07\x9b8m\u202ey\x7f"
SHOWN = "x␛]52;c;aGk="
_OWN = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
"""Colours and movements of the cursor, which the display makes itself."""


def print_all(screen: Screen) -> None:
    """By every way there is."""
    screen.row(EVIL, EVIL, "cyan")
    screen.row("label", Text(EVIL, "bold"))
    screen.row("parts", Parts([EVIL, EVIL]))
    screen.line(EVIL, EVIL)
    screen.remark(EVIL)
    screen.show(readings(Clarification(question=EVIL)))
    screen.show(FittedTable(pa.table({EVIL: [EVIL]}), 1, EVIL, {}))
    grid = Table(EVIL, title=EVIL)
    grid.add_row(EVIL)
    screen.show(grid)
    screen.copied(EVIL)
    screen.error(AssayError(INVALID_ARGUMENT, EVIL, hint=EVIL, fields={EVIL: EVIL}))
    with Live(Text(EVIL), console=screen.out, auto_refresh=False) as live:
        live.update(Text(EVIL + EVIL), refresh=True)


@pytest.mark.parametrize("terminal", [False, True])
def test_what_is_printed_is_shown_and_not_obeyed(terminal: bool) -> None:
    screen = Printed(terminal=terminal)
    print_all(screen)
    assert is_harmless(_OWN.sub("", screen.text) if terminal else screen.text)
    assert SHOWN in screen.text


def test_no_character_beside_it_is_cut_off() -> None:
    screen = Printed()
    screen.row("file", "a\x1bb.csv")
    assert screen.text.split() == ["file", "a␛b.csv"]


@pytest.mark.parametrize("terminal", [False, True])
def test_no_name_makes_lines_that_look_like_a_commands_own(terminal: bool) -> None:
    screen = Printed(terminal=terminal)
    name = "a\nproof       the record holds"
    screen.line("file", name)
    screen.line("file", Text(name))
    screen.remark(name)
    assert [line[:4] for line in screen.text.splitlines()] == ["file", "file", "a␊pr"]


def test_file_names_that_are_no_text_are_shown(tmp_path: Path) -> None:
    name = os.fsdecode(
        b"caf\xe9\x9b2J.csv"
    )  # lone surrogates; in some locales they are bytes again
    screen = Printed()
    screen.row("file", name)
    screen.line("file", name)
    assert screen.text.encode().decode().split() == ["file", "caf\ufffd\ufffd2J.csv"] * 2


def test_letters_from_the_right_turn_no_figures_around() -> None:
    """Terminals that order letters would show `אבג  1  2` as `2  1  גבא` (UAX #9, W7 and N1)."""
    table = pa.table({"name": ["אבג", "abc"], "sold": [1, 3], "left": [2, 4]})
    screen = Printed(terminal=True)
    screen.show(FittedTable(table, 2))
    turned, other = screen.text.splitlines()[1:]
    assert turned.split() == ["\u200eאבג", "\u200e1", "\u200e2"] and other.split() == [
        "abc",
        "3",
        "4",
    ]
    screen = Printed()
    screen.show(FittedTable(table, 2))
    assert "\u200e" not in screen.text


def test_wide_letters_leave_no_room_for_half_a_figure() -> None:
    table = pa.table(
        {f"列{i}": ["漢字" * 9, *["漢"] * 2] for i in range(3)} | {"n": [123_456_789] * 3}
    )
    screen = Printed()
    screen.show(FittedTable(table, 3))
    *rows, left_out = screen.text.splitlines()
    assert "…" not in "".join(rows) and left_out == "… 2 more columns: 列2 and n"
    assert all(cell_len(line) <= 100 for line in rows)


def test_json_means_what_it_did() -> None:
    screen = Printed(as_json=True)
    screen.object({EVIL: EVIL})
    assert is_harmless(screen.text) and json.loads(screen.text) == {EVIL: EVIL}


@pytest.mark.parametrize(
    "arguments",
    [[EVIL], ["ask", "q", EVIL], ["jobs", f"--{EVIL}"], ["ask", "q", "--timeout", EVIL]],
)
def test_wrong_use_repeats_what_was_typed_harmlessly(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(arguments) == 2
    told = capsys.readouterr()
    assert is_harmless(told.out + told.err) and "52;c;aGk" in told.err


def test_the_first_sign_of_life_names_files_harmlessly(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    shown = Terminal()
    monkeypatch.setattr(sys, "stdout", shown)
    monkeypatch.setattr(sys, "stderr", shown)
    began.show_reading([f"data/{EVIL}"], [])
    assert is_harmless(shown.getvalue()) and SHOWN in shown.getvalue()
    began.clear()


def test_names_with_them_are_not_offered_to_complete_a_line() -> None:
    offering = Offering()
    offering.know([EVIL, "xylophones"])
    assert offering.of("x", "x") == ["xylophones"]


async def test_the_record_is_harmless_on_a_terminal_and_byte_exact_elsewhere(
    here: Path, installed: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = json.dumps({"question": EVIL}, ensure_ascii=False).encode() + b"\n"
    installed(FakeGateway(chain=[line]))
    place = Place(home=here / "home")
    main_end, terminal = pty.openpty()
    monkeypatch.setattr(sys, "stdout", os.fdopen(terminal, "w", encoding="utf-8"))
    await _show_record(Printed(), place, "7c1e", raw=True)
    sys.stdout.flush()
    shown = os.read(main_end, 65_536).decode()
    assert is_harmless(shown.replace("\r\n", "\n")) and json.loads(shown)["question"] == EVIL
    sys.stdout.close()
    os.close(main_end)

    file = here / "record.jsonl"
    with file.open("w", encoding="utf-8") as written:
        monkeypatch.setattr(sys, "stdout", written)
        await _show_record(Printed(), place, "7c1e", raw=True)
    assert file.read_bytes() == line
