"""Lay out what the site is built of: `python -m scripts.site FOLDER`; `make site` builds it.

Pages that people write are taken as they are, with their links and lists made ready; references are
made of the code each time. So there is no copy of either that could differ from its source.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from scripts.site import commands, contracts, settings
from scripts.site.pages import Pages

ROOT = Path(__file__).resolve().parent.parent.parent
OUTSIDE = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples/README.md", "k8s/README.md")


def main(arguments: list[str]) -> int:
    """Write every page below the folder that is named, which then holds nothing else."""
    if len(arguments) != 1:
        print("usage: python -m scripts.site FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    made = {"commands": commands.page(), "settings": settings.page(), **contracts.pages()}
    for name, text in made.items():
        page = folder / "reference" / f"{name}.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(text, encoding="utf-8")
    Pages(ROOT, folder).write(OUTSIDE)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
