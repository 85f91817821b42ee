"""Which tests each run leaves out, from how long they were measured to take.

`python -m scripts.tiers JUNIT.xml …` reads what `pytest --junitxml` wrote of whole runs (a later
file goes before an earlier one) and writes tests/long.txt (left to CI by `make test`) and
tests/whole.txt (left to `make test-all` by CI). In each file tests are taken in the order in which
they are written, as long as there is time for them: the first tells the story, later ones its
corners. What tests/first.txt and tests/rest.txt name is run whatever it takes.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
# Seconds that `make test` and CI give to a file, and to the first test of a file.
SMALL, SMALL_FIRST = 1.5, 3.0
LARGE, LARGE_FIRST = 3.0, 14.0
Measured = Mapping[str, Mapping[str, float]]


def main(arguments: list[str]) -> int:
    """Write both lists; 2 without a file to read."""
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    measured = read_junit(map(Path, arguments))
    first = _lines("first.txt")
    small = [name for name in first if "::" not in name]
    long = [
        name
        for file, tests in measured.items()
        if file.startswith(tuple(small))
        for name in left_out(file, tests, SMALL, SMALL_FIRST)
    ]
    whole = [
        name
        for file, tests in measured.items()
        for name in left_out(file, tests, LARGE, LARGE_FIRST)
        if not name.startswith(tuple(line for line in first if "::" in line))
    ]
    _write("long.txt", long)
    _write("whole.txt", whole)
    print(f"{len(long)} tests are left out by make test, {len(whole)} by CI")
    return 0


def read_junit(files: Iterable[Path]) -> dict[str, dict[str, float]]:
    """Seconds of each test with all its examples, by file, in the order in which they stand."""
    from xml.etree import ElementTree

    examples: dict[str, float] = {}
    for file in files:
        for case in ElementTree.parse(file).iter("testcase"):
            examples[f"{case.get('classname')}\0{case.get('name')}"] = float(case.get("time", 0))
    found: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for name, seconds in examples.items():
        where, _, test = name.partition("\0")
        path = where.removeprefix("tests.").replace(".", "/") + ".py"
        if (TESTS / path).is_file():
            found[path][test.partition("[")[0]] += seconds
    return {path: _as_written(path, tests) for path, tests in sorted(found.items())}


def left_out(file: str, tests: Mapping[str, float], most: float, most_first: float) -> list[str]:
    """Names of the tests of a file for which its time is not enough."""
    spent, out = 0.0, []
    for place, (test, seconds) in enumerate(tests.items()):
        if spent + seconds <= most or (place == 0 and seconds <= most_first):
            spent += seconds
        else:
            out.append(f"{file}::{test}")
    return out


def _as_written(path: str, tests: Mapping[str, float]) -> dict[str, float]:
    text = (TESTS / path).read_text(encoding="utf-8")
    written = re.findall(r"^(?:async )?def (test_\w+)", text, re.MULTILINE)
    return {test: tests[test] for test in written if test in tests}


def _lines(file: str) -> list[str]:
    return (TESTS / file).read_text(encoding="utf-8").splitlines()


def _write(file: str, names: Iterable[str]) -> None:
    (TESTS / file).write_text("".join(f"{name}\n" for name in sorted(names)), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
