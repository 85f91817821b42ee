from __future__ import annotations

import re
import tempfile
from pathlib import Path

from tests.architecture.tree import ROOT, files, text, written

# Built from parts, so that this file does not find itself.
INDEX_ADDRESSES = re.compile(
    "|".join((r"--(extra-)?" + "index-url", r"/sim" + r"ple(?![\w-])", '"resolved": *"' + "http"))
)
MACHINE_PATHS = re.compile(
    r"(?<![\w.~-])/(?:" + "|".join(("work" + "/", "root" + "/", r"Users/\w", r"home/\w")) + ")"
)
ITS_MAKING = re.compile(
    r"\b(?:"
    + "|".join(
        (
            "cla" + "ude",
            "chat" + "gpt",
            "co" + "pilot",
            "sub" + "-?agent",
            "co-authored" + "-by",
            "written by an? (?:ai|model|assistant)",
            "as an " + "ai",
            "(?:this|last|next|earlier) coding session",
        )
    )
    + r")\b",
    re.IGNORECASE,
)
UNFINISHED = re.compile(r"\b(?:" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")) + r")\b")


def found(pattern: re.Pattern[str], paths: tuple[Path, ...]) -> list[str]:
    return [
        f"{path}:{number}: {line.strip()[:100]}"
        for path in paths
        for number, line in enumerate(text(path).splitlines(), 1)
        if pattern.search(line)
    ]


def test_nothing_names_a_place_of_one_machine() -> None:
    # Where everybody may have something is no place of one machine.
    places = {ROOT.parent, Path.home()} - {Path("/"), Path(tempfile.gettempdir())}
    here = re.compile("|".join(re.escape(f"{place}/") for place in places) or "(?!)")

    assert found(MACHINE_PATHS, files()) == []
    assert found(here, files()) == []


def test_no_package_index_is_named() -> None:
    assert found(INDEX_ADDRESSES, files()) == []


def test_the_repository_speaks_of_what_it_is_not_of_how_it_was_made() -> None:
    assert found(ITS_MAKING, files()) == []


def test_nothing_is_left_unfinished() -> None:
    assert found(UNFINISHED, written(".py", ".md", ".proto", ".toml", ".sh")) == []
