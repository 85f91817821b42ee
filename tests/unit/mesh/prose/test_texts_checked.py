from __future__ import annotations

from decimal import Decimal

import pytest

from mesh.prose.bindings import find_asides, render_plain
from mesh.prose.checking import LONGEST, check_text
from mesh.prose.frames import Frame
from mesh.prose.front_matter import frames_named
from tests.unit.mesh.prose.shops import FRAMES, PASSED_ON, failures

N96, N97 = "f1.revenue[1996, North]", "f1.revenue[1997, North]"
S96, S97 = "f1.revenue[1996, South]", "f1.revenue[1997, South]"


@pytest.mark.parametrize(
    "text",
    [
        f"Revenue in the North rose from {{100.50|{N96}}} in 1996 to {{150|{N97}}} in 1997.",
        f"In 1997 the North sold {{150.25|{N97}}}, up from {{100.5|{N96}}} a year before.",
        f"Revenue of the North grew by {{49.5 %|{N97} / {N96} - 1}}.",
        f"Revenue of the South fell by {{40 %|{S97} / {S96} - 1}}.",
        f"Takings in the South {{slid|{S96} -> {S97}}} within a year.",
        f"The South of 1996 had the highest revenue, {{200|{S96}}}.",
        f"The North's {{150|{N97}}} was the second-highest revenue.",
        f"North sold {{150.25|{N97}}}, more than South with {{120|{S97}}}.",
        f"All in all the two sold {{more than|{N97} > {S97}}} before.",
        "More than {55|sum(f2.freight)} was paid in freight." + PASSED_ON,
        "March took {50 %|f2.share[1997-03]} of it." + PASSED_ON,
        f"{{Most|({N97} + {S96}) / sum(f1.revenue) > 0.5}} of it was taken there.",
        f"{{A majority|{N97} + {S96} > sum(f1.revenue) / 2}} was taken there.",
        f"{{Most|{S96} = max(f1.revenue)}} was sold in the South of 1996.",
        "The difference is {significant|t2} (p = {0.003|t2.p_value}).",
        "The difference is not {significant|t1.p}.",
        "By a test it is {4|f4.value[difference of means]} more, a {significant|f4} difference.",
        "By the last test {4|f5.value[difference of means]} is not significant.",
        "Orders rose {because of|c1} it.".replace("Orders rose", "There is more"),
        "Prices above 300 alone were counted: {4|count(f1)} rows.",
        "There are {2|count(f1) / 2} rows a year.",
        f"1. The North sold {{100.5|{N96}}} in 1996\n2. and {{150.25|{N97}}} in 1997\n",
        "`select 12 from t` is code:\n```\n17\n```\nSo is https://a.b/2024/5.",
    ],
)
def test_what_the_cells_bear_out_passes(text: str) -> None:
    assert failures(text) == []


@pytest.mark.parametrize(
    ("text", "kind", "claimed"),
    [
        (f"The North sold {{160|{N97}}} in 1997.", "number-wrong", "160"),
        (f"The North sold {{1,500|{N97}}} in 1997.", "number-wrong", "1,500"),
        ("March took {0.5 %|f2.share[1997-03]}." + PASSED_ON, "number-wrong", "0.5 %"),
        (f"Revenue fell from {{100.50|{N96}}} to {{150|{N97}}}.", "word-wrong", "fell"),
        (f"Revenue doubled from {{100.50|{N96}}} to {{150|{N97}}}.", "word-wrong", "doubled"),
        (f"Revenue grew by {{40 %|{S97} / {S96} - 1}}.", "word-wrong", "grew"),
        (f"Revenue rose to {{150|{N97}}} in the North.", "word-unbound", "rose"),
        (f"The South had {{150.25|{N97}}} in 1997.", "name-wrong", "South"),
        (f"In 1996 the North had {{150.25|{N97}}}.", "name-wrong", "1996"),
        (f"The North's revenue of {{150|{N97}}} was the highest.", "word-wrong", "highest"),
        (
            "North sold {12|f1.orders[1997, North]}, less than South with "
            "{11|f1.orders[1997, South]}.",
            "word-wrong",
            "less",
        ),
        (f"The North had orders worth {{150.25|{N97}}}, 12 in all.", "number-unbound", "12"),
        ("Three regions sold it.", "number-unbound", "Three"),
        (
            f"{{Most|{S96} = max(f1.revenue)}} of it was sold in the South of 1996.",
            "word-wrong",
            "Most",
        ),
        (
            f"{{The majority|{S96} > {N96}}} was sold in the South of 1996.",
            "word-wrong",
            "The majority",
        ),
        ("The difference is {significant|t1.p}.", "word-wrong", "significant"),
        ("The difference of {4|t2.effect} is not significant.", "word-wrong", "significant"),
        ("The {4|f5.value[difference of means]} is {significant|f5}.", "word-wrong", "significant"),
        ("The {4|f6.value[difference of means]} is significant.", "word-unbound", "significant"),
        (
            f"It rose from {{100.5|{N96}}} to {{150.25|{N97}}} because of rain.",
            "word-unbound",
            "because",
        ),
        ("There is more {because of|c2} it.", "word-wrong", "because of"),
        (
            "It was {20|f2.freight[1997-02]} in February.",
            "doubt-left-out",
            "f2 without its doubt J01",
        ),
        ("There are {3|f3.n}.", "frame-contested", "f3"),
        ("There are {3|f9.n}.", "binding-unreadable", "{3|f9.n}"),
        ("There are {3|f1.revenue}.", "binding-unreadable", "{3|f1.revenue}"),
        ("There are {3|f1.revenue[North]}.", "binding-unreadable", "{3|f1.revenue[North]}"),
        ("There are {12}.", "binding-unreadable", "{12}"),
        ("There are {5 million|5000000}.", "binding-unreadable", "{5 million|5000000}"),
        (f"More than {{170|{N97}}} was sold.", "number-wrong", "170"),
        ("{all|all(f1.revenue > 110)} sold more.", "word-wrong", "all"),
    ],
)
def test_what_they_do_not_bear_out_is_found(text: str, kind: str, claimed: str) -> None:
    assert (kind, claimed) in failures(text)


def test_a_failure_says_where_what_is_true_and_what_to_write() -> None:
    (found,) = check_text(f"# Sales\n\nThe North sold {{160|{N97}}} in 1997.", FRAMES).failures

    assert (found.line, found.found) == (3, "it is 150.25")
    assert found.mend == "write {150.25|f1.revenue[1997, North]}"


def test_a_text_is_read_without_its_bindings() -> None:
    text = f"---\nframes:\n  f1: 1a2b3c4d\n---\nIt was {{150|{N97}}}, with \\{{braces}}.\n"

    assert render_plain(text) == "It was 150, with \\{braces}.\n"
    assert frames_named(text) == {"f1": "1a2b3c4d"}


def test_a_frame_may_be_called_by_its_job() -> None:
    text = "{3|f1a2b3c4d.n} and {4|f0badcafe99.m[#1]}, not f12345678 or {5|x.f12345678}"

    assert frames_named(text) == {"f1a2b3c4d": "1a2b3c4d", "f0badcafe99": "0badcafe99"}


@pytest.mark.parametrize("head", ["frames: [1]", "frames:\n  1x: abc", "frames: {"])
def test_a_head_that_cannot_be_read_is_told(head: str) -> None:
    with pytest.raises(ValueError, match=r"frames|YAML|name"):
        frames_named(f"---\n{head}\n---\ntext")


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(ValueError, match="200,000"):
        check_text("x" * (LONGEST + 1), FRAMES)


def test_hostile_references_end_in_words() -> None:
    for reference in ("(" * 5_000, "-" * 5_000, "1/0", "f1.revenue[#99]", "max()", "f1..x", "'"):
        assert failures(f"{{1|{reference}}}")[0][0] == "binding-unreadable"


def test_numbers_of_two_frames_are_each_held_against_their_own_rows() -> None:
    costs = Frame("f8", ("town", "cost"), {"town": ["Oslo", "Rome"], "cost": [10, 40]})
    frames = {**FRAMES, "f8": costs}
    ratio = f"{{3.8|{N97} / f8.cost[Rome]}}"

    assert check_text(f"The North earned {ratio} times the cost of Rome.", frames).failures == ()
    (found,) = check_text(f"Oslo: {ratio} times.", frames).failures
    assert (found.code, found.claimed) == ("name-wrong", "Oslo")


def test_decimals_of_a_database_are_numbers_as_any_other() -> None:
    costs = [Decimal("10.50"), Decimal("40.00")]
    sums = Frame("f8", ("town", "cost"), {"town": ["Oslo", "Rome"], "cost": costs})
    text = "Oslo had the highest cost, {10.50|f8.cost[Oslo]}."

    assert [one.code for one in check_text(text, {"f8": sums}).failures] == ["word-wrong"]
    assert check_text(text.replace("highest", "lowest"), {"f8": sums}).failures == ()


def test_what_is_no_prose_is_found_in_order() -> None:
    text = "---\na: b\n---\nx `<!--` y <!-- `z` -->\n```\n7\n```\n"
    found = [(one.kind, text[one.start : one.end]) for one in find_asides(text)]
    assert found == [
        ("front", "---\na: b\n---\n"),
        ("code", "`<!--`"),
        ("comment", "<!-- `z` -->"),
        ("code", "```\n7\n```"),
    ]
