"""When to tell an answer as sure, when with a doubt, when to ask back, and when to refuse.

Measured by `python -m bench.training` on databases that the models had not seen; the figures are in
docs/questions.md. Those of asking back by `python -m bench.asking_back`; with the shipped model, so
that `queries` and `dev` are flattered. Over 178 everyday questions it asks back about 14: the first
reading is right of 6, one of those offered of 10. In a first count over what the ranker put on top
it was 2 of 5 and 3 of 5 over 100 of `dev`, and 1 of 150 of `queries`, where from 0.6 on the
first is right 8 times of 10 by itself.
"""

from __future__ import annotations

SURE = 0.9
"""From here on answers are told as sure."""
LIKELY = 0.6
"""From here on answers are told as likely, with how they were read."""
ANSWERED = 0.6
"""Below this nothing is answered."""
DOUBTED = 0.02
"""From here on a reading that leaves no word out is told as doubtful, where nothing else was found
and nothing can be asked back: right 19 times of 39 over everyday questions, by models that had not
seen the data."""
LEVEL_WITHOUT = 0.2
"""From here on one that leaves a single word out is told as doubtful, with this word above the
answer, where nothing else was found: right 10 times of 29 over these questions, below it 2 of 18;
where two words are left out once of 40."""
CLEAR = 0.6
"""From here on nothing is asked back."""
RIVAL = 0.2
"""A reading is close with at least this share of the odds of the first."""
TOGETHER = 0.6
"""The readings offered have at least these odds together, of all that were found."""
MOST_OFFERED = 3
"""A person chooses between so many readings at most."""
DOUBTFUL = 0.5
"""How sure the first of several close readings is told, where nobody can be asked."""
