"""The client in Go is taken into a module of one's own as docs/clients.md says."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from scripts import clients
from tests.without import skip_where_unchanged

PROGRAM = """\
package main

import (
	"fmt"

	"assay.internal/assay"
	commonv1 "assay.internal/gen/assay/common/v1"
)

func main() {
	client, err := assay.Dial("localhost:7400", assay.Options{})
	fmt.Println(client != nil, err, (&commonv1.AnalysisRequest{Intent: "orders"}).GetIntent())
}
"""
pytestmark = pytest.mark.timeout(600)


def installing() -> list[str]:
    """What the page says to type."""
    page = (clients.CLIENTS.parent / "docs/clients.md").read_text(encoding="utf-8")
    row = next(line for line in page.splitlines() if line.startswith("| Go | [clients/go]"))
    return re.findall(r"`(go [^`]+)`", row)


def test_a_new_module_has_it_by_what_the_page_says(tmp_path: Path) -> None:
    skip_where_unchanged("clients")
    if tool := clients.missing("go"):
        pytest.skip(f"there is no {tool} here")
    (tmp_path / "main.go").write_text(PROGRAM, encoding="utf-8")

    def run(command: str) -> str:
        words = shlex.split(command.replace("PATH/clients", str(clients.CLIENTS)))
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    for command in ("go mod init assay.example/orders", *installing()):
        run(command)

    assert run("go run .") == "true <nil> orders\n"
