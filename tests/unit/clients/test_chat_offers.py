"""What chat offers besides answers: completion, files that are dropped, charts in the terminal."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest

from assay.common.v1.look_pb2 import ColumnLook, Look, TableLook
from clients.python.cli.dropped import dropped_files
from clients.python.cli.offering import Offering
from clients.python.cli.pictures import drawn, way


def test_the_tab_key_offers_names_of_the_data_and_commands() -> None:
    offering = Offering()
    columns = [ColumnLook(name="region"), ColumnLook(name="unit price")]
    offering.know_data(Look(tables=[TableLook(name="Orders", columns=columns)]))
    offering.know(["shop"])
    assert offering.of("or", "revenue by or") == ["Orders"]
    assert offering.of("UNI", "UNI") == ["unit price"]
    assert offering.of("/", "/") == ["/export ", "/help", "/quit", "/redo", "/sql", "/undo", "/why"]
    assert offering.of("/s", "/s") == ["/sql"]
    assert offering.of("", "revenue by ") == []


@pytest.mark.parametrize("written", ["{}", "'{}'", "{} {}"])
def test_a_line_of_paths_alone_is_files_that_were_dropped(tmp_path: Path, written: str) -> None:
    path = tmp_path / ("a b.csv" if "'" in written else "a.csv")
    path.write_text("a\n1\n")
    line = written.replace("{}", str(path))
    assert set(dropped_files(line)) == {str(path)}


@pytest.mark.parametrize("said", ["revenue", "what's new?", "", "a.csv and b.csv", "/tmp"])
def test_words_are_no_files(said: str) -> None:
    assert dropped_files(said) == ()


def test_a_terminal_that_says_nothing_of_pictures_gets_none() -> None:
    assert way({"TERM": "xterm-256color"}) == ""
    assert way({"TERM_PROGRAM": "iTerm.app", "TMUX": "/tmp/tmux"}) == ""
    assert way({"TERM_PROGRAM": "iTerm.app"}) == "iterm"
    assert way({"TERM": "xterm-kitty"}) == "kitty"


@pytest.mark.parametrize("by", ["iterm", "kitty"])
def test_a_picture_is_sent_whole(tmp_path: Path, by: str) -> None:
    path = tmp_path / "chart.png"
    path.write_bytes(bytes(range(256)) * 40)
    sent = drawn(path, by)
    if by == "iterm":
        content = sent[sent.index(":") + 1 : sent.index("\x07")]
    else:
        pieces = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", sent)
        assert [told[-3:] for told, _ in pieces[:-1]] == ["m=1"] * (len(pieces) - 1)
        assert pieces[-1][0].endswith("m=0")
        content = "".join(piece for _, piece in pieces)
    assert base64.standard_b64decode(content) == path.read_bytes()
