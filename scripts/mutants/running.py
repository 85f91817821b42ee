"""Runs tests against a mutant, in a fork of this process that loads the mutant as the module.

The module is compiled from the changed tree when a test first imports it, so it does not matter
where the repository is installed from, and nothing on disk changes.
"""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import resource
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_NEVER_LOADED = 90  # is added to what pytest says, where tests did not load the module
_IMPORT = ""  # in place of a test's name: what runs before the first
_FAILED = (1, 2, 4)  # pytest: tests failed, or they or a conftest could not be imported
_NO_RESULT = {
    0: "its tests do not load the module",
    1: "its tests fail without a mutant",
    2: "its tests cannot be imported without a mutant",
    5: "there are no such tests",
}
_TOLD_LINES = 20
_MOST_SECONDS = 120
_PYTEST = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:timeout")


class NotTestedError(Exception):
    """Tests say nothing of a module: they fail without a mutant, never load it, or never ran."""


class Loader(importlib.abc.MetaPathFinder):
    """Finds one module, and gives it the code of a tree."""

    def __init__(self, module: str, tree: ast.Module) -> None:
        self.module, self.tree = module, tree
        self.loaded = False

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Where the module is, with a loader that compiles the tree."""
        if name != self.module:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.origin is None:
            raise NotTestedError(f"there is no module {name}")
        found = self

        class _Changed(importlib.machinery.SourceFileLoader):
            def get_code(self, fullname: str) -> CodeType:
                found.loaded = True
                return compile(ast.fix_missing_locations(found.tree), self.path, "exec")

        spec.loader = _Changed(name, spec.origin)
        return spec


@dataclass(eq=False)  # pytest keeps plugins in sets
class Seen:
    """A pytest plugin that chooses tests, or notes which lines of a module each of them runs."""

    path: str
    chosen: dict[str, float] | None = None
    lines: dict[str, set[int]] = field(default_factory=lambda: {_IMPORT: set()})
    seconds: dict[str, float] = field(default_factory=dict)
    _now: str = _IMPORT
    _watching: bool = False

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Leave the chosen ones, of each file the fastest first."""
        chosen = self.chosen
        if chosen is not None:
            kept = [item for item in items if item.nodeid in chosen]
            items[:] = sorted(kept, key=lambda item: (str(item.path), chosen[item.nodeid]))

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """What runs from now on runs for this test."""
        self._now = nodeid
        if self._watching:
            self.watch()  # again: a RecursionError ends it
        self.lines[nodeid] = set()
        self.seconds[nodeid] = -time.monotonic()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """The test is over."""
        self.seconds[nodeid] += time.monotonic()

    def watch(self) -> None:
        """Note lines from now on, in all threads."""
        self._watching = True
        threading.settrace(self._call)
        sys.settrace(self._call)

    def _call(self, frame: FrameType, _: str, __: object) -> Any:
        return self._line if frame.f_code.co_filename == self.path else None

    def _line(self, frame: FrameType, _: str, __: object) -> Any:
        self.lines[self._now].add(frame.f_lineno)
        return self._line


@dataclass(frozen=True)
class Watched:
    """What tests do without a mutant: lines and seconds of each, and the libraries they use."""

    lines: dict[str, set[int]]
    seconds: dict[str, float]
    libraries: list[str]

    def of(self, lines: range | None) -> dict[str, float]:
        """The tests that run one of these lines (None: all), with their seconds.

        What was run before the first test counts for all of them.
        """
        if lines is None or not self.lines[_IMPORT].isdisjoint(lines):
            return dict(self.seconds)
        return {test: self.seconds[test] for test, ran in self.lines.items() if ran & set(lines)}


def in_fork(work: Callable[[], int], text: str = os.devnull) -> int:
    """Begin work in a child that speaks to a file; its process id. The result is its exit code."""
    child = os.fork()
    if child:
        return child
    code = 70
    try:
        spoken = os.open(text, os.O_WRONLY)
        for stream in (1, 2):
            os.dup2(spoken, stream)
        code = work()
    finally:
        os._exit(code)


def watched(path: str, tests: Sequence[str]) -> Watched:
    """Run the tests on the module as it is. Raises NotTestedError when they fail or do not run."""
    module, tree = module_of(path), ast.parse((ROOT / path).read_text(encoding="utf-8"))
    temporary = partial(tempfile.NamedTemporaryFile, "r", encoding="utf-8")
    with temporary() as notes, temporary() as temporary_file_wrapper:

        def work() -> int:
            seen = Seen(str(ROOT / path))
            code = _pytest(Loader(module, tree), tests, seen, watch=True)
            libraries = [name for name, one in list(sys.modules.items()) if _installed(one)]
            lines = {test: sorted(ran) for test, ran in seen.lines.items()}
            values = {"lines": lines, "seconds": seen.seconds, "libraries": libraries}
            Path(notes.name).write_text(json.dumps(values), encoding="utf-8")
            return code

        _, status = os.waitpid(in_fork(work, temporary_file_wrapper.name), 0)
        code = os.waitstatus_to_exitcode(status)
        if code:
            last = "".join(temporary_file_wrapper.readlines()[-_TOLD_LINES:])
            raise NotTestedError(f"{path}: {_no_result(code)}\n{last}".rstrip())
        value = json.load(notes)
    lines = {test: set(ran) for test, ran in value["lines"].items()}
    return Watched(lines, value["seconds"], value["libraries"])


def begin(path: str, tree: ast.Module, change: Callable[[], None], tests: dict[str, float]) -> int:
    """Begin to run these tests on the tree once it is changed; the process id."""

    def work() -> int:
        change()
        _limit(sum(tests.values()))
        files = sorted({test.partition("::")[0] for test in tests})
        return _pytest(Loader(module_of(path), tree), files, Seen(path, chosen=tests))

    return in_fork(work)


def killed(what: str, status: int) -> bool:
    """Whether tests failed, by how their process ended. Raises NotTestedError for neither."""
    code = os.waitstatus_to_exitcode(status)
    if code == 0:
        return False
    if code in _FAILED or code < 0:
        return True
    raise NotTestedError(f"{what}: {_no_result(code)}")


def _no_result(code: int) -> str:
    """What it means that pytest ended so, where no mutant was to make it."""
    if code < 0:
        return f"its tests were ended by {signal.Signals(-code).name}"
    number = code - _NEVER_LOADED if code >= _NEVER_LOADED else code
    return _NO_RESULT.get(number, f"pytest itself did not run (it says {number})")


def module_of(path: str) -> str:
    """A file's module: `mesh/proof/chain.py` is `mesh.proof.chain`."""
    return path.removesuffix(".py").replace("/", ".")


def load(libraries: Sequence[str]) -> None:
    """Import what tests use, here and once, so that forks begin with it."""
    for name in libraries:
        try:
            importlib.import_module(name)
        except Exception:
            continue  # a test will say so, if it needs it


def _pytest(loader: Loader, tests: Sequence[str], seen: Seen, watch: bool = False) -> int:
    import hypothesis
    import pytest

    os.chdir(ROOT)
    sys.dont_write_bytecode = False  # of all but the mutant; else each run compiles all anew
    if loader.module in sys.modules:
        return _NEVER_LOADED
    sys.meta_path.insert(0, loader)
    # Every run tries the same examples, and none is remembered of a mutant.
    calm = {"database": None, "derandomize": True, "deadline": None, "max_examples": 50}
    hypothesis.settings.register_profile("mutants", **calm)  # type: ignore[arg-type]
    hypothesis.settings.load_profile("mutants")
    if watch:
        seen.watch()
    code = int(pytest.main([*_PYTEST, *tests], plugins=[seen]))
    return code if loader.loaded else _NEVER_LOADED + code


def _installed(module: object) -> bool:
    return "site-packages" in str(getattr(module, "__file__", ""))


def _limit(seconds: float) -> None:
    """End this process when it runs on and on: by the processor's time, and by the clock's."""
    most = int(5 + 5 * seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(_MOST_SECONDS + most)
