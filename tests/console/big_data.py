"""Files that are larger than people look at, written in a second or two."""

from __future__ import annotations

from pathlib import Path

ROWS, COLUMNS, SHOPS, CHARACTERS = 1_000_000, 10_000, 500, 100_000


def million_rows(folder: Path) -> Path:
    """Sales of four regions, 36 MB."""
    regions, products = ("North", "South", "West", "East"), ("chair", "desk", "lamp")
    part = [
        f"2024-{n % 12 + 1:02d}-{n % 28 + 1:02d},{regions[n % 4]},{products[n % 3]},{n % 9 + 1},"
        f"{(n * 37 % 9973) / 100:.2f}"
        for n in range(10_007)
    ]
    path = folder / "million.csv"
    with path.open("w") as file:
        file.write("sale_id,sold_on,region,product,quantity,price\n")
        file.writelines(f"{n},{part[n % 10_007]}\n" for n in range(1, ROWS + 1))
    return path


def many_columns(folder: Path) -> Path:
    """Twenty rows of ten thousand columns."""
    names = ["sample_id", *(f"m_{n:05d}" for n in range(1, COLUMNS))]
    lines = [
        ",".join([str(row), *(str((row * n + n) % 97) for n in range(1, COLUMNS))])
        for row in range(20)
    ]
    path = folder / "wide.csv"
    path.write_text("\n".join([",".join(names), *lines]) + "\n")
    return path


def many_categories(folder: Path) -> Path:
    """Five thousand sales of five hundred shops, of which number 7 sells most."""
    lines = ["sale_id,shop,quantity"]
    for n in range(5_000):
        shop = n % SHOPS
        lines.append(f"{n + 1},Shop number {shop:03d},{100 if shop == 7 else shop % 13 + 1}")
    path = folder / "shops.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def long_cells(folder: Path) -> Path:
    """Cells of 100,000 characters that are scripts, markup, escapes and marks of direction, and a
    column's name of ten thousand."""
    texts = (
        "<script>globalThis.ran=1</script>",
        "\u202eright to left ",
        "\x1b[31mred ",
        "<img src=x onerror=globalThis.ran=2>",
        "unbroken",
        "words and words ",
    )
    cells = [(text * (CHARACTERS // len(text) + 1))[:CHARACTERS] for text in texts]
    name = "<b onmouseover=globalThis.ran=3>" + "long_name_" * 1_000
    lines = [f'id,kind,note,"{name}"']
    lines += [f'{n},k{n % 3},"{cells[n % 6]}",{n % 7}' for n in range(30)]
    path = folder / "long.csv"
    path.write_text("\n".join(lines) + "\n")
    return path
