"""Tool causal.notebook: a causal study that anyone can run again."""

from __future__ import annotations

from mesh.tool import ToolContext, ToolResult, tool
from services.executor.causal.notebook.arguments import CausalNotebookArguments


@tool("causal.notebook", CausalNotebookArguments)
def causal_notebook(arguments: CausalNotebookArguments, context: ToolContext) -> ToolResult:
    """Write a study as a Jupyter notebook, run it once, and compare what it finds.

    The notebook computes the estimates again in plain code with public packages, from data.parquet
    beside it. Files: notebook.ipynb with its outputs, notebook.html, data.parquet. The frame has a
    row a figure: name, expected, seen (null where running it gave none), same (to six significant
    digits). Methods whose code would be long are told as recorded and have no row.
    """
    from services.executor.causal.notebook.making import notebook

    return notebook(arguments, context)
