"""What a proposed reading is held against before it is believed."""

from __future__ import annotations

from collections.abc import Sequence

from services.planner.adapters.llm.converting import Converter
from services.planner.adapters.llm.describing import visible
from services.planner.adapters.llm.naming import Names, UnfitError
from services.planner.adapters.llm.numbers import known_numbers
from services.planner.adapters.llm.reading import ProposedReading
from services.planner.adapters.llm.values import Values
from services.planner.domain.analysis.planning import PlanningInput
from services.planner.domain.catalogue import Catalogue, ValueHit
from services.planner.domain.language.intent import Field
from services.planner.domain.reader.proposed import Proposed


class ReadingGrounds:
    """The question, the data as far as policy lets a model know of it, and what was looked up.

    Tables that there was no room for in the prompt (they are not `shown`) may still lie on the way
    between two that were. Blocks, for tens of thousands of columns a second.
    """

    def __init__(self, given: PlanningInput, shown: Catalogue, hits: Sequence[ValueHit]) -> None:
        seen = visible(given.catalogue, given.request.policy)
        self._question = given.request.intent
        self._names = Names(seen)
        known = known_numbers([self._question], None, hits)
        values = Values(self._question, known, hits)
        self._converter = Converter(seen, self._question, values)
        self._known = known_numbers([self._question], shown, hits)

    def problems(self, form: ProposedReading) -> list[str]:
        """Everything that is wrong with a reading, in words; empty when it may be weighed."""
        if form.kind == "impossible":
            if not form.reason:
                return ["reason must say what the data lacks"]
            foreign = self._known.foreign(form.reason)
            return [f"the reason states a number that is not in the question: {n}" for n in foreign]
        if form.kind == "plan":
            return []
        try:
            self._converter.intent(form)
        except UnfitError as unfit:
            return list(unfit.problems)
        return []

    def proposed(self, form: ProposedReading, by: str) -> Proposed:
        """A reading without problems, to be weighed."""
        return Proposed(self._converter.intent(form), by, tuple(self._words(form)))

    def _words(self, form: ProposedReading) -> Sequence[tuple[str, Field]]:
        """Which phrases the model takes for which columns; those that the question does not hold
        and columns that the data does not are left out."""
        folded, found = self._question.casefold(), []
        for said in form.words:
            try:
                place = self._names.place(said.column, form.base)
            except UnfitError:
                continue
            if said.phrase.strip() and said.phrase.casefold() in folded:
                found.append((said.phrase, place.field))
        return found
