"""`assay board` for people and scripts: an answer is pinned, asked again, taken off, restored."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.conftest import Assay


def test_an_answer_is_kept_on_a_board_asked_again_and_had_back(
    assay_here: Assay, tmp_path: Path
) -> None:
    data = tmp_path / "sales.csv"
    data.write_text("region,quantity\nNorth,3\nSouth,4\n", encoding="utf-8")
    asked = assay_here("sql", "select sum(quantity) as n from sales", "--data", data, "--json")
    assert asked.code == 0, asked.out
    job = str(asked.json["job"])

    assert assay_here("board", "list").out.startswith("no boards yet")
    board = str(assay_here("board", "create", "Stock", "--json").json["board_id"])
    pinned = assay_here(
        "board", "pin", board[:8], job[:8], "--title", "Sold", "--high", "8", "--json"
    )
    assert pinned.code == 0, pinned.out + pinned.err
    pin = str(pinned.json["pin_id"])
    assert pinned.json["answer"]["number"] == "7"

    data.write_text("region,quantity\nNorth,30\nSouth,4\n", encoding="utf-8")
    again = assay_here("board", "refresh", board, "--wait", "--json")
    assert again.code == 0, again.out
    (shown,) = again.json["pins"]
    assert (shown["answer"]["number"], shown["alerting"]) == ("34", ["out of range"])
    said = assay_here("board", "show", board[:8], "--changes").out
    assert "out of range" in said and "pinned: Sold" in said and "1 answer to look at" in said

    data.unlink()
    failed = assay_here("board", "refresh", board, "--wait")
    assert failed.code == 1 and "sales.csv" in failed.out

    assert assay_here("board", "take", board, pin[:8]).code == 0
    assert assay_here("board", "unpin", board, "ffff").code == 2
    assert assay_here("board", "unpin", board, pin[:8]).code == 0
    assert assay_here("board", "show", board, "--json").json["pins"] == []
    then = assay_here("board", "show", board, "--version", "2", "--json").json
    assert [one["title"] for one in then["pins"]] == ["Sold"]
    back = assay_here("board", "restore", board, "2", "--json")
    assert back.json["pins"][0]["answer"]["number"] == "34"
    assert assay_here("board", "restore", board, "9").code == 2
    assert assay_here("board", "show", board, "--user", "bob").code == 2
