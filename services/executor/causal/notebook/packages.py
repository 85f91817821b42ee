"""The cell that names the packages and their versions."""

from __future__ import annotations

from collections.abc import Collection
from importlib.metadata import version

_USED = ["numpy", "pandas", "pyarrow", "scipy", "scikit-learn", "matplotlib"]
_OF_CROSS_FITTED = """\
from doubleml import DoubleMLData, DoubleMLIRM, DoubleMLPLR
from doubleml.utils import PSProcessorConfig
from lightgbm import LGBMClassifier, LGBMRegressor
"""
_OF_IV = "from linearmodels.iv import IV2SLS\n"
_MORE_OF_CROSS_FITTED = """\
from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures, StandardScaler
"""


def packages_code(data_digest: str, methods: Collection[str]) -> str:
    """Imports of what the methods need, and a table of the versions installed now and then."""
    grown = "causal_forest" in methods
    crossed = bool({"AIPW", "DML"} & set(methods)) or grown
    used = _USED + (["doubleml", "lightgbm"] if crossed else []) + (["econml"] if grown else [])
    used += ["linearmodels"] if "IV" in methods else []
    made = "".join(f"    {name!r}: {version(name)!r},\n" for name in used)
    return f"""\
import os
import warnings

for name in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{{name}}_NUM_THREADS"] = "1"  # sums come out the same anywhere
warnings.simplefilter("ignore")

import hashlib
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
{_OF_CROSS_FITTED if crossed else ""}\
{"from econml.grf import CausalForest" + chr(10) if grown else ""}\
{_OF_IV if "IV" in methods else ""}from scipy import {"optimize, " if "IV" in methods else ""}stats
{"from sklearn.base import clone" + chr(10) if crossed else ""}\
from sklearn.linear_model import {"LassoCV, " if crossed else ""}LogisticRegression
{_MORE_OF_CROSS_FITTED if crossed else ""}
warnings.simplefilter("ignore")
DATA_SHA256 = {data_digest!r}
MADE_WITH = {{
{made}}}
pd.DataFrame({{"made with": MADE_WITH, "here": {{name: version(name) for name in MADE_WITH}}}})"""
