"""Reports for people: one content, as Markdown and as one self-contained HTML file."""

from __future__ import annotations

from services.planner.domain.reporting.html import render_html
from services.planner.domain.reporting.markdown import render_markdown
from services.planner.domain.reporting.report import Report
from services.planner.domain.reporting.summary import summary_markdown

__all__ = ["Report", "render_html", "render_markdown", "summary_markdown"]
