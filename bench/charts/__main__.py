"""Draw the charts of everyday questions on sheets to look at: `python -m bench.charts FOLDER`.

Each sheet holds twelve charts, numbered; `charts.txt` beside them has each question, how it was
read, and what the chart said of itself.
"""

from __future__ import annotations

import argparse
import asyncio
import io
import textwrap
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from bench.charts.asked import asked
from bench.charts.drawing import Drawer, Picture
from bench.everyday.load import build

ACROSS, DOWN = 3, 4
WIDTH, HEIGHT, CAPTION = 640, 430, 40


def main() -> None:
    """Draw them all, write the sheets and the text, and say how many there are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where sheets, charts and text are written")
    parser.add_argument("--most", type=int, default=200, help="at most so many questions")
    parser.add_argument("--only", help="only questions that hold these words")
    chosen = parser.parse_args()
    folder: Path = chosen.folder
    build(folder / "data")
    (folder / "home").mkdir(exist_ok=True)
    drawer = Drawer(folder / "data", folder / "home")
    questions = [q for q in asked() if chosen.only is None or chosen.only in q[1]]
    pictures = asyncio.run(_drawn(drawer, questions[: chosen.most]))
    drawn = [picture for picture in pictures if picture.png]
    for number, start in enumerate(range(0, len(drawn), ACROSS * DOWN), 1):
        _sheet(drawn[start : start + ACROSS * DOWN], start).save(folder / f"sheet-{number:02}.png")
    for number, picture in enumerate(drawn, 1):
        (folder / f"chart-{number:03}.png").write_bytes(picture.png)
    others = [picture for picture in pictures if not picture.png]
    texts = [_describe_picture(f"{n:>3}", picture) for n, picture in enumerate(drawn, 1)]
    texts += [_describe_picture("  -", picture) for picture in others]
    (folder / "charts.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    print(f"{len(drawn)} charts of {len(pictures)} questions, in {folder}")


async def _drawn(drawer: Drawer, questions: Sequence[tuple[str, str]]) -> list[Picture]:
    return [await drawer.draw(dataset, question) for dataset, question in questions]


def _sheet(pictures: Sequence[Picture], before: int) -> Image.Image:
    """The charts in rows, each under its number and question."""
    rows = -(-len(pictures) // ACROSS)
    sheet = Image.new("RGB", (ACROSS * WIDTH, rows * (HEIGHT + CAPTION)), "#dddddd")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(14)
    for place, picture in enumerate(pictures):
        row, column = divmod(place, ACROSS)
        left, top = column * WIDTH, row * (HEIGHT + CAPTION)
        caption = f"{before + place + 1} {picture.dataset}: {picture.question}"
        lines = textwrap.wrap(caption, 88, max_lines=2)
        pen.text((left + 4, top + 2), "\n".join(lines), fill="black", font=font)
        with Image.open(io.BytesIO(picture.png)) as chart:
            chart.thumbnail((WIDTH - 6, HEIGHT - 4))
            sheet.paste(chart, (left + 3, top + CAPTION))
    return sheet


def _describe_picture(number: str, picture: Picture) -> str:
    head = (
        f"{number} {picture.dataset}: {picture.question}\n      {picture.kind} | {picture.wording}"
    )
    return "\n".join([head, *(f"      - {note}" for note in picture.notes)])


if __name__ == "__main__":
    main()
