"""`assay chat`: lines that another command sends are a conversation."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.busy import allowing
from tests.commands import command as prepared

pytestmark = pytest.mark.timeout(300)

SALES = """sale,region,shop,product,net_price,gross_price,sold_on
1,North,Kiel,tea,10,11,2023-01-05
2,North,Kiel,milk,20,22,2023-02-05
3,South,Rome,tea,30,33,2023-02-07
4,North,Oslo,tea,40,44,2024-01-09
5,South,Rome,milk,50,55,2024-02-01
6,South,Rome,tea,60,66,2024-02-11
"""


def chatted(home: Path, lines: str, *arguments: object, as_json: bool = True) -> tuple[int, str]:
    """The exit code and what was printed."""
    command = [*prepared(), "chat", "--timeout", "150", *map(str, arguments)]
    done = subprocess.run(
        [*command, "--json"] if as_json else command,
        input=lines,
        capture_output=True,
        text=True,
        timeout=allowing(200),
        check=False,
        env={**os.environ, "ASSAY_HOME": str(home), "COLUMNS": "110"},
    )
    assert "Traceback" not in done.stdout + done.stderr
    return done.returncode, done.stdout if as_json else done.stdout + done.stderr


def turns_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    file = tmp_path / "sales.csv"
    file.write_text(SALES)
    return file


def test_five_turns_sent_by_another_command(home: Path, sales: Path) -> None:
    code, text = chatted(
        home,
        "total net price by region\nonly 2024\nand by product?\ntop 1 only\nno, gross price\n",
        "--data",
        sales,
    )
    turns = turns_of(text)
    assert code == 0 and len({turn["conversation"] for turn in turns}) == 1
    assert [turn["turn"] for turn in turns] == ["fresh", *["follow_up"] * 4]
    assert "210" in turns[0]["answer"]
    assert turns[1]["edit"] == "as before, but 2024" and "150" in turns[1]["answer"]
    assert turns[2]["edit"] == "as before, but by product instead of by region"
    assert "100" in turns[2]["answer"] and "50" in turns[2]["answer"]
    assert "tea" in turns[3]["answer"] and "milk" not in turns[3]["answer"]
    assert "gross price" in turns[4]["edit"] and "110" in turns[4]["answer"]
    assert all(turn["milliseconds"] < 60_000 for turn in turns)


def test_a_conversation_is_gone_on_with_another_day(home: Path, sales: Path) -> None:
    _, text = chatted(home, "total net price by region\n", "--data", sales)
    conversation = turns_of(text)[0]["conversation"]
    code, text = chatted(home, "only 2024\n", "--continue", conversation[:8])
    (turn,) = turns_of(text)
    assert (code, turn["conversation"]) == (0, conversation) and "150" in turn["answer"], text
    code, text = chatted(home, "", "--list")
    listed = next(
        each for each in json.loads(text)["conversations"] if each["conversation"] == conversation
    )
    assert (listed["title"], listed["messages"]) == ("total net price by region", 4)
    code, text = chatted(home, "x\n", "--continue", "zzzz")
    assert code == 2 and "NOT_FOUND" in text


def test_people_see_the_edit_and_what_can_be_said_next(home: Path, sales: Path) -> None:
    code, text = chatted(
        home,
        "total net price by region\nonly 2024\n/sql\n/help\n/quit\nlost\n",
        "--data",
        sales,
        as_json=False,
    )
    assert code == 0
    assert "edit        as before, but 2024" in text and "next  " in text
    assert "SELECT" in text and "chart.png" in text and "--continue" in text
    assert "lost" not in text


def test_a_conversation_is_written_down_and_another_begun_about_a_file(
    home: Path, tmp_path: Path, sales: Path
) -> None:
    page = tmp_path / "kept" / "talk.md"
    other = tmp_path / "in stock.csv"
    other.write_text("product,units\ntea,3\nmilk,5\n")
    code, text = chatted(
        home,
        f"/export {page}\ntotal net price by region\n/export {page}\n'{other}'\ntotal units\n",
        "--data",
        sales,
        as_json=False,
    )
    assert code == 0, text
    assert "nothing was said yet" in text and "about       in stock.csv" in text
    written = page.read_text()
    assert "## total net price by region" in written and "| South | 140 |" in written
    assert "total units" not in written and "assay verify" in written
    for linked in re.findall(r"\]\(([^)]+)\)", written):
        assert (page.parent / linked).is_file()
    assert "8" in text.partition("total units")[2]


def test_what_was_said_last_is_taken_back_and_brought_back(home: Path, sales: Path) -> None:
    lines = (
        "/undo\ntotal net price by region\nonly 2024\n/undo\nby month as well\n/undo\n/redo\n/sql\n"
    )
    code, text = chatted(home, lines, "--data", sales, as_json=False)
    assert code == 0, text
    assert "taken back  there is nothing" in text
    assert "taken back  only 2024" in text and "restored    by month as well" in text
    assert "as before, but by month" in text.partition("taken back  only 2024")[2]
    assert "2024" not in text.partition("taken back  only 2024")[2].partition("answer")[0]


def test_a_turn_without_a_query_says_so(home: Path, sales: Path) -> None:
    code, text = chatted(
        home,
        "/sql\nwhy did net price fall in February 2024?\n/sql\n",
        "--data",
        sales,
        as_json=False,
    )
    assert "nothing was asked yet" in text, (code, text)
    assert "ran no query of its own" in text or "SELECT" in text.partition("said")[2], text


def test_the_files_of_a_session_are_talked_about(home: Path, sales: Path) -> None:
    opened = subprocess.run(
        [*prepared(), "session", "new", str(sales), "--json"],
        capture_output=True,
        timeout=allowing(60),
        check=True,
        env={**os.environ, "ASSAY_HOME": str(home)},
    )
    session = json.loads(opened.stdout)
    assert session["file_count"] == 1 and session["status"] == "has_files"

    start = session["session_id"][:8]
    code, text = chatted(home, "number of sales by region\nonly 2024\n", "--session", start)

    first, second = turns_of(text)
    assert code == 0 and "2024" in second["edit"], text
    assert first["answer"].endswith("throughout: 3.") and "3 sales in 2024" in second["answer"]
    code, text = chatted(home, "number of sales\n", "--session", "0" * 8, as_json=False)
    assert code == 2 and "NOT_FOUND" in text


def test_what_cannot_be_followed_is_refused_by_name(home: Path, sales: Path) -> None:
    code, text = chatted(
        home,
        "and by region?\ntotal net price by region\nonly purple\n",
        "--data",
        sales,
    )
    turns = turns_of(text)
    assert code == 1
    assert [turn["failure"] for turn in turns] == ["NOTHING_TO_FOLLOW", None, "NOTHING_UNDERSTOOD"]
    assert "“purple”" in turns[2]["answer"]


def test_what_changed_nothing_shows_no_edit(home: Path, sales: Path) -> None:
    lines = "total net price by region\ntop 1\nsum it all up\n"
    code, text = chatted(home, lines, "--data", sales, as_json=False)
    assert code == 1 and "cannot be done" in text
    assert text.count("edit  ") == 1, text


def test_a_now_that_leads_on_brings_no_earlier_year_back(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("year,area,weight\n2006,North,1\n2006,South,2\n2007,North,30\n2007,South,40\n")
    code, text = chatted(
        home,
        "total weight by area in 2007\nsame for 2006\nnow for North\n",
        "--data",
        file,
    )
    turns = turns_of(text)
    assert code == 0 and "2006" in turns[2]["understood"] and "2007" not in turns[2]["edit"]
