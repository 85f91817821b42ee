"""Workbooks of hand-written XML, as small as can be."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from datetime import datetime
from xml.sax.saxutils import escape

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml"
Cell = str | float | bool | datetime | None


def rows_xml(rows: Iterable[Iterable[Cell]]) -> str:
    """The rows of a sheet."""
    return "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in rows)


def _cell(value: Cell) -> str:
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, datetime):
        return f'<c t="d"><v>{value.isoformat()}</v></c>'
    if isinstance(value, str):
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c t="n"><v>{value}</v></c>'


def workbook(
    sheets: Mapping[str, str],
    hidden: str = "",
    shared: Iterable[str] = (),
    merged: Iterable[str] = (),
) -> bytes:
    """A workbook of sheets given as XML of rows, by name; cells may refer to `shared` texts, and in
    every sheet those of `merged` ranges are one."""
    ranges = "".join(f'<mergeCell ref="{one}"/>' for one in merged)
    behind = f"<mergeCells>{ranges}</mergeCells>" if ranges else ""
    numbered = list(enumerate(sheets, start=1))
    states = {name: ' state="hidden"' if name == hidden else "" for name in sheets}
    listed = "".join(
        f'<sheet name="{name}" sheetId="{i}"{states[name]} r:id="r{i}"/>' for i, name in numbered
    )
    related = "".join(
        f'<Relationship Id="r{i}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i, _ in numbered
    )
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{_KIND}.worksheet+xml"/>'
        for i, _ in numbered
    )
    texts = "".join(f"<si><t>{escape(text)}</t></si>" for text in shared)
    if texts:
        related += (
            f'<Relationship Id="texts" Type="{_OFFICE}/sharedStrings" Target="sharedStrings.xml"/>'
        )
        overrides += (
            f'<Override PartName="/xl/sharedStrings.xml" ContentType="{_KIND}.sharedStrings+xml"/>'
        )
    members = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/><Override '
        f'PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>{overrides}</Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{related}'
        "</Relationships>",
        **{
            f"xl/worksheets/sheet{i}.xml": f'<worksheet xmlns="{_MAIN}"><sheetData>{sheets[name]}'
            f"</sheetData>{behind}</worksheet>"
            for i, name in numbered
        },
    }
    if texts:
        members["xl/sharedStrings.xml"] = f'<sst xmlns="{_MAIN}">{texts}</sst>'
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return sink.getvalue()
