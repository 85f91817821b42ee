"""A question back is settled once, an answer corrected in words; both are remembered and told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clients.python.cli import main
from mesh.errors import ExitCode

Assay = Callable[..., tuple[int, dict[str, Any]]]
BOATS = """berth,harbour,skipper,net_fee,gross_fee,came_on
1,Kiel,Ida,10.5,12.6,2024-01-05
2,Oslo,Bo,20,24,2024-02-05
3,Kiel,Ida,7,9,2024-03-01
4,Rome,Eve,5,6,2025-03-09
"""
ASKED = "total fee by harbour"


@pytest.fixture
def boats(tmp_path: Path) -> Path:
    file = tmp_path / "visits.csv"
    file.write_text(BOATS)
    return file


@pytest.fixture
def assay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Assay:
    """Runs a command in a home of its own; the exit code and what it says as JSON."""

    def run(*arguments: str) -> tuple[int, dict[str, Any]]:
        code = main.run([*arguments, "--home", str(tmp_path / "home"), "--json"])
        return code, json.loads(capsys.readouterr().out)

    return run


def test_each_reading_comes_with_a_glimpse_and_what_was_chosen_is_learnt(
    assay: Assay, boats: Path
) -> None:
    code, asked = assay("ask", ASKED, "--data", str(boats))
    assert (code, asked["state"]) == (ExitCode.COULD_NOT_ANSWER, "waiting")
    glimpses = [option["glimpse"] for option in asked["clarification"]["options"]]
    assert glimpses == [
        "3 rows: Oslo 20, Kiel 17.50, Rome 5",
        "3 rows: Oslo 24, Kiel 21.60, Rome 6",
    ]

    code, chosen = assay("answer", asked["job"], "gross")
    assert code == ExitCode.ANSWERED and "51.6" in chosen["answer"]["text"]

    code, again = assay("ask", ASKED, "--data", str(boats))
    assert code == ExitCode.ANSWERED and "51.6" in again["answer"]["text"]
    assert any("read as you chose on" in said for said in again["answer"]["caveats"])

    code, other = assay("ask", ASKED, "--data", str(boats), "--choose", "1")
    assert code == ExitCode.ANSWERED and "42.5" in other["answer"]["text"]  # beats what is learnt


def test_what_was_assumed_is_not_learnt_for_who_would_be_asked(assay: Assay, boats: Path) -> None:
    code, _ = assay("ask", ASKED, "--data", str(boats), "--assume")
    assert code == ExitCode.ANSWERED

    _, asked = assay("ask", ASKED, "--data", str(boats))

    assert asked["state"] == "waiting"


def test_a_choice_is_void_once_the_data_has_other_columns(assay: Assay, boats: Path) -> None:
    assay("ask", ASKED, "--data", str(boats), "--choose", "gross")
    boats.write_text(BOATS.replace("skipper", "captain"))

    _, asked = assay("ask", ASKED, "--data", str(boats))

    assert asked["state"] == "waiting"


def test_an_answer_is_corrected_in_words_and_the_correction_is_learnt(
    assay: Assay, boats: Path
) -> None:
    question = "average net fee by harbour"
    code, first = assay("ask", question, "--data", str(boats))
    assert code == ExitCode.ANSWERED

    code, mended = assay("answer", first["job"], "no, by skipper")
    assert code == ExitCode.ANSWERED and mended["job"] != first["job"]
    assert "average net fee by skipper" in mended["understood"]
    assert "corrected: by skipper instead of by harbour" in mended["answer"]["caveats"]

    code, more = assay("answer", mended["job"], "only 2024")
    assert "by skipper" in more["understood"] and "2024" in more["understood"]

    code, again = assay("ask", question, "--data", str(boats))
    assert again["understood"] == more["understood"]
    assert any("read as you corrected it" in said for said in again["answer"]["caveats"])


def test_another_year_than_the_question_names_is_not_learnt_for_the_year_that_it_names(
    assay: Assay, boats: Path
) -> None:
    question = "average net fee by harbour in 2024"
    _, first = assay("ask", question, "--data", str(boats))

    code, other = assay("answer", first["job"], "no, only 2025")
    assert code == ExitCode.ANSWERED and "2025" in other["understood"]

    _, again = assay("ask", question, "--data", str(boats))
    assert "2024" in again["understood"] and "2025" not in again["understood"]


def test_words_of_ones_own_answer_a_question_back_or_have_it_come_back(
    assay: Assay, boats: Path
) -> None:
    _, asked = assay("ask", ASKED, "--data", str(boats))

    _, still = assay("answer", asked["job"], "the purple elephants")
    assert still["state"] == "waiting"
    assert "elephants" in still["clarification"]["question"]

    code, ended = assay("answer", asked["job"], "no, by skipper")
    assert code == ExitCode.ANSWERED and "by skipper" in ended["understood"]
    # Which of the readings was meant is still not said.
    assert ended["answer"]["confidence"] != "sure"
    assert any("was chosen" in note for note in ended["answer"]["caveats"]), ended


def test_a_correction_that_names_nothing_in_the_data_is_refused_by_its_word(
    assay: Assay, boats: Path
) -> None:
    code, refused = assay(
        "ask", "average net fee by harbour", "--data", str(boats), "--no", "by tonnage"
    )

    assert code == ExitCode.COULD_NOT_ANSWER
    assert "“tonnage”" in refused["error"]["message"]
