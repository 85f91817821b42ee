"""Ask Assay from Python: `from assay import ask`. The rest of this package is generated."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clients.python.notebook_answers import Answered as Answered
    from clients.python.notebook_answers import ask as ask

__all__ = ["Answered", "ask"]


def __getattr__(name: str) -> Any:
    """What is asked for, imported only then: every generated module imports this one."""
    if name not in __all__:
        raise AttributeError(f"module 'assay' has no attribute {name!r}")
    from clients.python import notebook_answers

    return getattr(notebook_answers, name)
