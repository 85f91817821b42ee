"""Mutation testing starts pytest as it is set up here, and says so where pytest does not start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.mutants.running import NotTestedError, killed

ROOT = Path(__file__).resolve().parents[2]
CHAIN = "mesh/proof/chain.py"
CHAIN_TESTS = "tests/unit/mesh/test_chain.py"
ONE = f"{CHAIN_TESTS}::test_an_entry_cannot_be_changed"


def run(code: str) -> subprocess.CompletedProcess[str]:
    """Run code of the runner in a process that has not loaded what is to be tested."""
    ours = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    code = f"from scripts.mutants.running import *\nfrom scripts.mutants import running\n{code}"
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=ours,
        capture_output=True,
        text=True,
        check=False,
    )


def watching(*tests: str) -> subprocess.CompletedProcess[str]:
    """What comes before the first mutant of a module: its tests, without one."""
    return run(f"print(*watched({CHAIN!r}, {list(tests)!r}).seconds)")


def test_a_test_of_this_repository_passes_in_the_runners_own_pytest() -> None:
    done = watching(ONE)
    assert (done.returncode, done.stdout.strip()) == (0, ONE), done.stderr


def test_every_run_tries_the_same_examples() -> None:
    done = run(
        "import ast, hypothesis\n"
        "from scripts.mutants.running import _pytest\n"
        f"tree = ast.parse(Path({CHAIN!r}).read_text())\n"
        f"_pytest(Loader('mesh.proof.chain', tree), [{ONE!r}], Seen({CHAIN!r}))\n"
        "tried = hypothesis.settings()\n"
        "print(tried.derandomize, tried.database, tried.max_examples)"
    )
    assert done.stdout.splitlines()[-1:] == ["True None 50"], done.stdout + done.stderr


@pytest.mark.parametrize(
    ("tests", "why"),
    [
        ([ONE, "--no-such-option"], "pytest itself did not run (it says 4)"),
        ([ONE, "-p", "tests.unit.no_such_plugin"], "pytest itself did not run (it says "),
        ([CHAIN_TESTS, "-k", "no_such_test"], "there are no such tests"),
        (["tests/unit/mesh/test_json_text.py"], "its tests do not load the module"),
    ],
)
def test_a_run_that_tests_nothing_is_told_as_what_it_is(tests: list[str], why: str) -> None:
    done = watching(*tests)
    assert done.returncode != 0
    assert f"NotTestedError: {CHAIN}: {why}" in done.stderr
    assert "tests fail" not in done.stderr


@pytest.mark.parametrize(("code", "noticed"), [(0, False), (1, True), (2, True), (4, True)])
def test_a_mutant_is_killed_where_tests_fail_or_cannot_be_imported(
    code: int, noticed: bool
) -> None:
    assert killed(CHAIN, code << 8) is noticed


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (3, "pytest itself did not run (it says 3)"),
        (5, "there are no such tests"),
        (70, "pytest itself did not run (it says 70)"),
        (90, "its tests do not load the module"),
        (91, "its tests fail without a mutant"),
        (94, "pytest itself did not run (it says 4)"),
    ],
)
def test_a_mutant_is_not_killed_by_tests_that_did_not_run_on_it(code: int, why: str) -> None:
    with pytest.raises(NotTestedError) as told:
        killed(CHAIN, code << 8)
    assert str(told.value) == f"{CHAIN}: {why}"
