"""What an investigation answers: every word of it is held against the cells it is told of."""

from __future__ import annotations

from typing import Any

import pytest

from mesh.proof.assertions import TEXT, TITLE
from services.planner.domain.investigation.cited_sentences import number, recorded, states
from services.planner.domain.investigation.explaining import ExplanationText, explained_by
from services.planner.domain.investigation.found import ALPHA, rows_of, statistics_of
from services.planner.domain.investigation.ground import Ground
from services.planner.domain.investigation.hypothesising import first_hypotheses
from services.planner.domain.investigation.sources import Sources
from services.planner.domain.investigation.telling import headline, summary
from services.planner.domain.reporting.evidence import ClaimBook, EvidenceTable
from services.planner.domain.reporting.prose import Prose
from services.planner.domain.reporting.stating import UnstatedError, check_stated
from services.planner.domain.reporting.story import Speaker
from tests.unit.investigation.frames import (
    CHANCE,
    NORTH,
    NOW,
    TEAMS,
    change,
    ground,
    quality,
    search,
    twice,
)


class Case:
    """An answer made of some frames, as a concluding job makes it."""

    def __init__(
        self,
        *tables: EvidenceTable,
        of: Ground | None = None,
        way: int = 0,
        moved: float | None = None,
    ) -> None:
        self.way = way
        self.tables = {table.task_id: table for table in tables}
        self.ground, self.book = of or ground(), ClaimBook()
        self.speaker = Speaker(self.book)
        whole = self.tables.get("i02_change")
        self.told = statistics_of(whole) if whole is not None else {}
        searched = self.tables.get("i03_search")
        self.rows = rows_of(searched) if searched is not None else []
        checked = rows_of(self.tables["i01_quality"]) if "i01_quality" in self.tables else []
        faults = [row for row in checked if row["severity"] == "fault"]
        self.doubts = [row for row in checked if row["severity"] == "doubt"]
        found = [row for row in self.rows if row.stands_out]
        p = self.told["p_value"].figure("value") if self.told else None
        self.explanations: tuple[ExplanationText, ...] = explained_by(
            faults,
            found,
            self.ground,
            self.speaker,
            Sources(first_hypotheses(self.ground, NOW), ()),
            usual=p is not None and p > ALPHA,
            moved=moved,
        )

    @property
    def title(self) -> Prose:
        """The headline."""
        return headline(self.ground, self.told, self.speaker)

    @property
    def text(self) -> Prose:
        """The whole answer."""
        return summary(
            self.ground,
            self.told,
            self.explanations,
            self.speaker,
            searched=self.rows,
            doubts=self.doubts,
            way=self.way,
        )

    def check(self, prose: Prose, place: str = TEXT) -> None:
        """Hold it against the frames, as a verifier will."""
        check_stated(prose, place, self.book.claims, self.tables)


def test_the_change_comes_first_then_whether_it_is_usual_then_what_explains_it() -> None:
    case = Case(change(), search(NORTH, TEAMS, CHANCE))
    assert case.text.plain == (
        "Total amount fell from 111,000 in February 2024 to 101,000 in March 2024, a change of "
        "-10,000 or -9.0 % (interval -14,000 to -6,000). So large a change is unusual: chance "
        "makes one with a probability of 0.4 %. Most likely: channel web with region North, which "
        "fell from 18,224 to 10,057: an effect of -7,942.75 or 79 % of the change since "
        "about 5 March 2024 (p below 0.01). Likely: a changed mix, customer segment (missing): an "
        "effect of -1,200 or "
        "12 % of the change (p 0.03). These are associational."
    )
    case.check(case.text)
    case.check(case.title, TITLE)


def test_where_nothing_stands_out_it_says_so_and_no_more() -> None:
    case = Case(change(p=0.41), search(CHANCE))
    assert "Such a change is usual: chance makes one with a probability of 41 %." in case.text.plain
    assert case.text.plain.endswith("No segment stands out of chance.")
    case.check(case.text)


def test_without_a_search_nothing_is_said_of_segments() -> None:
    case = Case(change())
    assert "segment" not in case.text.plain
    case.check(case.text)


def test_a_fault_of_the_data_comes_before_any_segment() -> None:
    case = Case(change(), quality(), search(NORTH))
    assert [told.explanation.kind for told in case.explanations] == ["fault", "segment"]
    assert (
        "Most likely: the data are at fault, no rows on 2 days from 9 March 2024 to 10 March 2024."
    ) in case.text.plain
    assert "Likely: channel web with region North" in case.text.plain
    case.check(case.text)


def test_days_that_are_too_few_for_the_change_come_after_what_explains_it() -> None:
    case = Case(change(), quality(), search(NORTH), moved=-0.4)
    assert [told.explanation.kind for told in case.explanations] == ["segment", "fault"]
    assert "Most likely: channel web with region North" in case.text.plain
    assert "Likely: the data are at fault, no rows on 2 days" in case.text.plain
    case.check(case.text)


def test_a_fault_of_a_segment_names_it_once() -> None:
    case = Case(change(), twice("2024-03-09", "2024-03-20"), search(NORTH))
    fault, _ = (told.explanation for told in case.explanations)
    assert (fault.kind, fault.segment) == ("fault", (("region", "North"),))
    assert "rows of region North are there twice" in fault.title
    case.check(case.text)


def test_a_fault_alone_is_no_link_between_things() -> None:
    case = Case(change(), quality(), search(CHANCE))
    assert "associational" not in case.text.plain
    [told] = case.explanations
    assert "days before and after have rows" in told.evidence[0].plain
    case.check(case.text)


def test_a_doubt_about_the_data_is_told_before_any_number() -> None:
    case = Case(change(), quality("doubt"), search(NORTH))
    assert case.text.plain.startswith(
        "The data are in doubt: no rows on 2 days from 9 March 2024 to 10 March 2024. Total amount"
    )
    case.check(case.text)
    lie = states("in_doubt", rows_of(quality()), "The data are in doubt: ", recorded("x"), ".")
    with pytest.raises(UnstatedError, match="its severity is 'fault'"):
        Case(quality()).check(lie)


@pytest.mark.parametrize(
    ("way", "said"),
    [
        (1, "It did not rise: total amount fell from 111"),
        (-1, "Total amount fell"),
        (0, "Total amount fell"),
    ],
)
def test_a_question_that_takes_the_wrong_way_for_granted_is_contradicted_first(
    way: int, said: str
) -> None:
    case = Case(change(), search(NORTH), way=way)
    assert case.text.plain.startswith(said)
    case.check(case.text)


def test_nobody_is_contradicted_against_the_cells() -> None:
    case = Case(change())
    lie = states("contradicted", [case.told["difference"]], "It did not fall: ")
    with pytest.raises(UnstatedError, match="the change is -10000"):
        case.check(lie)


def test_what_was_scaled_to_the_days_of_the_comparison_is_told_with_what_it_was() -> None:
    case = Case(change(unscaled=100_000.0), search(CHANCE))
    said = "from 111,000 in February 2024 (100,000, scaled to the days of March 2024) to 101,000"
    assert said in case.text.plain and said in case.title.plain
    case.check(case.text)
    case.check(case.title, TITLE)


def test_what_was_not_scaled_is_not_told_so() -> None:
    case = Case(change(unscaled=100_000.0))
    rows = list(case.told.values())
    cited = [
        number(case.speaker, case.told[n], "value")
        for n in ("baseline_comparable", "baseline", "comparison")
    ]
    silent = states("moved", rows, "It fell from ", cited[0], " (", cited[1], ") to ", cited[2])
    with pytest.raises(UnstatedError, match="scaled is told with"):
        case.check(silent)
    again = states("moved", rows, "It fell from ", cited[0], " (", cited[0], " scaled)")
    with pytest.raises(UnstatedError, match="told twice"):
        case.check(again)


def test_what_could_not_be_compared_has_a_title_that_says_nothing_more() -> None:
    case = Case(search(NORTH))
    assert case.title.plain == "Total amount in March 2024 and in February 2024"
    case.check(case.title, TITLE)


def test_shares_are_told_in_per_cent_and_their_differences_in_points() -> None:
    share = ground(label="conversion", metric="a / b", ratio=True)
    row = NORTH | {
        "kind": "rate",
        "baseline": 0.082,
        "comparison": 0.031,
        "effect": -0.012,
        "low": -0.02,
        "high": -0.004,
    }
    case = Case(search(row), of=share)
    [told] = case.explanations
    assert told.headline.plain.startswith(
        "Most likely: channel web with region North, which fell from 8.2 % to 3.1 %: an effect of "
        "-1.2 points"
    )
    case.check(Prose.of(told.headline, "."))


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"kind": "new", "baseline": 0.0}, ", which is new"),
        ({"kind": "vanished", "comparison": 0.0}, ", which is gone"),
        ({"kind": "alike", "segment": "{}"}, "everything moved alike"),
        ({"comparison": 18_224.0}, "which stayed the same, from 18,224"),
        ({"share": 38.07}, "an effect of -7,942.75 since about"),
        ({"share": -0.2}, "an effect of -7,942.75 since about"),
    ],
)
def test_each_kind_has_its_words_and_they_are_borne_out(changed: dict[str, Any], why: str) -> None:
    case = Case(change(), search(NORTH | changed))
    assert why in case.text.plain
    case.check(case.text)


@pytest.mark.parametrize(("p", "told"), [(0.4, True), (0.01, False)])
def test_what_moved_alike_as_earlier_periods_do_may_be_a_season(p: float, told: bool) -> None:
    case = Case(change(p=p), search(NORTH | {"kind": "alike", "segment": "{}"}))
    [alike] = case.explanations
    assert ("a season or a trend" in " ".join(one.plain for one in alike.evidence)) is told


def test_effects_far_beyond_the_whole_are_no_part_of_it() -> None:
    case = Case(search(NORTH | {"share": 38.07}))
    [told] = case.explanations
    evidence = " ".join(one.plain for one in told.evidence)
    assert "3807 %" not in evidence and "others work against it" in evidence
    assert told.cells[1] == "–"


@pytest.mark.parametrize(
    ("words", "column", "why"),
    [
        ("Most likely: ", "effect", "its segment is"),
        ("Most likely: ", "comparison", "is the comparison"),
    ],
)
def test_a_number_under_another_name_or_of_another_segment_is_refused(
    words: str, column: str, why: str
) -> None:
    case = Case(search(NORTH))
    cited = number(case.speaker, case.rows[0], column)
    lie = states(
        "explained",
        case.rows[:1],
        words,
        recorded("region"),
        " ",
        recorded("North"),
        ": an effect of ",
        cited,
    )
    with pytest.raises(UnstatedError, match=why):
        case.check(lie)


def test_a_smaller_explanation_is_not_the_most_likely() -> None:
    case = Case(search(NORTH, TEAMS))
    cited = number(case.speaker, case.rows[1], "effect")
    lie = states(
        "explained",
        case.rows[1:2],
        "Most likely: a changed mix, ",
        recorded("customer segment"),
        " (missing): an effect of ",
        cited,
    )
    with pytest.raises(UnstatedError, match="others explain more"):
        case.check(lie)


def test_what_is_within_chance_explains_nothing() -> None:
    case = Case(search(CHANCE))
    cited = number(case.speaker, case.rows[0], "effect")
    lie = states(
        "explained",
        case.rows[:1],
        "Most likely: ",
        recorded("region"),
        " ",
        recorded("South"),
        ": an effect of ",
        cited,
    )
    with pytest.raises(UnstatedError, match="does not stand out"):
        case.check(lie)


def test_nothing_is_said_to_stand_out_only_where_that_is_so() -> None:
    case = Case(search(NORTH))
    lie = states("none_stands_out", case.rows[:1], "No segment stands out of chance.")
    with pytest.raises(UnstatedError, match="row 0 does"):
        case.check(lie)


def test_a_rise_is_not_told_as_a_fall_nor_the_unusual_as_usual() -> None:
    case = Case(change())
    before, after = (
        number(case.speaker, case.told[n], "value") for n in ("baseline", "comparison")
    )
    rows = list(case.told.values())
    with pytest.raises(UnstatedError, match="the change is"):
        case.check(states("moved", rows, "It rose from ", before, " to ", after, "."))
    p = number(case.speaker, case.told["p_value"], "value", percent=True)
    usual = "Such a change is usual: chance makes one with a probability of "
    with pytest.raises(UnstatedError, match="its probability is"):
        case.check(states("usual", [case.told["p_value"]], usual, p, "."))
    bound = "So large a change is unusual: chance makes one with a probability of below "
    with pytest.raises(UnstatedError, match="a bound"):
        case.check(states("usual", [case.told["p_value"]], bound, p, "."))


@pytest.mark.parametrize(("value", "told"), [(-10_900.0, False), (-2_000.0, True), (3_000.0, True)])
def test_another_change_over_the_same_weekdays_is_told(value: float, told: bool) -> None:
    case = Case(change(weekdays=value))
    case.check(case.text)
    assert ("Each weekday beside the same weekday, the change is " in case.text.plain) is told


def test_a_difference_is_not_told_as_that_of_the_same_weekdays() -> None:
    case = Case(change(weekdays=-2_000.0))
    cited = number(case.speaker, case.told["difference"], "value")
    rows = [case.told["same_weekdays_difference"]]
    lie = states("weekdays", rows, "Each weekday beside the same weekday, the change is ", cited)
    with pytest.raises(UnstatedError, match="other numbers"):
        case.check(lie)
