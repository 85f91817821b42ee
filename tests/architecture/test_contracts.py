"""What the contracts are held against is of this version, and what it has cannot be taken away.

Starts buf, which alone knows what breaks.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from scripts import contracts


@pytest.fixture
def protos(tmp_path: Path) -> Path:
    """A copy of the contracts, to be changed."""
    return Path(shutil.copytree(contracts.PROTOS, tmp_path / "protos"))


def without(protos: Path, method: str) -> None:
    """Take a method of the public face away."""
    (file,) = (
        file for file in protos.rglob("*.proto") if f"rpc {method}(" in file.read_text("utf-8")
    )
    text = file.read_text("utf-8")
    file.write_text(re.sub(rf"  rpc {method}\((.|\n)*?\n  }}\n", "", text))
    assert file.read_text("utf-8") != text


def test_the_base_is_of_the_version_that_the_project_has() -> None:
    assert contracts.fault_of_base(contracts.PROTOS, contracts.version()) is None


def test_a_public_method_cannot_be_taken_away(
    protos: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    without(protos, "WriteFrame")

    assert contracts.checked(protos, contracts.version()) != 0
    assert '"WriteFrame"' in capfd.readouterr().out


def test_a_new_version_wants_a_base_of_its_own(
    protos: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What its predecessors brought would be held by nothing after it."""
    assert contracts.checked(protos, "99.0.0") == 1
    assert "Run `make release-contracts`" in capfd.readouterr().err

    assert contracts.released(protos, "99.0.0") == 0
    assert [path.name for path in contracts.bases(protos)] == ["released-99.0.0.binpb"]
    assert contracts.checked(protos, "99.0.0") == 0
