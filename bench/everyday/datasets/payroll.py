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


def _employees(random: Random, count: int) -> pd.DataFrame:
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
            "birth_date": random.choice(days("1961-01-01", 12_600), count),
            "hire_date": hired,
            "leave_date": left.where(gone),
            "annual_salary": np.round(pay, -2).astype(int),
            "manager_id": pd.Series(place + 1001).astype("Int64"),
        }
    )
    employees.loc[:5, "manager_id"] = pd.NA
    return employees


def _absences(random: Random, away: int, employees: pd.DataFrame) -> pd.DataFrame:
    here = employees.loc[employees["leave_date"].isna(), "emp_id"]
    return pd.DataFrame(
        {
            "absence_id": range(1, away + 1),
            "emp_id": random.choice(here, away),
            "start_date": random.choice(days("2024-01-01", 366), away),
            "days": random.geometric(0.3, away),
            "kind": holes(
                random,
                random.choice(["sick", "vacation", "parental"], away, p=[0.45, 0.5, 0.05]),
                0.02,
            ),
        }
    )


def _make(random: Random) -> Tables:
    employees = _employees(random, 210)
    departments = pd.DataFrame(
        [(place, name, facts[0]) for place, (name, facts) in enumerate(_DEPARTMENTS.items(), 1)],
        columns=["dept_id", "dept_name", "location"],
    )
    absences = _absences(random, 430, employees)
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
