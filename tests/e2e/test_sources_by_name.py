"""`assay source`: from naming a database to an answer that names it."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.conftest import Assay


def test_a_named_source_is_asked_about_by_its_name_and_by_none(
    assay: Assay, retailer: Path, new_home: Path
) -> None:
    database = retailer / "shop.sqlite"
    empty = assay("source", "list", home=new_home)
    assert empty.out == "no sources yet: name one, assay source add NAME FILE|URL\n"

    added = assay("source", "add", "shop", f"sqlite:///{database}", home=new_home)
    assert added.code == 0, added.err
    assert added.out.startswith(f"added       shop · sqlite:///{database}\n")
    assert "6 tables: categories, products, customers" in added.out

    ran = assay("sql", "select count(*) from orders", home=new_home)
    assert ran.code == 0, ran.err
    assert ran.out.startswith("source      shop\n")
    named = assay("sql", "select count(*) from orders", "--on", "shop", "--json", home=new_home)
    assert named.json["sources"] == ["shop"]

    listed = assay("source", "list", "--json", home=new_home)
    (source,) = listed.json["sources"]
    assert (source["source"], source["place"]) == ("shop", f"sqlite:///{database}")
    assert assay("source", "remove", "shop", home=new_home).code == 0
    gone = assay("sql", "select 1", "--on", "shop", home=new_home)
    assert gone.code != 0 and "there is no source 'shop'" in gone.err


def test_help_says_what_there_is(assay: Assay) -> None:
    told = assay("source")
    assert told.code == 0
    assert all(f"  {name}" in told.out for name in ("add", "list", "show", "remove"))
