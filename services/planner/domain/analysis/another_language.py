"""Questions in another language than English, which the built-in reader knows only by names of the
data: what it makes of the other words is chance ("par" is a track called Par Avion)."""

from __future__ import annotations

from mesh.errors import NOTHING_UNDERSTOOD
from services.planner.domain.analysis.planning import Planning
from services.planner.domain.failure import Failure
from services.planner.domain.tongues import ENGLISH, language_of, named

_FEWEST_WORDS = 2
_HINT = "Ask in English, or let a language model read the question (ASSAY_LLM)."


def as_far_as_read(planning: Planning, question: str) -> Planning:
    """The decision of the rules on a question, never surer than its language lets them be: a
    doubtful reading or a question back is none, and any other is doubtful."""
    language = language_of(question, fewest=_FEWEST_WORDS)
    if language == ENGLISH:
        return planning
    why = f"the question seems to be {named(language)}, and the built-in reader reads English"
    if planning.draft is not None and planning.confidence != "low":
        doubt = f"{why}: only names of the data in it are understood"
        update = {"confidence": "low", "assumptions": (doubt, *planning.assumptions)}
        return planning.model_copy(update=update)
    message = f"{why[0].upper()}{why[1:]}."
    failure = Failure(reason=NOTHING_UNDERSTOOD.code, message=message, hint=_HINT)
    return Planning(
        reason=message, failure=failure, settled=planning.settled, recipe=planning.recipe
    )
