"""The notebook of a causal study finds again what the study told, and says where it does not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from mesh.frames.canonical import table_digest
from mesh.text.markdown import plain_words
from mesh.tool import ErrorCategory, ToolError, ToolResult
from services.executor.causal.estimation.run import rows_of as estimates_of
from services.executor.causal.frame import StudyArguments, studies_in
from services.executor.causal.notebook.arguments import CausalNotebookArguments
from services.executor.causal.notebook.data import counts_as_one
from services.executor.causal.notebook.words import lines_of
from services.executor.tools.causal_notebook import causal_notebook
from tests.thorough import times
from tests.unit.executor.plot_help import Context

UNKIND = 'a <script>alert(1)</script> ![x](http://there/x.png) [y](javascript:z) $5 _b_ `c` & "d"'


class Running(Context):
    """A context with time, which keeps what it was told, and may cancel at the first cell."""

    seconds_left = 300.0

    def __init__(self, table: pa.Table, *, cancel: bool = False) -> None:
        super().__init__({"data": table})
        self.told: list[str] = []
        self._cancel = cancel

    def progress(self, message: str, fraction: float | None = None) -> None:
        self.told.append(message)
        if self._cancel:
            self.cancelled.set()


def visits(rows: int = 400) -> pa.Table:
    """Promotions that went to the older, who spend more anyway; the effect is 2."""
    random = np.random.default_rng(0)
    age = random.normal(40, 10, rows)
    region = random.choice(["north", "south", "it's <east>"], rows)
    promo = random.random(rows) < 1 / (1 + np.exp(-(age - 40) / 15))
    spend = 2 * promo + 0.1 * age + (region == "south") + random.normal(size=rows)
    named = np.where(promo, "yes", "no")
    return pa.table({"promo": named, "spend": spend, "age": age, "region": region})


@cache
def plain_difference() -> dict[str, Any]:
    """The difference of means with its HC3 interval, by hand."""
    table = visits()
    treated = np.array(table.column("promo").to_pylist()) == "yes"
    spend = table.column("spend").to_numpy()
    one, zero = spend[treated], spend[~treated]
    gap = one.mean() - zero.mean()
    parts = [((arm - arm.mean()) ** 2).sum() / (len(arm) - 1) ** 2 for arm in (one, zero)]
    half = stats.t(len(spend) - 2).ppf(0.975) * np.sqrt(sum(parts))
    return {
        "method": "naive",
        "estimand": "ATE",
        "estimate": float(gap),
        "ci_lower": float(gap - half),
        "ci_upper": float(gap + half),
    }


def asked(**more: Any) -> CausalNotebookArguments:
    given: dict[str, Any] = {
        "input": "data",
        "title": f"The effect of promo on spend {UNKIND}",
        "treatment": "promo",
        "outcome": "spend",
        "adjustment": ["age", "region"],
        "estimates": [plain_difference()],
        "job_id": "job-1",
        "sections": [{"heading": "Verdict", "markdown": f"- {UNKIND}\n- it stands"}],
    }
    return CausalNotebookArguments(**{**given, **more})


def run(table: pa.Table | None = None, **more: Any) -> ToolResult:
    return causal_notebook.run(asked(**more), Running(visits() if table is None else table))


def rows_of(result: ToolResult) -> list[dict[str, Any]]:
    assert result.frame is not None
    found: list[dict[str, Any]] = result.frame.to_pylist()
    return found


@pytest.fixture(autouse=True)
def no_kernel_is_left() -> Iterator[None]:
    yield
    assert [one for one in psutil.Process().children(recursive=True) if _is_kernel(one)] == []


def _is_kernel(process: psutil.Process) -> bool:
    """Whether it runs a notebook; one that has ended by now does not."""
    try:
        return "ipykernel_launcher" in " ".join(process.cmdline())
    except (psutil.ZombieProcess, psutil.NoSuchProcess):
        return False


@pytest.fixture(scope="module")
def result() -> ToolResult:
    wrong = {"method": "OLS", "estimand": "ATE", "estimate": 7.0, "ci_lower": 6.0, "ci_upper": 8.0}
    forest = {**wrong, "method": "causal_forest"}
    return run(estimates=[plain_difference(), wrong, forest])


def test_each_figure_is_computed_again_and_a_wrong_one_is_told(result: ToolResult) -> None:
    rows = rows_of(result)
    assert [row["same"] for row in rows] == [True] * 3 + [False] * 3
    assert rows[3]["name"] == "OLS ATE, estimate"
    assert rows[3]["seen"] == pytest.approx(2, abs=0.3)
    assert result.summary == "run again, 3 of 6 figures came out the same"
    assert any("other figures for: OLS ATE, estimate" in note for note in result.notes)


def test_what_is_not_computed_again_is_told_and_not_counted(result: ToolResult) -> None:
    assert not any("causal_forest" in row["name"] for row in rows_of(result))
    assert any("does not compute them: causal_forest ATE" in note for note in result.notes)
    assert "Told, not computed again" in result.files[1].content.decode()


def test_the_notebook_names_its_job_and_its_data(result: ToolResult) -> None:
    book = json.loads(result.files[0].content)
    front = "".join(book["cells"][0]["source"])
    assert "`assay verify job-1`" in front
    assert table_digest(visits()) in front
    assert str(result.files[2].metadata["sha256"]) in front
    names = [(file.name, file.kind) for file in result.files]
    assert names == [
        ("notebook.ipynb", "report"),
        ("notebook.html", "report"),
        ("data.parquet", "table"),
    ]


def test_the_code_knows_nothing_of_assay_and_every_cell_ran(result: ToolResult) -> None:
    cells = json.loads(result.files[0].content)["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert not any(
        word in "".join(cell["source"]).lower()
        for cell in code
        for word in ("assay", "services.", "import mesh")
    )
    assert not any(
        out["output_type"] in ("error", "stream") and out.get("name") != "stdout"
        for cell in code
        for out in cell["outputs"]
    )


def test_the_page_fetches_nothing_and_takes_no_word_for_code(result: ToolResult) -> None:
    page = result.files[1].content.decode()
    assert "<script" not in page
    assert 'src="http' not in page and 'href="http' not in page and "javascript:z)" in page
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page
    assert "&lt;script&gt;" in page


def test_equal_arguments_and_data_give_equal_files() -> None:
    first, second = run(), run()
    assert [a.content == b.content for a, b in zip(first.files, second.files, strict=True)] == (
        [True, True, True]
    )
    assert first.frame == second.frame


def test_imputations_are_estimated_one_by_one_and_pooled() -> None:
    table = visits()
    stacked = pa.concat_tables(
        [table.append_column("_imputation", pa.array([k] * table.num_rows)) for k in range(3)]
    )
    found = run(stacked)
    # Three equal data sets differ in nothing: pooling them is the estimate of one.
    assert [row["same"] for row in rows_of(found)] == [True] * 3


def test_a_study_that_cannot_be_computed_is_a_failed_cell_in_words() -> None:
    table = visits().set_column(2, "age", pa.array([None] * 400, pa.float64()))
    ols = {**plain_difference(), "method": "OLS"}
    found = run(table, estimates=[plain_difference(), ols])
    assert [row["same"] for row in rows_of(found)] == [True] * 3 + [False] * 3
    assert [row["seen"] for row in rows_of(found)[3:]] == [None] * 3
    assert "A cell of the notebook failed: no row has all that is adjusted for." in found.notes
    assert "Traceback (most" not in found.files[1].content.decode()


def test_groups_that_nowhere_overlap_are_shown_and_break_no_cell() -> None:
    table = visits()
    treated = pa.array([0.0 if one == "no" else 100.0 for one in table.column("promo").to_pylist()])
    found = run(table.set_column(2, "age", treated), adjustment=["age"])
    assert [row["same"] for row in rows_of(found)] == [True] * 3, "the plain comparison needs none"
    assert not [note for note in found.notes if "failed" in note]
    assert "100.0% of the rows lie beyond" in found.files[1].content.decode()


def test_without_estimates_it_is_words_and_data() -> None:
    found = run(estimates=[], treatment=None, outcome=None, adjustment=[])
    assert rows_of(found) == []
    assert [file.name for file in found.files] == ["notebook.ipynb", "notebook.html"]


def test_a_cancelled_call_ends_with_its_kernel() -> None:
    context = Running(visits(), cancel=True)
    with pytest.raises(ToolError, match="stopped as it ran") as stopped:
        causal_notebook.run(asked(), context)
    assert stopped.value.category is ErrorCategory.CANCELLED
    assert len(context.told) < 5


def test_a_call_without_time_left_ends_with_its_kernel() -> None:
    context = Running(visits())
    context.seconds_left = 0.0
    with pytest.raises(ToolError, match="time ran out") as stopped:
        causal_notebook.run(asked(), context)
    assert stopped.value.category is ErrorCategory.RESOURCE_EXHAUSTED


@pytest.mark.parametrize(
    "more, told",
    [
        ({"input": "gone"}, "no frame of a step 'gone'"),
        ({"adjustment": ["weight"]}, "no column 'weight'"),
        ({"treatment": "region"}, "3 values as text"),
        ({"treated": "maybe"}, "never has the value 'maybe'"),
    ],
)
def test_a_study_that_cannot_be_read_is_refused(more: dict[str, Any], told: str) -> None:
    with pytest.raises(ToolError, match=told):
        run(**more)


@pytest.mark.parametrize(
    "values, one",
    [
        (["no", "yes", "yes"], "yes"),
        ([0, 1, 1], 1),
        (["a", "b", "a"], "b"),
        (["placebo", "drug", "drug"], "drug"),
        ([1.0, 2.0, 3.0], None),
        ([0.0, 5.0, 5.0], 5.0),
    ],
)
def test_what_counts_as_treated(values: list[Any], one: Any) -> None:
    assert counts_as_one(pa.chunked_array([values]), None) == one


@settings(max_examples=times(25, 200), deadline=None)
@given(st.text(max_size=80) | st.just(UNKIND))
def test_words_of_others_are_words_alone(text: str) -> None:
    from nbconvert.filters.markdown_mistune import markdown2html_mistune

    for shown in (plain_words(text), lines_of(f"- {text}")):
        html = markdown2html_mistune(f"## x\n\nword {shown}")
        assert not any(tag in html for tag in ("<a href", "<img", "<script", "<code", "<em"))


@pytest.mark.parametrize("binary", [True, False])
def test_the_estimators_of_the_study_are_found_again(binary: bool) -> None:
    """Every method that the notebook computes gives what causal.estimate gives."""
    module = pytest.importorskip("services.executor.tools.causal_estimate")
    table = visits(900)
    if not binary:
        noise = np.random.default_rng(1).normal(size=900)
        table = table.set_column(0, "promo", pa.array(table.column("age").to_numpy() / 20 + noise))
    study = {"treatment": "promo", "outcome": "spend", "seed": 3}
    methods = ["naive", "OLS", "IPW", "AIPW", "PSM", "stratification", "DML"]
    estimates = []
    for method in methods if binary else ["naive", "OLS", "DML"]:
        plain = method == "naive"
        arguments = module.CausalEstimateArguments(
            input="data",
            method="OLS" if plain else method,
            adjustment=() if plain else ("age", "region"),
            **study,
        )
        frame = module.causal_estimate.run(arguments, Running(table)).frame
        estimates += [{**row, "method": method} for row in frame.to_pylist()]
    found = run(table, estimates=estimates, seed=3)
    assert len(rows_of(found)) == 3 * len(estimates) > 0
    assert [row for row in rows_of(found) if not row["same"]] == []


@pytest.mark.parametrize("rows", [31, 60])
def test_imputed_rows_of_a_treatment_of_degrees_are_told_alike(rows: int) -> None:
    """What is compared plainly is the same in every imputation, so that nothing is uncertain by
    what was missing: neither the study nor its notebook takes degrees of freedom away for it."""
    random = np.random.default_rng(rows)
    dose, age = random.normal(size=rows), random.normal(size=rows)
    spend = 0.3 * dose + 0.1 * age + random.normal(size=rows)
    drawn = [np.where(np.arange(rows) % 4, age, random.normal(size=rows)) for _ in range(20)]
    table = pa.table(
        {
            "dose": np.tile(dose, 20),
            "spend": np.tile(spend, 20),
            "age": np.concatenate(drawn),
            "_row": np.tile(np.arange(rows), 20),
            "_imputation": np.repeat(np.arange(20), rows),
        }
    )
    given: dict[str, Any] = {"treatment": "dose", "outcome": "spend"}
    told = []
    for name, adjustment in (("naive", ()), ("OLS", ("age",))):
        arguments = StudyArguments(input="data", adjustment=adjustment, **given)
        [row, *_] = estimates_of("OLS", studies_in(table, arguments))
        ends = {key: row[key] for key in ("estimate", "ci_lower", "ci_upper")}
        told.append({"method": name, "estimand": "ATE", **ends})
    found = rows_of(run(table, **given, adjustment=["age"], estimates=told))
    assert [row["same"] for row in found] == [True] * 6, found
