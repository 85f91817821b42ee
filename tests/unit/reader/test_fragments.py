"""Fragments change a reading: what is named takes the place of its like, and is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.support_catalogue import Sources
from services.planner.domain.lexicon.tokens import tokenise
from services.planner.domain.query.intent import Intent, Understood
from services.planner.domain.query.planning.summary import summarise
from services.planner.domain.reader.fragments import cues
from services.planner.domain.reader.fragments.corrected import changed, corrected
from services.planner.domain.reader.grammar.rules import Rule, Words
from services.planner.domain.reader.understand import understand
from tests.unit.language.truth_help import TODAY

TREES = """tree_id,park,species,planted_on,height_m,crown_width_m
1,North Park,Oak,2001-04-01,12.5,6
2,North Park,Lime,2010-05-01,8,4
3,South Park,Oak,2015-10-01,6,3
4,South Park,Ash,2019-11-01,3.5,1.5
"""
ASKED = "average height by park"
CHANGED = [
    ("no, by species", "average height m by species", "by species instead of by park"),
    ("also by species", "average height m by park and species", "by species as well"),
    ("by species as well", "average height m by park and species", "by species as well"),
    ("by year as well", "average height m by park and year", "by year as well"),
    ("by species, not by park", "average height m by species", "by species instead of by park"),
    ("by year", "average height m by year", "by year instead of by park"),
    (
        "crown width instead",
        "average crown width m by park",
        "average crown width m instead of average height m",
    ),
    ("no, the median", "median height m by park", "median height m instead of average height m"),
    ("how many trees", "number of trees by park", "number of trees instead of average height m"),
    ("only oaks", "average height m by park · species is Oak", "species is Oak"),
    ("without oaks", "average height m by park · species is not Oak", "species is not Oak"),
    (
        "only oaks and limes",
        "average height m by park · species is Oak or Lime",
        "species is Oak or Lime",
    ),
    (
        "without oaks and limes",
        "average height m by park · species not in Oak, Lime",
        "species not in Oak, Lime",
    ),
    ("exclude oaks", "average height m by park · species is not Oak", "species is not Oak"),
    ("group by species", "average height m by species", "by species instead of by park"),
    ("only 2015", "average height m by park · 2015", "2015"),
    ("planted after 2009", "average height m by park · after 2009", "after 2009"),
    ("height over 7", "average height m by park · height m > 7", "height m > 7"),
    ("top 2", "average height m by park · highest 2", "the 2 highest"),
    (
        "the maximum instead of the average",
        "highest height m by park",
        "highest height m instead of average height m",
    ),
    (
        "only those over 7",
        "average height m by park · average height m > 7",
        "average height m > 7",
    ),
    (
        "only those with at least 7",
        "average height m by park · average height m >= 7",
        "average height m >= 7",
    ),
    ("top 2 of these", "average height m by park · highest 2", "the 2 highest"),
    ("tallest first", "average height m by park", "the highest first"),
    ("only plants after 2009", "average height m by park · after 2009", "after 2009"),
]


class Trees:
    """A table of trees, and what is read of it first."""

    def __init__(self, folder: Path) -> None:
        file = folder / "trees.csv"
        file.write_text(TREES)
        self.catalogue, self.lookup, _ = Sources(folder / "kept").open_together((file,))

    async def intent(self) -> Intent:
        found = await understand(ASKED, self.catalogue, self.lookup, today=TODAY)
        assert isinstance(found, Understood)
        return found.intent


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> Trees:
    return Trees(tmp_path_factory.mktemp("trees"))


@pytest.mark.parametrize(("words", "summary", "told"), CHANGED, ids=[c[0] for c in CHANGED])
async def test_a_fragment_changes_what_it_names(
    trees: Trees, words: str, summary: str, told: str
) -> None:
    found = await changed(await trees.intent(), words, trees.catalogue, trees.lookup, TODAY)

    assert not isinstance(found, str), found
    read = summarise(found.intent, trees.catalogue)
    assert read.rpartition(" · ")[0] == summary  # before its chart
    assert told in found.changes


async def test_a_condition_takes_the_place_of_one_on_the_same_column_or_is_lifted(
    trees: Trees,
) -> None:
    intent = await trees.intent()
    for words, told in (
        ("only oaks", ("species is Oak",)),
        ("no, limes", ("species is Lime instead of species is Oak",)),
        ("for all species", ("whatever the species",)),
    ):
        found = await changed(intent, words, trees.catalogue, trees.lookup, TODAY)
        assert not isinstance(found, str), found
        assert found.changes == told
        intent = found.intent
    assert intent.filters == ()


async def steps(trees: Trees, *said: str) -> Intent:
    """What one fragment after the other comes to."""
    intent = await trees.intent()
    for words in said:
        found = await changed(intent, words, trees.catalogue, trees.lookup, TODAY)
        assert not isinstance(found, str), found
        intent = found.intent
    return intent


@pytest.mark.parametrize(
    ("said", "summary"),
    [
        (("only oaks", "and limes as well"), "average height m by park · species is Oak or Lime"),
        (("only 2015", "and 2019 as well"), "average height m by park · 2015 or 2019"),
        (
            ("without oaks", "also without limes"),
            "average height m by park · species not in Oak, Lime",
        ),
        (("top 2", "by year instead"), "average height m by year · line chart"),
        (("top 1", "make it 2"), "average height m by park · highest 2"),
        (("how many trees", "how many is that in total"), "number of trees"),
        (("how many trees", "how many is that?"), "number of trees"),
    ],
)
async def test_a_fragment_goes_on_from_another(
    trees: Trees, said: tuple[str, ...], summary: str
) -> None:
    read = summarise(await steps(trees, *said), trees.catalogue)
    assert read.partition(" · bar chart")[0].partition(" · single value")[0] == summary


@pytest.mark.parametrize(
    ("said", "words", "why"),
    [
        ((), "how much is that in total", "does not add up"),
        (("top 1",), "how many trees is that in total", "shown alone"),
        (("height over 7",), "also height under 3", "no alternatives"),
    ],
)
async def test_what_would_mean_something_else_is_refused(
    trees: Trees, said: tuple[str, ...], words: str, why: str
) -> None:
    intent = await steps(trees, *said)
    found = await changed(intent, words, trees.catalogue, trees.lookup, TODAY)
    assert isinstance(found, str) and why in found, found


@pytest.mark.parametrize(
    ("words", "sure"),
    [
        ("total crown width", False),
        ("and the total crown width", True),
        ("total crown width instead", True),
        ("the median", True),
    ],
)
async def test_what_may_be_a_question_of_its_own_is_told_with_doubt(
    trees: Trees, words: str, sure: bool
) -> None:
    found = await changed(await trees.intent(), words, trees.catalogue, trees.lookup, TODAY)
    assert not isinstance(found, str), found
    assert (found.confidence == 1) is sure
    assert any("taken as a change" in note for note in found.notes) is not sure


async def test_a_word_that_is_taken_for_the_rows_is_told(trees: Trees) -> None:
    intent = await trees.intent()
    found = await changed(intent, "only shrubs after 2009", trees.catalogue, trees.lookup, TODAY)
    assert not isinstance(found, str)
    assert found.notes == ("“shrubs” is taken for the rows of trees",)
    assert found.confidence < 1


@pytest.mark.parametrize(
    ("was", "note", "words", "sure", "kept"),
    [
        (0.95, "", "only oaks", 1.0, False),
        (0.3, "", "only oaks", 0.6, False),
        (0.3, 'not used: "felled"', "only oaks", 0.3, True),
        (0.3, 'not used: "oaks"', "only oaks", 0.6, False),
        (0.7, "left out as not understood: felled", "by species", 0.7, True),
    ],
)
async def test_a_correction_settles_what_it_speaks_of_and_no_other_doubt(
    trees: Trees, was: float, note: str, words: str, sure: float, kept: bool
) -> None:
    read = Understood(
        intent=await trees.intent(), summary="", confidence=was, assumptions=(note,) if note else ()
    )
    found = await corrected(read, words, trees.catalogue, trees.lookup, TODAY)
    assert isinstance(found, Understood)
    assert found.confidence == sure
    assert (note in found.assumptions) is kept


BANDS = {
    "artists": "artist_id,name\n1,Ann\n2,Bo\n3,Cy\n",
    "albums": "album_id,title,artist_id\n10,One,1\n11,Two,1\n12,Three,2\n13,Four,3\n",
    "tracks": "track_id,label,album_id,seconds\n"
    + "".join(f"{100 + n},song {n},{10 + n % 4},{60 + n}\n" for n in range(11)),
}


@pytest.fixture(scope="module")
def bands(tmp_path_factory: pytest.TempPathFactory) -> Trees:
    class Bands(Trees):
        def __init__(self, folder: Path) -> None:
            for name, text in BANDS.items():
                (folder / f"{name}.csv").write_text(text)
            files = tuple(folder / f"{name}.csv" for name in BANDS)
            self.catalogue, self.lookup, _ = Sources(folder / "kept").open_together(files)
            self.asked = ""

        async def intent(self) -> Intent:
            found = await understand(self.asked, self.catalogue, self.lookup, today=TODAY)
            assert isinstance(found, Understood)
            return found.intent

    return Bands(tmp_path_factory.mktemp("bands"))


@pytest.mark.parametrize(
    ("asked", "words", "base", "told"),
    [
        (
            "number of albums by artist name",
            "by number of tracks instead",
            "tracks",
            "number of tracks instead of number of albums",
        ),
        (
            "total seconds by artist name",
            "and the number of albums?",
            "albums",
            "number of albums instead of total seconds",
        ),
        (
            "total seconds by artist name",
            "and the number of albums as well",
            "tracks",
            "number of albums as well",
        ),
        (
            "number of albums by artist name",
            "total seconds of tracks instead",
            "tracks",
            "total seconds instead of number of albums",
        ),
    ],
)
async def test_rows_of_another_table_are_counted_once_each(
    bands: Trees, asked: str, words: str, base: str, told: str
) -> None:
    bands.asked = asked  # type: ignore[attr-defined]
    found = await changed(await bands.intent(), words, bands.catalogue, bands.lookup, TODAY)

    assert not isinstance(found, str), found
    assert found.changes == (told,)
    assert found.intent.base == base
    assert not any(relation.fans_out for relation in found.intent.joins)


async def test_a_name_of_a_column_within_a_value_is_no_column(tmp_path: Path) -> None:
    file = tmp_path / "lines.csv"
    file.write_text(
        "line,ship,lost_85_99,lost_00_14\nBlue Line,Ann,3,4\nRed,Bo,5,6\nGreen Line,Cy,1,9\n"
    )
    catalogue, lookup, _ = Sources(tmp_path / "kept").open_together((file,))
    asked = await understand("lost_85_99 by line", catalogue, lookup, today=TODAY)
    assert isinstance(asked, Understood)
    for words, told in (
        ("without Blue Line", ("line is not Blue Line",)),
        ("lost_00_14 instead", ("lost 00 14 instead of lost 85 99",)),
    ):
        found = await changed(asked.intent, words, catalogue, lookup, TODAY)
        assert not isinstance(found, str), found
        assert found.changes == told


async def test_rows_that_would_be_counted_several_times_are_not_counted(bands: Trees) -> None:
    bands.asked = "number of albums by artist name"  # type: ignore[attr-defined]
    words = "and the number of tracks as well"
    found = await changed(await bands.intent(), words, bands.catalogue, bands.lookup, TODAY)
    assert isinstance(found, str) and "several times" in found


WEALTH = "country,continent,year,wealth\n" + "".join(
    f"{land},{part},{year},{year - 1900 + at}\n"
    for at, (land, part) in enumerate((("Chad", "Africa"), ("Mali", "Africa"), ("Peru", "America")))
    for year in (1997, 2002, 2007)
)


@pytest.mark.parametrize("words", ["only Africa", "the maximum instead of the average"])
async def test_a_year_that_no_word_states_does_not_come_back(tmp_path: Path, words: str) -> None:
    file = tmp_path / "wealth.csv"
    file.write_text(WEALTH)
    catalogue, lookup, _ = Sources(tmp_path / "kept").open_together((file,))
    asked = await understand("average wealth by continent in 1997", catalogue, lookup, today=TODAY)
    assert isinstance(asked, Understood)

    found = await changed(asked.intent, words, catalogue, lookup, TODAY)

    assert not isinstance(found, str), found
    assert asked.intent.filters[0] in found.intent.filters
    assert "2007" not in summarise(found.intent, catalogue)


async def test_every_word_counts(trees: Trees) -> None:
    intent = await trees.intent()

    refused = await changed(intent, "no, by gardener", trees.catalogue, trees.lookup, TODAY)
    assert isinstance(refused, str) and "“gardener”" in refused
    other = await changed(intent, "the cheapest ones", trees.catalogue, trees.lookup, TODAY)
    assert isinstance(other, str) and "“cheapest”" in other
    idle = await changed(intent, "no", trees.catalogue, trees.lookup, TODAY)
    assert isinstance(idle, str) and "not what" in idle
    same = await changed(intent, "by park", trees.catalogue, trees.lookup, TODAY)
    assert isinstance(same, str) and "changes nothing" in same


def _rules() -> list[Rule[object]]:
    return [r for v in vars(cues).values() if isinstance(v, tuple) for r in v]


@pytest.mark.parametrize("rule", _rules(), ids=lambda rule: rule.name)
def test_a_cue_is_found_in_its_examples(rule: Rule[object]) -> None:
    assert rule.examples
    for example in rule.examples:
        assert Words(tokenise(example)).find((rule,)), example


FARMS = """farm_id,region,first_name,organic,hectares,sold_on,sold_country
1,North,Ann,yes,10,2024-01-01,Peru
2,North,Bo,no,20,2024-02-01,Chile
3,South,Cy,yes,30,2024-03-01,Peru
"""


@pytest.fixture(scope="module")
def farms(tmp_path_factory: pytest.TempPathFactory) -> Trees:
    class Farms(Trees):
        def __init__(self, folder: Path) -> None:
            file = folder / "farms.csv"
            file.write_text(FARMS)
            self.catalogue, self.lookup, _ = Sources(folder / "kept").open_together((file,))

        async def intent(self) -> Intent:
            asked = "total hectares by region"
            found = await understand(asked, self.catalogue, self.lookup, today=TODAY)
            assert isinstance(found, Understood)
            return found.intent

    return Farms(tmp_path_factory.mktemp("farms"))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("only organic ones", "organic is yes"),
        ("without organic ones", "organic is no"),
        ("excluding organic ones", "organic is not yes"),
        ("the lowest first", "the lowest first"),
        ("only those sold to Peru", "sold country is Peru"),
        ("by first name", "by first name instead of by region"),
    ],
)
async def test_flags_are_conditions_and_first_is_no_name_where_it_says_an_order(
    farms: Trees, words: str, told: str
) -> None:
    found = await changed(await farms.intent(), words, farms.catalogue, farms.lookup, TODAY)

    assert not isinstance(found, str), found
    assert found.changes == (told,)
