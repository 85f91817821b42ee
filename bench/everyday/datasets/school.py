"""Pupils and their scores by subject and term; a score that was missed is "absent"."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.everyday.making import Dataset, Random, Tables, holes

_SUBJECTS = {"Math": -4.0, "English": 1.0, "Biology": 0.0, "History": 3.0, "Art": 7.0}
_FIRST = "Ada Bea Cem Dov Eve Flo Gil Hal Ivy Jay Kit Lia Mia Ned Oda Pia Quin Rex Sue Tom".split()
_LAST = "Abbot Baird Cole Drake Egan Frost Grant Hobbs Ingram".split()


def _make(random: Random) -> Tables:
    count = 120
    pairs = random.permutation(len(_FIRST) * len(_LAST))[:count]
    level = random.integers(9, 13, count)
    hours = np.clip(random.normal(6, 2.5, count), 0, None).round(1)
    students = pd.DataFrame(
        {
            "StudentID": np.arange(5001, 5001 + count),
            "Student Name": [f"{_FIRST[pair // 9]} {_LAST[pair % 9]}" for pair in pairs],
            "Grade Level": level,
            "Homeroom": [f"{year}{'ABC'[place % 3]}" for place, year in enumerate(level)],
            "Days Absent": random.poisson(5, count),
            "Study Hours / Week": hours,
            "Lunch Program": random.choice(
                ["free", "reduced", "paid"], count, p=[0.22, 0.13, 0.65]
            ),
        }
    )
    talent = (
        random.normal(66, 9, count) + (hours - 6) * 2.1 - students["Days Absent"].to_numpy() * 0.4
    )
    rows = [
        (
            int(student),
            subject,
            term,
            float(np.clip(talent[place] + shift + random.normal(term, 7), 0, 100).round()),
        )
        for place, student in enumerate(students["StudentID"])
        for subject, shift in _SUBJECTS.items()
        for term in (1, 2, 3)
    ]
    scores = pd.DataFrame(rows, columns=["StudentID", "Subject", "Term", "Score"])
    scores["Score"] = holes(random, scores["Score"].astype(int), 0.025)
    return {"students": students, "scores": scores}


DATASET = Dataset("school", _make, missing={"scores.Score": "absent"})
