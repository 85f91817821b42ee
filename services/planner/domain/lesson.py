"""What a job taught: the outcome of the recipe it used, or the recipe and report it leaves."""

from __future__ import annotations

from pydantic import Field

from services.planner.domain.analysis.recipe import Recipe
from services.planner.domain.catalogue import Frozen


class Lesson(Frozen):
    """Of one job. Telling memory a lesson again changes nothing.

    `failed` says of each recipe that did not work, why; `worked` names the one that did. Empty
    fields have nothing to tell. The document goes with the session, where there is one.
    """

    job_id: str
    failed: dict[str, str] = Field(default_factory=dict)
    worked: str = ""
    recipe: Recipe | None = None
    document: str = ""
    session_id: str = ""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to tell."""
        return not (self.failed or self.worked or self.recipe or self.document)
