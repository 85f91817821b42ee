"""Employees, who leads them, what they earn a year, when they left and when they were away."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bench.everyday.making import Dataset, Random, Tables, days, holes

_DEPARTMENTS = {
    "Engineering": ("Oslo", ["Engineer", "Senior Engineer", "QA Analyst"], 78_000),
    "Sales": ("London", ["Account Executive", "Sales Manager"], 61_000),
    "Marketing": ("London", ["Content Writer", "Campaign Manager"], 55_000),
    "Finance": ("Zurich", ["Accountant", "Controller"], 72_000),
    "People Ops": ("Zurich", ["Recruiter", "HR Partner"], 58_000),
    "Customer Care": ("Porto", ["Support Agent", "Team Lead"], 37_000),
}
_FIRST = (
    "Aino Bruno Carla Dario Emma Felix Gita Henk Isla Jan Kaja Leon Mona Nils Olivia Pedro".split()
)
_LAST = (
    "Aas Bianchi Clark Dahl Eriksen Foster Gruber Holm Iversen Jones Kovacs Larsen Meier Nash"
).split()


def _make(random: Random) -> Tables:
    count = 210
    names = list(_DEPARTMENTS)
    place = random.choice(6, count, p=[0.35, 0.18, 0.12, 0.11, 0.08, 0.16])
    place[:6] = range(6)
    hired = pd.Series(random.choice(days("2014-01-01", 3_900), count))
    hired.iloc[:6] = pd.Timestamp("2014-02-03")
    left = hired + pd.to_timedelta(random.integers(90, 3_600, count), unit="D")
    gone = pd.Series(random.random(count) < 0.35) & (left < pd.Timestamp("2024-12-31"))
    gone.iloc[:6] = False
    pairs = random.permutation(len(_FIRST) * len(_LAST))[:count]
    pay = np.array([_DEPARTMENTS[names[spot]][2] for spot in place]) * random.lognormal(
        0, 0.18, count
    )
    employees = pd.DataFrame(
        {
            "emp_id": range(1001, 1001 + count),
            "first_name": [_FIRST[pair // len(_LAST)] for pair in pairs],
            "last_name": [_LAST[pair % len(_LAST)] for pair in pairs],
            "dept_id": place + 1,
            "job_title": [str(random.choice(_DEPARTMENTS[names[spot]][1])) for spot in place],
            "gender": random.choice(["F", "M"], count),
            "birth_date": random.choice(days("1961-01-01", 14_600), count),
            "hire_date": hired,
            "leave_date": left.where(gone),
            "annual_salary": np.round(pay, -2).astype(int),
            "manager_id": pd.Series(place + 1001).astype("Int64"),
        }
    )
    employees.loc[:5, "manager_id"] = pd.NA
    departments = pd.DataFrame(
        [(spot + 1, name, _DEPARTMENTS[name][0]) for spot, name in enumerate(names)],
        columns=["dept_id", "dept_name", "location"],
    )
    away = 520
    absences = pd.DataFrame(
        {
            "absence_id": range(1, away + 1),
            "emp_id": random.choice(employees["emp_id"], away),
            "start_date": random.choice(days("2024-01-01", 366), away),
            "days": random.geometric(0.3, away),
            "kind": holes(
                random,
                random.choice(["sick", "vacation", "parental"], away, p=[0.45, 0.5, 0.05]),
                0.02,
            ),
        }
    )
    return {"employees": employees, "departments": departments, "absences": absences}


DATASET = Dataset(
    "payroll",
    _make,
    form="sqlite",
    keys={
        "employees": "PRIMARY KEY (emp_id), "
        "FOREIGN KEY (dept_id) REFERENCES departments (dept_id), "
        "FOREIGN KEY (manager_id) REFERENCES employees (emp_id)",
        "departments": "PRIMARY KEY (dept_id)",
        "absences": "PRIMARY KEY (absence_id), FOREIGN KEY (emp_id) REFERENCES employees (emp_id)",
    },
)
