"""What a question says about how its answer is worked out or written, which no number depends on.

"Round to two decimals", "using the pandas library", "ignore missing values": every statistic is
told in full, and is over the values that there are.
"""

from __future__ import annotations

import re

_TOOL = (
    r"(?:python(?:'s)?|pandas|numpy|scipy(?:\.stats)?|sklearn|scikit-learn|statsmodels|built-?in"
    r"|statistics (?:module|library))"
)
_TOOLS = (
    rf"\b(?:using|with|from|in|by|via)\s+(?:the\s+)?{_TOOL}(?:[\s,/]+(?:(?:or|and|the|in|from)\s+)*"
    rf"(?:{_TOOL}|librar(?:y|ies)|modules?|packages?|functions?))*(?=\W|$)"
)
_COUNT = r"(?:\d|one|two|three|four|five|six)"
_DECIMALS = rf"{_COUNT}(?:\s+|-)(?:decimal(?:\s+(?:places?|points?|digits?))?s?|digits?|places?)"
_ROUNDING = (
    rf"(?:[,;]\s*)?(?:\b(?:and|with)\s+)?(?:\bplease\s+)?\b(?:round\w*|report\w*|giv\w+|express\w*"
    r"|provid\w+|present\w*)\b(?:\s+off)?(?:\s+(?:off|it|them|the|your|final|all|both|each|to|"
    r"answers?|results?|values?|numbers?|coefficients?|rounded|up|with))*\s+(?:to\s+)?"
    rf"(?:the\s+nearest\s+)?{_DECIMALS}(?:\s+of\s+precision)?"
    rf"|(?:[,;(]\s*)?\brounded\s+(?:off\s+)?to\s+{_DECIMALS}\)?|\(\s*{_DECIMALS}\s*\)"
)
_MISSING = (
    r"(?:[,;(]\s*)?(?:\b(?:and|while|by)\s+)?\b(?:ignor\w+|exclud\w+|disregard\w*|skip\w*)\s+"
    r"(?:(?:any|all|the)\s+)*(?:missing|null|nan)\s*(?:values?|entries|data)?"
    r"(?=\s*(?:[.,;)?!]|$))\)?"
)
_MARKED = (
    r"\b(?:ignor\w+|exclud\w+|skip\w*|drop\w*|remov\w+)\s+(?:(?:any|all|the)\s+)*(?:rows|records"
    r"|entries)\s+(?:where|in which|with)\s+[^.,;?!]{1,40}?\s(?:is|are|=)\s*['\"]?[?*-]+['\"]?"
)
_SAID = re.compile(rf"{_ROUNDING}|{_TOOLS}|{_MISSING}|{_MARKED}", re.IGNORECASE)
_EMPTY = re.compile(r"(?<=[.?!;])\s*[.;,]+|^\s*[.;,]+\s*")


def without_instructions(question: str) -> str:
    """The question without them; as it was where nothing else is said."""
    left = _SAID.sub(" ", question)
    if left == question:
        return question
    left = _EMPTY.sub("", re.sub(r"\s+(?=[.,;?!])", "", re.sub(r"\s{2,}", " ", left))).strip()
    return left if re.search(r"\w", left) else question
