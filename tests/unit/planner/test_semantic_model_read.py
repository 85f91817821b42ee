"""A semantic model is read from YAML; whoever wrote it is told every mistake with its place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mesh.errors import AssayError
from services.planner.domain.semantic_model.reading import MOST_BYTES, read_model

ROOT = Path(__file__).resolve().parents[3]


def refused(text: str) -> AssayError:
    with pytest.raises(AssayError) as raised:
        read_model("shop.assay.yaml", text)
    assert raised.value.reason.code == "SEMANTIC_MODEL_INVALID"
    return raised.value


def test_what_is_written_is_read_as_it_stands() -> None:
    model, _ = read_model(
        "shop.assay.yaml",
        """
tables:
  orders:
    synonyms: [purchases]
    columns:
      country:
        values: {NO: [Norway], 1: [first]}
      internal: {hidden: true}
    joins:
      - {to: customers, on: {cust: id}}
    metrics:
      net: {formula: price * (1 - discount), kind: amount}
  customers:
""",
    )
    orders = model.tables["orders"]
    assert orders.synonyms == ("purchases",)
    assert orders.columns["country"].values == {"NO": ("Norway",), "1": ("first",)}
    assert orders.columns["internal"].hidden
    assert orders.joins[0].on == {"cust": "id"}
    assert "customers" in model.tables, "a name alone says nothing, and is no mistake"
    assert read_model("empty", "")[0].tables == {}
    assert read_model("j", '{"tables": {"a": {"hidden": true}}}')[0].tables["a"].hidden


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("tabels: {}", "1:1", 'a semantic model has no key "tabels"; did you mean "tables"?'),
        ("tables:\n  a:\n    columns:\n      x: {uint: kg}", "4:11", 'did you mean "unit"?'),
        ("tables:\n  a:\n    columns:\n      x: {kind: amonut}", "4:17", 'did you mean "amount"?'),
        ("tables:\n  a:\n    hidden: perhaps", "3:13", "neither true nor false"),
        ("tables:\n  a:\n    joins: [{to: b}]", "3:13", 'a join needs the key "on"'),
        ("tables:\n  a:\n    metrics:\n      m: {kind: amount}", "4:10", 'needs the key "formula"'),
        ("tables:\n  a: {}\n  a: {}", "3:3", "written twice: in line 2 already"),
        ("tables:\n  a:\n    synonyms: one", "3:15", "a list is wanted here"),
        ("tables: 3", "1:9", "names with what is said of them"),
        ("- a", "1:1", "names with what is said of them"),
        ("tables: [1, 2", "2:1", "this is no YAML"),
        ("a: 1\n---\nb: 2", "2:1", "this is no YAML"),
        ("tables: &all {a: {}}", "1:9", "anchors and aliases are not read"),
        ("tables: {a: {description: !!python/name:os.system x}}", "1:27", "tags such as"),
        ("[" * 5_000, "1:13", "nested too deeply"),
    ],
)
def test_a_mistake_is_told_where_it_is(text: str, place: str, said: str) -> None:
    if text.startswith("[["):
        text += "\n"
    error = refused(text)
    assert said in error.fields[f"shop.assay.yaml:{place}"], error.fields
    line, column = place.split(":")
    assert f"shop.assay.yaml, line {line}, column {column}: " in error.message


def test_all_mistakes_are_told_at_once_the_first_first() -> None:
    error = refused("tables:\n  a: {hiden: true}\n  b: {sinonyms: []}\n  c: {tim: x}")
    assert (
        error.message.index("line 2")
        < error.message.index("Line 3")
        < (error.message.index("Line 4"))
    )


def test_a_text_that_grows_or_is_too_large_is_not_read() -> None:
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"
    assert "anchors and aliases" in refused(bomb).message
    assert "256 KiB" in refused("#" * (MOST_BYTES + 1)).message
    assert "no YAML" in refused("\x00").message


def test_what_the_documentation_shows_is_a_model() -> None:
    page = (ROOT / "docs" / "semantic_model.md").read_text(encoding="utf-8")
    shown = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert [set(read_model("docs", text)[0].tables) for text in shown] == [{"order_lines"}]
    example = (ROOT / "examples" / "shop.assay.yaml").read_text(encoding="utf-8")
    assert read_model("shop", example)[0].tables["order_lines"].metrics
