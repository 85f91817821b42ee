"""Which tests one process runs after another, where several run at once."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

ROOT = Path(__file__).parent.parent
SPARK = "spark"
MARIADB = "mariadb"
SCALED = "tests/scaled/"
SHARING_A_JOB = ("[README.md]", "[docs/tutorial.md]")  # "once" in elsewhere.toml
_TAKES_SERVER = re.compile(r"\bspark(_places)?: (SparkServer|dict)")
_TAKES_MARIADB = re.compile(r"\b(mariadb: str|mysql_places: dict|\"mysql_places\")")
PAGES = "tests/documented/test_commands.py::test_commands_of_a_page"


def together(nodeid: str) -> str:
    """The name of those it belongs to: tests of a file share what the file sets up, all that ask
    Spark share its server, which takes a minute to start and much memory, all that ask MariaDB
    share its own, those of the scaled profile its ten processes, and pages share nothing but a
    causal job that two of them show.
    """
    if nodeid.startswith(PAGES):
        return PAGES if nodeid.endswith(SHARING_A_JOB) else nodeid
    file = nodeid.split("::", 1)[0]
    if file.startswith(SCALED):
        return SCALED
    if _asks_spark(file):
        return SPARK
    return MARIADB if _asks_mariadb(file) else file


@cache
def _asks_spark(file: str) -> bool:
    text = (ROOT / file).read_text(encoding="utf-8")
    return file.startswith("tests/engines/") and _TAKES_SERVER.search(text) is not None


@cache
def _asks_mariadb(file: str) -> bool:
    text = (ROOT / file).read_text(encoding="utf-8")
    return file.startswith("tests/engines/") and _TAKES_MARIADB.search(text) is not None


class Together(LoadScopeScheduling):  # type: ignore[misc]
    """Gives a process all tests that belong together."""

    def _split_scope(self, nodeid: str) -> str:
        return together(nodeid)
