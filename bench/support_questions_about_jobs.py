"""Thirty questions about finished jobs, ten a kind, with what a right answer must hold.

Written before what answers them. `holds` are texts of claims, or words of the job's own record, all
of which must be told; with none the job does not tell it, and saying so is the right answer.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Asked:
    """A question about the job of a kind."""

    kind: str
    words: str
    holds: tuple[str, ...] = ()


def _asked(kind: str, words: str, *holds: str) -> Asked:
    return Asked(kind, words, holds)


QUESTIONS: tuple[Asked, ...] = (
    _asked("analysis", "what did you assume?", "total revenue by region"),
    _asked("analysis", "how sure are you?", "19 times of 20"),
    _asked("analysis", "how did you compute that?", "sql.run"),
    _asked("analysis", "which data did you use?", "orders.csv"),
    _asked("analysis", "where does 46,098 come from?", "46098.44", "total revenue", "sql.run"),
    _asked("analysis", "what was the answer?", "131,423", "46,098", "41,830"),
    _asked("analysis", "how did you understand the question?", "total revenue by region"),
    _asked("analysis", "which files did you make?", "result.csv", "report.md"),
    _asked("analysis", "how sure are you of the value for Mars?"),
    _asked("analysis", "what did the placebo test say?"),
    _asked(
        "investigation", "which segment explained most?", "device ios with region EMEA", "-4,577.85"
    ),
    _asked("investigation", "what did you rule out?", "verything moved alike"),
    _asked("investigation", "how sure are you of the drop in EMEA?", "1.2 %", "EMEA"),
    _asked("investigation", "was the change usual?", "76 %"),
    _asked("investigation", "how much did revenue fall?", "-2,096.07", "-6.4 %"),
    _asked("investigation", "when did it begin?", "1 April 2025"),
    _asked("investigation", "what did you assume?", "totals are compared by the day"),
    _asked("investigation", "is the data complete?", "no rows on 3 days from 29 March 2025"),
    _asked("investigation", "how sure are you of the drop in LATAM?"),
    _asked("investigation", "which hypotheses are still open?", "he data changed"),
    _asked("causal", "how large is the effect?", "34.24", "31.73", "36.74"),
    _asked("causal", "what did the placebo test say?", "0.944"),
    _asked("causal", "what did you adjust for?", "prior_spend"),
    _asked("causal", "what did you assume?", "among rows alike in prior_spend"),
    _asked("causal", "how sure are you?", "not settled"),
    _asked("causal", "what did the sceptic object to?", "not identified"),
    _asked("causal", "what about hidden confounders?", "risk ratio of 4.3"),
    _asked("causal", "what is the difference without adjustment?", "51.51"),
    _asked("causal", "what does DML say?", "33.35"),
    _asked("causal", "did the promotion work better for women?"),
)
