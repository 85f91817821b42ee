"""Where a page and its proofs go: in the place of an earlier page, and of nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from clients.python.publishing.page import GENERATOR
from clients.python.publishing.places import MANIFEST, Places, page_name, require_ours, write_page
from mesh.errors import AssayError


def test_only_what_was_published_is_replaced(tmp_path: Path) -> None:
    places = Places(tmp_path / "report.html", tmp_path / "report.proof")
    require_ours(places)
    places.page.write_text("<p>somebody's work</p>", encoding="utf-8")
    with pytest.raises(AssayError, match="was not published"):
        require_ours(places)
    places.page.write_text(f'<meta name="generator" content="{GENERATOR}">', encoding="utf-8")
    places.proof.mkdir()
    require_ours(places)
    (places.proof / "f1.zip").write_bytes(b"")
    with pytest.raises(AssayError, match="was not published"):
        require_ours(places)
    (places.proof / MANIFEST).write_text("{}", encoding="utf-8")
    require_ours(places)
    (places.proof / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(AssayError, match="was not published"):
        require_ours(places)


def test_pages_of_models_have_names_that_are_safe_and_their_own() -> None:
    name = page_name("../../Märchen & Co: 2024", "text")
    assert name.startswith("m-rchen-co-2024-") and "/" not in name
    assert page_name("", "text").startswith("report-") and page_name("", "a") != page_name("", "b")


def test_a_page_that_is_shown_again_replaces_a_page_alone(tmp_path: Path) -> None:
    place = tmp_path / "new" / "page.html"
    ours = f'<meta name="generator" content="{GENERATOR}">'.encode()
    write_page(place, ours)
    write_page(place, ours + b" ")
    assert place.read_bytes() == ours + b" "
    place.write_text("somebody's work", encoding="utf-8")
    with pytest.raises(AssayError, match="was not published"):
        write_page(place, ours)
    with pytest.raises(AssayError, match="cannot be written"):
        write_page(place / "below" / "page.html", ours)
