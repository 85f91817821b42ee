"""Fragments change a reading: what is named takes the place of its like, and is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.support_catalogue import Sources
from services.planner.domain.language.intent import Intent, Understood
from services.planner.domain.language.planning.summary import summarise
from services.planner.domain.language.understand import understand
from services.planner.domain.reader.fragments import cues
from services.planner.domain.reader.fragments.corrected import changed
from services.planner.domain.reader.grammar.rules import Rule, Words
from services.planner.domain.reader.words.tokens import tokenise
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
    ("crown width instead", "average crown width m by park",
     "average crown width m instead of average height m"),
    ("no, the median", "median height m by park", "median height m instead of average height m"),
    ("how many trees", "number of trees by park", "number of trees instead of average height m"),
    ("only oaks", "average height m by park · species is Oak", "species is Oak"),
    ("without oaks", "average height m by park · species is not Oak", "species is not Oak"),
    ("only oaks and limes", "average height m by park · species is Oak or Lime",
     "species is Oak or Lime"),
    ("without oaks and limes", "average height m by park · species not in Oak, Lime",
     "species not in Oak, Lime"),
    ("exclude oaks", "average height m by park · species is not Oak", "species is not Oak"),
    ("group by species", "average height m by species", "by species instead of by park"),
    ("only 2015", "average height m by park · 2015", "2015"),
    ("planted after 2009", "average height m by park · after 2009", "after 2009"),
    ("height over 7", "average height m by park · height m > 7", "height m > 7"),
    ("top 2", "average height m by park · highest 2", "the 2 highest"),
]  # fmt: skip


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


async def test_every_word_counts(trees: Trees) -> None:
    intent = await trees.intent()

    refused = await changed(intent, "no, by gardener", trees.catalogue, trees.lookup, TODAY)
    assert isinstance(refused, str) and "“gardener”" in refused
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
