"""`assay session`: files kept together with what is asked of them, and all of it written out."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.conftest import Assay

ORDERS = """order_id,ordered_on,region,revenue
1,2024-01-05,North,10.5
2,2024-02-05,South,20
3,2024-03-01,North,7
4,2024-03-09,West,5
"""


def test_a_session_is_filled_asked_exported_verified_and_deleted(
    assay: Assay, home: Path, tmp_path: Path
) -> None:
    orders, wrong = tmp_path / "orders.csv", tmp_path / "photo.csv"
    orders.write_text(ORDERS)
    wrong.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))

    made = assay("session", "new", orders, "--title", "spring", "--describe", "all orders")
    assert made.code == 0, made.err
    assert "order_id    id" in made.out and "revenue     measure" in made.out, made.out
    session = made.out.split()[1]

    refused = assay("session", "add", session, wrong)
    assert refused.code != 0 and "INVALID_FILE_TYPE" in refused.err

    asked = assay("ask", "total revenue by region", "--session", session, "--json")
    assert asked.code == 0, asked.out
    shown = assay("session", "show", session, "--json").json
    assert shown["status"] == "completed" and shown["files"][0]["description"] == "all orders"
    assert shown["files"][0]["first_rows"]["orders"][0] == ["1", "2024-01-05", "North", "10.5"]
    assert [job["job"] for job in shown["jobs"]] == [asked.json["job"]]
    assert "spring" in assay("session", "list").out

    out = tmp_path / "out"
    exported = assay("session", "export", session, "--to", out)
    assert exported.code == 0, exported.err
    verified = assay("verify", out, home=tmp_path / "nowhere")  # no mesh has this session
    assert verified.code == 0 and "7 checks of its proof" in verified.out, verified.out
    proof = out / "jobs" / asked.json["job"] / "proof"
    assert assay("verify", proof, home=tmp_path / "nowhere").code == 0
    (out / "report.md").write_text("# Something else")
    spoilt = assay("verify", out, home=tmp_path / "nowhere")
    assert spoilt.code == 5 and "report.md is gone or has other bytes" in " ".join(
        spoilt.out.split()
    )

    assert assay("session", "delete", session).code == 0
    gone = assay("session", "show", session)
    assert gone.code == 2 and "NOT_FOUND" in gone.err
