"""A whole analysis over HTTP, by the official client: tools are listed, a statement is run, tested,
drawn, its text checked and published, and what policy masks stays masked in each of them.

`assay mcp --http` is a process: who serves a port to others is what the test is about.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.obedient import DOMAIN, SALARY, SEEN, write_staff
from tests.e2e.test_mcp_tools import TOOLS, given, listening, made_token, over_http, refused

pytest.importorskip("mcp")
pytestmark = pytest.mark.timeout(300)

POLICY = [word for name in SEEN for word in ("--allow-column", name)]
BY_REGION = "select region, sum(amount) as amount from staff group by region"


async def drawn(client: Any, **arguments: object) -> dict[str, Any]:
    """A chart whose picture came with the answer, and is that of its file."""
    made = await client.call_tool("chart", arguments)
    assert not made.is_error, made.structured_content
    assert made.content[1].mime_type == "image/png"
    picture = base64.b64decode(made.content[1].data)
    assert picture.startswith(b"\x89PNG")
    assert picture == Path(made.structured_content["file"]).read_bytes()
    return dict(made.structured_content)


async def test_a_statement_becomes_a_published_page(tmp_path: Path) -> None:
    home = tmp_path / "home"
    write_staff(tmp_path / "staff.csv", [])
    with listening(home, "--data", tmp_path / "staff.csv") as url:
        async with over_http(url, made_token(home, "ann", "analyst")) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
            means = {"metric": "sum(amount)", "by": ["region"]}
            made = await given(client, "query", sql=BY_REGION, means=means)
            assert (made["frame"], made["twin"], made["not_checked"]) == ("f1", "the same", [])
            total = dict(made["rows"])
            found = await given(
                client, "test", rows="staff", kind="compare", outcome="amount", of={"by": "region"}
            )
            assert found["frame"] == "f2" and "p-value" in found["answer"]
            chart = await drawn(client, rows="f1", kind="bar", x="region", y="amount")
            assert chart["frame"] == "f3", "of the session, as all before"
            text = f"North had {{{total['North']}|f1.amount[North]}}, not significantly so."
            checked = await given(client, "check", text=text)
            assert {one["kind"] for one in checked.get("failures", [])} <= {"word-unbound"}
            text = f"North had {{{total['North']}|f1.amount[North]}}."
            assert await given(client, "check", text=text) == {"ok": True, "bound": 1}
            page = await given(client, "publish", text=text, title="By region")
            assert (Path(page["proof"]) / "f1.zip").exists() and Path(page["page"]).exists()
            assert (await given(client, "verify", job="f2", recompute=True))["ok"]
            rows = await given(client, "get_job", job="f1", rows=1)
            assert rows["table"]["total_rows"] == 2


async def test_what_is_masked_is_masked_in_tests_and_charts_too(tmp_path: Path) -> None:
    home = tmp_path / "home"
    write_staff(tmp_path / "staff.csv", [])
    policy = [*POLICY, "--block-pattern", "email"]
    with listening(home, "--data", tmp_path / "staff.csv", *policy) as url:
        async with over_http(url, made_token(home, "ann", "analyst")) as client:
            rows = "select mail, amount, person from staff where person < 4 union all " * 2
            rows += "select mail, amount + 1, person from staff where person < 4"
            made = await given(client, "query", sql=rows)
            assert {mail[:7] for mail, *_ in made["rows"]} == {"[email "}, made["rows"]
            found = await given(
                client, "test", rows="f1", kind="compare", outcome="amount", of={"by": "mail"}
            )
            assert "[email " in found["answer"], found
            await drawn(client, rows="f1", kind="box", x="mail", y="amount")
            told = [made, found]
            for frame in ("f1", "f2", "f3"):
                told.append(await given(client, "get_job", job=frame, rows=200))
            for of in ({"by": "salary"}, {"by": "region", "cluster": "salary"}):
                told.append(
                    await refused(
                        client, "test", rows="staff", kind="compare", outcome="amount", of=of
                    )
                )
            told.append(
                await refused(client, "chart", rows="staff", kind="bar", x="salary", y="amount")
            )
            told.append(await refused(client, "query", sql="select salary from staff"))
        kept = [one for one in (home / "fetched").rglob("*") if one.suffix in (".html", ".csv")]
        told.append({"files": [one.read_text(encoding="utf-8") for one in kept]})
        assert DOMAIN not in json.dumps(told) and str(SALARY)[:4] not in json.dumps(told)
