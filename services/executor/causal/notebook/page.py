"""The notebook as one HTML file that loads nothing."""

from __future__ import annotations

import logging
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbformat import NotebookNode

_PICTURE = "The estimates found here, each with its 95 % interval"
_STYLE = """
body { font: 15px/1.55 system-ui, sans-serif; color: #222; max-width: 56rem; margin: 2rem auto;
  padding: 0 1.2rem; background: #fff; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { margin-top: 2.2rem; } a.anchor-link { display: none; }
code, pre { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
pre { white-space: pre; overflow-x: auto; margin: 0; overflow-wrap: normal; }
.input_area, .jp-InputArea-editor { background: #f6f7f8; border-left: 3px solid #0072B2;
  padding: .6rem .8rem; margin: .6rem 0; }
.output_area, .jp-OutputArea-child { margin: .4rem 0 .8rem; overflow-x: auto; }
.prompt, .jp-InputPrompt, .jp-OutputPrompt, .jp-Collapser { display: none; }
table { border-collapse: collapse; font-size: 13px; }
td, th { padding: .25rem .7rem; border-bottom: 1px solid #e3e3e3; text-align: right; }
td { overflow-wrap: normal; } th { text-align: left; overflow-wrap: normal; }
img { max-width: 100%; }
@media print { pre { white-space: pre-wrap; overflow-wrap: anywhere; } table { font-size: 11px; } }
"""


def page(book: NotebookNode, title: str) -> bytes:
    """Words, code, outputs and pictures; no script runs and nothing is fetched."""
    from nbconvert import HTMLExporter
    from pygments.formatters import HtmlFormatter  # type: ignore[import-untyped]

    quiet = logging.getLogger("assay.notebook.page")
    quiet.setLevel(logging.ERROR)  # it warns of pictures without words, which are given below
    exporter = HTMLExporter(  # type: ignore[no-untyped-call]
        template_name="basic", log=quiet
    )
    exporter.exclude_input_prompt = exporter.exclude_output_prompt = True
    body, _ = exporter.from_notebook_node(book)
    body = body.replace("No description has been provided for this image", _PICTURE)
    colours = HtmlFormatter(style="default").get_style_defs(".highlight")
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        "<!DOCTYPE html>\n"
        '<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{colours}\n{_STYLE}</style></head>\n"
        f"<body>\n{body}\n</body></html>\n"
    ).encode()
