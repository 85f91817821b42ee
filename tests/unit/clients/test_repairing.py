"""`assay look --repair`: what is wanted is kept in the model beside the file; the rest stays."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import yaml

from assay.common.v1 import data_pb2, look_pb2
from clients.python.cli.repairing import keep, repair
from mesh.errors import AssayError
from tests.unit.clients.conftest import Printed


def doubt(value: str) -> data_pb2.Doubt:
    mends = [data_pb2.Repair(kind="nothing", column="co", value=value)]
    return data_pb2.Doubt(source_name="air.csv", said=f"co is {value}", repairs=mends)


SEEN = look_pb2.Look(doubts=[doubt("-200"), doubt("-1"), data_pb2.Doubt(said="no key")])


def kept(folder: Path) -> dict[str, object]:
    model: dict[str, object] = yaml.safe_load((folder / "air.assay.yaml").read_text())
    return model


def test_all_that_can_be_repaired_is_kept_beside_the_file(tmp_path: Path) -> None:
    file = str(tmp_path / "air.csv")
    repair(Printed(), SEEN, [file], every=True)
    assert kept(tmp_path) == {"repairs": {"air.csv": ["nothing.co=-200", "nothing.co=-1"]}}
    repair(Printed(), SEEN, [file], every=True)
    assert kept(tmp_path) == {"repairs": {"air.csv": ["nothing.co=-200", "nothing.co=-1"]}}


def test_one_by_one_what_is_left_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("7\n\n1\n"))
    wanted = repair(Printed(), SEEN, [str(tmp_path / "air.csv")], every=False)
    assert wanted == {"air.csv": ["nothing.co=-1"]}


def test_the_rest_of_a_model_stays_as_it_is_written(tmp_path: Path) -> None:
    model = tmp_path / "air.assay.yaml"
    written = "# mine\ntables:\n  air:\n    synonyms: [measurements]  # as people say\n"
    model.write_text(written + "repairs:\n  old.csv:\n    - nothing.a=1\n# the end\n")
    keep(model, "air.csv", ["nothing.co=-200"])
    assert model.read_text().startswith(written) and model.read_text().endswith("# the end\n")
    assert kept(tmp_path)["repairs"] == {"old.csv": ["nothing.a=1"], "air.csv": ["nothing.co=-200"]}


def test_what_is_no_model_is_not_added_to(tmp_path: Path) -> None:
    (tmp_path / "air.assay.yaml").write_text("- a\n- list\n")
    with pytest.raises(AssayError, match="cannot be added to"):
        keep(tmp_path / "air.assay.yaml", "air.csv", ["nothing.co=-200"])


def test_a_database_cannot_be_repaired() -> None:
    with pytest.raises(AssayError, match="only files"):
        repair(Printed(), SEEN, [], every=True)
