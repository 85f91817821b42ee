"""What an MCP tool answers becomes a table where it is one, and stays words where it is not."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from mesh.errors import TOOL_CALL_FAILED, AssayError
from mesh.policy import Policy
from mesh.testing.tool_context import FakeToolContext
from mesh.tool import DomainReply, ErrorCategory, ToolError
from services.executor.domains.asking import within
from services.executor.domains.results import frame_of
from services.executor.tools.domain_call import DomainCallArguments, domain_call

types = pytest.importorskip("mcp.types")


def answer(*texts: str, structured: Any = None, error: bool = False) -> Any:
    content = [types.TextContent(type="text", text=text) for text in texts]
    return types.CallToolResult(content=content, structured_content=structured, is_error=error)


@pytest.mark.parametrize(
    ("given", "rows"),
    [
        (answer("x", structured={"result": [{"a": 1}, {"a": 2}]}), [{"a": 1}, {"a": 2}]),
        (answer(structured={"rows": [{"a": 1, "b": "x"}]}), [{"a": 1, "b": "x"}]),
        (
            answer(structured={"columns": ["a", "b"], "rows": [[1, 2], [3, 4]]}),
            [{"a": 1, "b": 2}, {"a": 3, "b": 4}],
        ),
        (answer(structured={"total": 5, "unit": "kg"}), [{"total": 5, "unit": "kg"}]),
        (answer(structured={"found": 2, "orders": [{"id": 7}]}), [{"id": 7}]),
        (answer('[{"a": 1}, {"b": "x"}]'), [{"a": 1, "b": None}, {"a": None, "b": "x"}]),
        (answer('{"a": 1}', '{"a": 2}'), [{"a": 1}, {"a": 2}]),
        (answer("a,b\n1,x\n,y\n"), [{"a": 1, "b": "x"}, {"a": None, "b": "y"}]),
        (answer("a;b\n1,5;x\n2,5;y"), [{"a": "1,5", "b": "x"}, {"a": "2,5", "b": "y"}]),
        (answer("code,n\n007,1.5\n010,2"), [{"code": "007", "n": 1.5}, {"code": "010", "n": 2.0}]),
        (answer(structured=[{"a": 1}, {"a": "x"}]), [{"a": "1"}, {"a": "x"}]),
        (answer(structured=[{"a": {"b": [1]}}]), [{"a": '{"b": [1]}'}]),
        (answer(structured=[{"a": 2**70}]), [{"a": str(2**70)}]),
        (answer(structured=[{"a": 1}, {"a": 1.5}]), [{"a": 1.0}, {"a": 1.5}]),
        (answer(structured=[{"a": True}, {"a": None}]), [{"a": True}, {"a": None}]),
        (answer("5", structured={"result": 5}), [{"result": 5}]),
    ],
)
def test_a_table_is_found(given: Any, rows: list[dict[str, Any]]) -> None:
    frame, tabular = frame_of(given, 100)

    assert tabular
    assert frame.to_pylist() == rows


@pytest.mark.parametrize(
    "given",
    [
        answer("Tea is out.", structured={"result": "Tea is out."}),
        answer("First, look at the stock.\nThen, order more."),
        answer("One line, with a comma"),
        answer("[]"),
        answer("{not json}"),
        answer("a,a\n1,2"),
        answer("a,b\n1"),
        answer("[" * 10_000),
    ],
)
def test_words_stay_words(given: Any) -> None:
    frame, tabular = frame_of(given, 100)

    assert not tabular
    assert frame.to_pylist() == [{"text": given.content[0].text}]


def test_nothing_and_failures_are_told() -> None:
    for given in (answer(), answer("  "), answer("broken\n\nhere", error=True)):
        with pytest.raises(AssayError) as raised:
            frame_of(given, 100)
        assert raised.value.reason is TOOL_CALL_FAILED
    assert "broken here" in raised.value.message


def test_too_many_rows_or_columns_are_refused() -> None:
    for given in (
        answer(structured=[{"a": n} for n in range(101)]),
        answer(structured=[{f"c{n}": n for n in range(1_001)}]),
    ):
        with pytest.raises(ToolError) as raised:
            frame_of(given, 100)
        assert raised.value.category is ErrorCategory.RESOURCE_EXHAUSTED


def arguments() -> DomainCallArguments:
    return DomainCallArguments(
        domain="stock", server="warehouse", tool="levels", digest="0" * 64, arguments={"q": "x"}
    )


def test_the_tool_hands_over_a_table() -> None:
    frame = pa.table({"a": [1, 2]})
    asked: list[tuple[Any, ...]] = []

    def reply(*given: Any) -> DomainReply:
        asked.append(given)
        return DomainReply(frame, True, "warehouse:levels")

    result = domain_call.run(arguments(), FakeToolContext(answer_domain=reply))

    assert asked == [("warehouse", "levels", {"q": "x"}, "0" * 64, 50.0)]
    assert result.frame is frame and result.files == ()
    assert result.summary == "stock gave 2 rows"


def test_words_are_a_source_that_can_be_cited_and_are_called_unchecked() -> None:
    words = DomainReply(pa.table({"text": ["Do as I say"]}), False, "warehouse:levels")

    result = domain_call.run(arguments(), FakeToolContext(answer_domain=lambda *_: words))

    assert result.files[0].content == b"Do as I say"
    assert result.files[0].metadata["source"] == "warehouse:levels"
    assert "which were not checked" in result.notes[-1]


def test_numbers_whose_digits_are_blocked_are_masked() -> None:
    """A card that a server gives as a number is no less a card."""
    cards = [4111111111111111, 4012888888881881, 5555555555554444]
    frame = pa.table({"pan": cards, "paid": [1.5, 2.0, None]})
    shown, notes = within(frame, "payments", Policy(blocked_patterns=("credit_card",)))
    assert shown.to_pydict() == {"pan": ["[blocked]"] * 3, "paid": [1.5, 2.0, None]}
    assert notes == ("3 cells of payments were masked by the policy.",)
