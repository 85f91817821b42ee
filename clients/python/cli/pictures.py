"""Charts within the terminal, where it can show pictures."""

from __future__ import annotations

import base64
import contextlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clients.python.cli.screen import Screen

_KITTY_BYTES = 4096
"""The most of a picture in one piece (Kitty's graphics protocol)."""
_ITERM = ("iTerm.app", "WezTerm", "mintty")
COLUMNS = 72
"""How wide a picture is shown."""


def way(environment: Mapping[str, str] = os.environ) -> str:
    """How the terminal takes pictures: "iterm", "kitty", or empty where it does not say so.

    Within tmux and screen, which pass neither on by themselves, it is empty.
    """
    if environment.get("TMUX") or environment.get("STY"):
        return ""
    if environment.get("TERM_PROGRAM") in _ITERM:
        return "iterm"
    kitty = environment.get("KITTY_WINDOW_ID") or environment.get("TERM") == "xterm-kitty"
    return "kitty" if kitty or environment.get("TERM_PROGRAM") == "ghostty" else ""


def drawn(path: Path, by: str) -> str:
    """What a terminal must be sent to show a PNG file.

    By iTerm2's inline images protocol, or by Kitty's graphics protocol. Raises OSError.
    """
    content = base64.standard_b64encode(path.read_bytes()).decode()
    if by == "iterm":
        return f"\x1b]1337;File=inline=1;width={COLUMNS};preserveAspectRatio=1:{content}\x07\n"
    pieces = [content[at : at + _KITTY_BYTES] for at in range(0, len(content), _KITTY_BYTES)]
    sent = []
    for number, piece in enumerate(pieces):
        first = f"a=T,f=100,c={COLUMNS}," if number == 0 else ""
        more = int(number < len(pieces) - 1)
        sent.append(f"\x1b_G{first}m={more};{piece}\x1b\\")
    return "".join(sent) + "\n"


def show_pictures(screen: Screen, paths: Iterable[Path]) -> None:
    """Show PNG files where a person looks on in a terminal that can."""
    by = way() if screen.live else ""
    for path in paths if by else ():
        with contextlib.suppress(OSError):  # its path stands above all the same
            screen.out.file.write(drawn(path, by))
            screen.out.file.flush()
