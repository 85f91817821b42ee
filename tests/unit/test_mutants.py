"""What mutation testing changes: the checks that promises are made of, and no words."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

from scripts.mutants.making import mutants_of

ROOT = Path(__file__).resolve().parents[2]
TABLE = tomllib.loads((ROOT / "tests" / "mutants.toml").read_text(encoding="utf-8"))["module"]


def names(source: str) -> list[str]:
    return [mutant.name for mutant in mutants_of(ast.parse(source))]


def after(source: str, name: str) -> str:
    """The source once the mutant of this name is applied."""
    tree = ast.parse(source)
    next(mutant for mutant in mutants_of(tree) if mutant.name == name).apply()
    return ast.unparse(ast.fix_missing_locations(tree))


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (
            "services/planner/adapters/leases.py",
            "require: (row.owner, row.token) != (lease.owner, lease.token) without row.token",
        ),
        ("mesh/proof/claims.py", "frame_fault: if cell != claim.value → never"),
        (
            "services/planner/domain/calls.py",
            "Observation._complete: self.error_message and self.error_category"
            " without self.error_category",
        ),
    ],
)
def test_the_mutants_that_once_survived_are_among_those_that_are_made(path: str, name: str) -> None:
    """An old token of the same owner, a value not compared, a failure without a category."""
    assert name in names((ROOT / path).read_text(encoding="utf-8"))
    assert path in [entry["path"] for entry in TABLE]


@pytest.mark.parametrize(
    ("source", "name", "changed"),
    [
        ("a = 0 <= b < c", "module: 0 <= b < c → 0 <= b <= c", "a = 0 <= b <= c"),
        ("a = b and c and d", "module: b and c and d without c", "a = b and d"),
        ("a = (b, c) != (d, e)", "module: (b, c) != (d, e) without c", "a = (b,) != (d,)"),
        ("if a: b()", "module: if a → never", "if False:\n    b()"),
        ("if a: b()", "module: b() left out", "if a:\n    pass"),
        (
            "a = [b for b in c if b]",
            "module: condition of a comprehension left out",
            "a = [b for b in c]",
        ),
        ("a = b.where(c, d)", "module: where(…) without c", "a = b.where(d)"),
        ("a = b.where(c)", "module: where(…) without c", "a = b"),
        ("a = {1: b, 2: c}", "module: table without 1", "a = {2: c}"),
        ("a = b(c=1, d=2)", "module: b(…) without d=2", "a = b(c=1)"),
        ("a = f'{b}{c}'", "module: f'{b}{c}' without b", "a = f'{c}'"),
        ("@check('x')\ndef f(): a", "f: without @check('x')", "def f():\n    a"),
        ("def f():\n    return a", "f: return a → None", "def f():\n    return None"),
        ("raise ValueError(a)", "module: raise ValueError(a) left out", "pass"),
        ("a: Annotated[int, Field(ge=1)]", "module: 1 → 2", "a: Annotated[int, Field(ge=2)]"),
    ],
)
def test_one_thing_is_changed_and_all_else_stays(source: str, name: str, changed: str) -> None:
    assert after(source, name) == changed
    assert ast.unparse(ast.parse(source)) != changed


@pytest.mark.parametrize(
    "source",
    [
        "log.info('at %s', 3)",
        "a: dict[str, tuple[int, int]]",
        "__all__ = ['a', 'b']",
        "'words'",
        "if TYPE_CHECKING:\n    import a",
    ],
)
def test_words_types_and_logs_are_left_alone(source: str) -> None:
    assert names(source) == []


def test_what_a_message_says_is_not_changed_but_that_it_is_said_is() -> None:
    assert names("raise ValueError(f'{a} of {3}')") == [
        "module: raise ValueError(f'{a} of {3}') left out"
    ]
    assert names("def f():\n    return f'{a:.3g} of {b[:4]}'") == [
        "f: return f'{a:.3g} of {b[:4]}' → None"
    ]


def test_every_mutant_has_a_name_of_its_own() -> None:
    for entry in TABLE:
        found = names((ROOT / entry["path"]).read_text(encoding="utf-8"))
        assert len(found) == len(set(found))
        excused = [one["mutant"] for one in entry.get("equivalent", [])]
        assert set(excused) <= set(found), "a mutant is excused that is not there"
        assert all(one["reason"] for one in entry.get("equivalent", []))


def test_the_floors_are_those_that_are_published() -> None:
    page = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")] for line in page.splitlines()]
    scores = [(row[1].strip("`"), row[6]) for row in rows if len(row) == 8 and "." in row[6]]
    floors = [(entry["path"], str(entry["floor"])) for entry in TABLE]
    assert scores == floors
