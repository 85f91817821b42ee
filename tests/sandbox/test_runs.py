"""What honest code can do, and what it is told when it fails."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from mesh.tool import ErrorCategory, ToolError
from tests.sandbox.conftest import Run

SALES = {"region": ["N", "S", "N"], "amount": [1.0, 2.0, 3.5]}


def test_code_works_on_the_frames_of_earlier_steps(run: Run) -> None:
    given = run("result = sales.groupby('region').amount.sum()", sales=SALES)

    assert given.frame is not None
    assert given.frame.to_pydict() == {"region": ["N", "S"], "amount": [4.5, 2.0]}


def test_the_libraries_that_are_promised_are_there(run: Run) -> None:
    code = """
import statsmodels.formula.api as smf
from scipy import stats
fit = smf.ols("amount ~ C(region)", df).fit()
result = {"mean": fit.params.iloc[0], "t": stats.ttest_1samp(df.amount, 0).statistic,
          "rows": tables["sales"].num_rows}
"""
    given = run(code, sales=SALES)

    assert given.frame is not None
    (row,) = given.frame.to_pylist()
    assert row["mean"] == pytest.approx(2.25)
    assert row["rows"] == 3


def test_figures_come_back_as_pictures_of_pixels_alone(run: Run) -> None:
    given = run("plt.plot(df.amount)\nplt.figure()\nplt.bar(df.region, df.amount)", sales=SALES)

    assert len(given.figures) == 2
    for figure in given.figures:
        assert figure.startswith(b"\x89PNG\r\n\x1a\n")
        assert struct.unpack(">II", figure[16:24]) == (640, 480)
        assert b"tEXt" not in figure


def test_the_same_code_gives_the_same_numbers_and_pictures(run: Run) -> None:
    code = """
import os, random, secrets, uuid
from numpy.random import Generator, PCG64, RandomState, default_rng
random.seed(); np.random.seed()
values = [random.random(), random.Random().random(), random.SystemRandom().random(),
          np.random.rand(), np.random.default_rng().random(), default_rng().random(),
          Generator(PCG64()).random(), RandomState().rand(), scipy.stats.norm.rvs()]
plt.plot(values)
result = {"values": str(values), "order": str({"b", "a", "c"}), "hash": hash("a"),
          "frame": str(pd.Series(range(9)).sample(3).tolist()),
          "system": f"{os.urandom(4)} {uuid.uuid4()} {secrets.token_hex(4)}"}
"""
    first, second = run(code), run(code)

    assert first.frame is not None
    assert first.frame == second.frame
    assert first.figures == second.figures
    assert first.notes == ()


@pytest.mark.parametrize(
    ("code", "notes"),
    [
        ("import time\nresult = time.time()", "reads the clock (line 2)"),
        ("from time import perf_counter as p\nresult = p()", "reads the clock (line 2)"),
        ("result = pd.Timestamp.now()", "reads the clock (line 1)"),
        ("result = pd.Timestamp('today')", "reads the clock (line 1)"),
        ("import datetime as d\nresult = str(d.date.today())", "reads the clock (line 2)"),
        ("import uuid\nresult = str(uuid.uuid1())", "reads the clock (line 2)"),
        ("import concurrent.futures\nresult = 1", "may run threads, in any order (line 1)"),
        ("import time\nresult = time.strftime('%Y', time.gmtime(0))", ""),
        ("result = pd.Series(['now']).str.len()", ""),
        ("result = pd.to_datetime(pd.Series(['2024-01-01'])).dt.time.astype(str)", ""),
    ],
)
def test_code_that_may_give_another_result_next_time_is_noted(
    code: str, notes: str, run: Run
) -> None:
    said = [f"the code {notes}: run again, it may give another result"] if notes else []

    assert list(run(code).notes) == said


FAILURES: dict[str, tuple[str, ErrorCategory, dict[str, Any], str]] = {
    "a column that is not there": (
        "x = 1\nresult = sales['amnt']",
        ErrorCategory.MISSING_COLUMN,
        {"column": "amnt", "candidates": ["amount"], "line": 2},
        "line 2: result = sales['amnt']",
    ),
    "a type that does not fit": (
        "result = sales.amount + 'x'\n",
        ErrorCategory.TYPE_MISMATCH,
        {"error": "UFuncTypeError", "line": 1},
        "line 1",
    ),
    "a syntax error": (
        "x = 1\nresult = (",
        ErrorCategory.INVALID_ARGUMENTS,
        {"error": "SyntaxError", "line": 2},
        "SyntaxError",
    ),
    "an error in a function": (
        "def f(x):\n    return 1 / x\n\nresult = f(0)",
        ErrorCategory.INVALID_ARGUMENTS,
        {"error": "ZeroDivisionError", "line": 2},
        "return 1 / x",
    ),
    "a module that is not there": (
        "import torch",
        ErrorCategory.INVALID_ARGUMENTS,
        {"error": "ModuleNotFoundError", "line": 1},
        "No module named 'torch'",
    ),
    "no result": ("x = 1", ErrorCategory.INVALID_ARGUMENTS, {}, "assigned nothing to `result`"),
    "a result of no kind": ("result = object()", ErrorCategory.INVALID_ARGUMENTS, {}, "`result`"),
    "an exit": ("raise SystemExit(3)", ErrorCategory.INVALID_ARGUMENTS, {}, "SystemExit: 3"),
    "a crash": (
        "import ctypes; ctypes.string_at(0)",
        ErrorCategory.INVALID_ARGUMENTS,
        {},
        "ended its interpreter (signal 11)",
    ),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failure_says_what_and_where(failure: str, run: Run) -> None:
    code, category, details, words = FAILURES[failure]

    with pytest.raises(ToolError) as failed:
        run(code, sales=SALES)

    assert failed.value.category is category, failed.value
    assert details.items() <= failed.value.details.items()
    assert words in failed.value.message


def test_what_was_printed_before_a_failure_is_kept(run: Run) -> None:
    with pytest.raises(ToolError) as failed:
        run("print('so far')\n1 / 0")

    assert failed.value.details["printed"] == "so far\n"


def test_files_may_be_written_to_scratch_space_where_there_is_one(run: Run, way: str) -> None:
    if way == "landlock":
        pytest.skip("without namespaces there is no scratch space")

    given = run(
        "import tempfile\nwith tempfile.TemporaryFile() as f:\n    f.write(b'x'); result = f.tell()"
    )

    assert given.frame is not None
    assert not Path("/scratch").exists()


def test_too_much_code_and_too_many_frames_are_refused(run: Run) -> None:
    with pytest.raises(ToolError, match="longer than"):
        run("#" * 100_001)
    with pytest.raises(ToolError, match="at most 50"):
        run("result = 1", **{f"f{n}": {"x": [1]} for n in range(51)})
