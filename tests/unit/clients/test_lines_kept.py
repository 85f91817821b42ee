"""What is typed into a conversation is there the next time, for its owner alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.python.cli.lines import keep, recall

readline = pytest.importorskip("readline")


def test_lines_are_recalled_and_nobody_else_reads_them(tmp_path: Path) -> None:
    history = tmp_path / "chat_history"
    readline.clear_history()
    readline.add_history("revenue by month")
    keep(history)
    assert history.stat().st_mode & 0o777 == 0o600
    readline.clear_history()

    recall(history)

    assert readline.get_history_item(1) == "revenue by month"
    readline.clear_history()


def test_a_history_that_cannot_be_kept_stops_nobody(tmp_path: Path) -> None:
    recall(tmp_path / "nowhere" / "chat_history")
    keep(tmp_path / "nowhere" / "chat_history")
    keep(None)
