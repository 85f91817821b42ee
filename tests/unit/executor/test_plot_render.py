"""The tool as plans call it: what it draws, refuses and says. One process is started: what the tool
imports can only be seen where nothing is imported yet."""

from __future__ import annotations

import io
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest
from PIL import Image

from mesh.tool import ErrorCategory, ToolError
from services.executor.plotting.arguments import ChartType, PlotArguments
from services.executor.tools.plot_render import plot_render
from tests.unit.executor.plot_help import Context, run

SALES = pa.table({"city": ["Oslo", "Rome", "Lima"], "revenue": [3.0, 1.0, 2.0]})
BARS = {"type": "bar", "x_col": "city", "y_col": "revenue"}


def test_a_chart_is_a_png_file_that_says_what_it_is() -> None:
    result = run(SALES, **BARS, title="Revenue by city", unit="USD", source="shop.sqlite")
    (file,) = result.files
    assert (file.name, file.kind, file.media_type) == ("revenue_by_city.png", "chart", "image/png")
    assert file.metadata["chart_type"] == "bar"
    assert file.metadata["x_label"] == "City"
    assert file.metadata["y_label"] == "Revenue (USD)"
    assert file.metadata["rows"] == 3
    image = Image.open(io.BytesIO(file.content))
    assert image.size == (file.metadata["width"], file.metadata["height"])
    assert image.width >= 800
    assert result.frame is None
    assert result.notes == ()


def test_equal_inputs_give_equal_bytes_and_no_version_or_time() -> None:
    first, second = (run(SALES, **BARS).files[0].content for _ in range(2))
    assert first == second
    assert "Software" not in Image.open(io.BytesIO(first)).info


def test_threads_drawing_at_once_give_the_bytes_that_one_alone_gives() -> None:
    alone = run(SALES, **BARS).files[0].content
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda _: run(SALES, **BARS).files[0].content, range(8)))
    assert set(together) == {alone}


def test_the_file_name_can_be_chosen_and_cannot_leave_its_folder() -> None:
    assert run(SALES, **BARS, file_name="../../etc/My chart.png").files[0].name == (
        "etc_my_chart.png"
    )
    assert run(SALES, **BARS, title="図").files[0].name == "chart.png"


def test_the_only_input_need_not_be_named_but_several_must() -> None:
    arguments = PlotArguments(type=ChartType.BAR, x_col="city", y_col="revenue", title="T")
    with pytest.raises(ToolError, match="the inputs are a, b") as refused:
        plot_render.run(arguments, Context({"a": SALES, "b": SALES}))
    assert refused.value.category is ErrorCategory.INVALID_ARGUMENTS
    named = arguments.model_copy(update={"input": "b"})
    assert plot_render.run(named, Context({"a": SALES, "b": SALES})).files
    with pytest.raises(ToolError, match="no earlier step gave a frame"):
        plot_render.run(arguments, Context({}))


def test_a_missing_column_is_named_with_what_there_is() -> None:
    with pytest.raises(ToolError) as refused:
        run(SALES, type="bar", x_col="city", y_col="revenu")
    assert refused.value.category is ErrorCategory.MISSING_COLUMN
    assert refused.value.details == {"column": "revenu", "candidates": ["revenue"]}


def test_text_cannot_be_drawn_as_lengths() -> None:
    with pytest.raises(ToolError) as refused:
        run(SALES, type="bar", x_col="revenue", y_col="city")
    assert refused.value.category is ErrorCategory.TYPE_MISMATCH
    assert refused.value.details == {"column": "city", "type": "string"}


@pytest.mark.parametrize("values", [[], [None, None], [float("nan"), float("inf")]])
def test_nothing_to_draw_is_said_and_not_drawn(values: list[float | None]) -> None:
    names = ["x"] * len(values)
    table = pa.table({"k": pa.array(names, pa.string()), "v": pa.array(values, pa.float64())})
    with pytest.raises(ToolError, match=r"no rows|No row has") as refused:
        run(table, type="bar", x_col="k", y_col="v")
    assert refused.value.category is ErrorCategory.INVALID_ARGUMENTS


def test_a_name_that_two_columns_share_is_refused() -> None:
    table = pa.table([pa.array(["a"]), pa.array([1]), pa.array([2])], names=["k", "v", "v"])
    with pytest.raises(ToolError, match="2 columns named 'v'"):
        run(table, type="bar", x_col="k", y_col="v")


def test_a_cancelled_call_draws_nothing() -> None:
    context = Context({"t": SALES})
    context.cancelled.set()
    with pytest.raises(ToolError) as stopped:
        plot_render.run(PlotArguments(title="T", **BARS), context)  # type: ignore[arg-type]
    assert stopped.value.category is ErrorCategory.CANCELLED


def test_importing_the_tool_does_not_import_matplotlib() -> None:
    script = (
        "import sys, services.executor.tools.plot_render; assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_drawing_leaves_global_settings_alone() -> None:
    import matplotlib

    before = dict(matplotlib.rcParams)
    run(SALES, **BARS)
    assert dict(matplotlib.rcParams) == before
