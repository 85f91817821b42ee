"""When to tell an answer as sure, when with a doubt, and when to refuse.

Measured by `python -m bench.training` on databases that the models had not seen; the figures are in
docs/questions.md.
"""

from __future__ import annotations

SURE = 0.9
"""From here on answers are told as sure."""
LIKELY = 0.6
"""From here on answers are told as likely, with how they were read."""
ANSWERED = 0.6
"""Below this nothing is answered."""
