"""Ask Assay from Python: `from assay import ask`. The rest of this package is generated."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clients.python.blocking import Assay as Assay
    from clients.python.calls import within as within
    from clients.python.client import AssayClient as AssayClient
    from clients.python.notebook_answers import Answered as Answered
    from clients.python.notebook_answers import ask as ask
    from clients.python.question import Question as Question

_HOMES = {
    "Answered": "notebook_answers",
    "Assay": "blocking",
    "AssayClient": "client",
    "Question": "question",
    "ask": "notebook_answers",
    "within": "calls",
}

__all__ = ["Answered", "Assay", "AssayClient", "Question", "ask", "within"]


def __getattr__(name: str) -> Any:
    """What is asked for, imported only then: every generated module imports this one."""
    if name not in _HOMES:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    return getattr(import_module(f"clients.python.{_HOMES[name]}"), name)
