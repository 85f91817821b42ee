"""The same code over the same frames gives the same result; where it may not, that is said.

Whatever asks for randomness without a seed gets a stream that is the same in every run. Clocks are
left as they are, because code that measures or dates things means them: it is found by its names.
"""

from __future__ import annotations

import ast
import os
import random
from typing import Any

import numpy as np

_SEED = 0
_SEEDED, _GENERATOR = random.Random.seed, np.random.default_rng
_CLOCKS = frozenset(
    "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time clock_gettime "
    "thread_time localtime gmtime ctime asctime strftime".split()
)
_DATED_BY_ARGUMENTS = frozenset({"localtime", "gmtime", "ctime", "asctime", "strftime"})
_NOW = frozenset({"now", "today", "utcnow", "uuid1"})
_NOW_TEXTS = frozenset({"now", "today"})
_THREADS = frozenset({"threading", "concurrent", "_thread"})


def seed_everything() -> None:
    """Give this process, which runs one thing and ends, the same random numbers as any other."""
    system = random.Random(_SEED)

    def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
        _SEEDED(self, system.getrandbits(64) if a is None else a, version)

    def urandom(size: int, /) -> bytes:
        return system.randbytes(size)

    os.urandom = urandom
    random._urandom = urandom  # type: ignore[attr-defined]  # what secrets and numpy draw from
    random.Random.seed = seed  # type: ignore[method-assign]
    random.seed = random._inst.seed
    random.seed(_SEED)
    np.random.seed(_SEED)

    def default_rng(seed: Any = None) -> np.random.Generator:
        return _GENERATOR(_SEED if seed is None else seed)

    np.random.default_rng = default_rng


def why_it_may_differ(tree: ast.Module) -> list[str]:
    """Notes on what in the code may make another run give another result."""
    from_time = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "time"
        for name in node.names
        if name.name in _CLOCKS
    }
    clock = threads = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _reads_a_clock(node, from_time):
            clock = clock or node.lineno
        elif isinstance(node, (ast.Import, ast.ImportFrom)) and _THREADS & set(_modules(node)):
            threads = threads or node.lineno
    pairs = [(clock, "reads the clock"), (threads, "may run threads, in any order")]
    return [
        f"the code {what} (line {line}): run again, it may give another result"
        for line, what in pairs
        if line
    ]


def _reads_a_clock(call: ast.Call, from_time: set[str]) -> bool:
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if any(isinstance(one, ast.Constant) and one.value in _NOW_TEXTS for one in given):
        return _name(call.func) in {"Timestamp", "to_datetime", "datetime64", "DatetimeIndex"}
    name = _name(call.func)
    if isinstance(call.func, ast.Attribute):
        of_time = isinstance(call.func.value, ast.Name) and call.func.value.id == "time"
        return name in _NOW or (of_time and name in _CLOCKS and not _dated(name, call))
    return name in from_time and not _dated(name, call)


def _dated(name: str, call: ast.Call) -> bool:
    """Whether a time to be shown is among the arguments, so that none is looked up."""
    return name in _DATED_BY_ARGUMENTS and len(call.args) >= (2 if name == "strftime" else 1)


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _modules(node: ast.Import | ast.ImportFrom) -> list[str]:
    if isinstance(node, ast.ImportFrom):
        return [(node.module or "").partition(".")[0]]
    return [name.name.partition(".")[0] for name in node.names]
