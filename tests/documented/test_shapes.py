from __future__ import annotations

from tests.documented.blocks import _console
from tests.documented.shapes import Ids, difference

SHOWN = """plan        ✔ load   sql.run    48 rows × 3   42 ms
            ✔ chart  plot.render  …
answer      Revenue was 534,340.
files       …/artifacts/jobs/bbdfe04e/chart.png
proof       24 entries · assay verify bbdfe04e
            1.8 s · recipe saved"""
PRINTED = """plan        ✔ chart  plot.render  bar chart of 48 rows  1.2 s
            ✔ load   sql.run      48 rows × 3           90 ms
answer      Revenue was
            534,340.
files       /tmp/home/artifacts/jobs/1a2b3c4d/chart.png
proof       24 entries · assay verify 1a2b3c4d
            2 s · recipe saved
"""


def test_what_differs_from_run_to_run_may_differ() -> None:
    ids = Ids()

    assert difference(SHOWN, PRINTED, ids) is None
    assert ids.put_into("assay verify bbdf") == "assay verify 1a2b3c4d"


def test_a_number_that_differs_is_named_by_its_line() -> None:
    lacks = difference(SHOWN, PRINTED.replace("534,340", "534,341"), Ids())

    assert lacks == "the line “answer      Revenue was 534,340.”"


def test_a_step_that_was_not_done_is_named() -> None:
    lacks = difference(SHOWN, PRINTED.replace("sql.run", "table.write"), Ids())

    assert lacks == "the step “✔ load   sql.run    48 rows × 3   42 ms”"


def test_an_id_that_is_shown_twice_is_one_id() -> None:
    lacks = difference(SHOWN, PRINTED.replace("verify 1a2b3c4d", "verify 2a2b3c4d"), Ids())

    assert lacks == "the line “proof       24 entries · assay verify bbdfe04e”"


def test_what_is_printed_beyond_what_is_shown_counts_unless_dots_stand_for_it() -> None:
    assert difference("a 1", "a 1\nb 2", Ids()) == "the end after “a 1”"
    assert difference("a 1\n…", "a 1\nb 2", Ids()) is None


def test_of_a_conversation_only_some_lines_are_shown() -> None:
    shown = "> total freight\nanswer   It is 64,943.\n> only 1997\nedit  as before"
    printed = (
        "said  total freight\nsql  …\nanswer  It is\n    64,943.\nsaid only 1997\nedit as before\nx"
    )

    assert difference(shown, printed, Ids(), in_part=True) is None
    assert difference(shown, printed.replace("64,943", "1"), Ids(), in_part=True) is not None


def test_a_block_is_taken_apart_into_commands_with_what_they_print() -> None:
    body = "$ assay ask \\\n    x\n> why\nanswer\n$ assay jobs"
    first, second = _console("page.md", 10, body)

    assert (first.line, first.text, first.typed) == (10, "assay ask \\\n    x", ("why",))
    assert (first.shown, second.line, second.shown) == ("> why\nanswer", 14, None)
