"""How much of a run is spent in calls of the libraries, as if these had been made directly.

The libraries' entry points that causal tools call are wrapped while a run lasts. Only the outermost
call of a thread counts, with all that the library does inside it, in seconds of processor: what
others do on the machine is not counted on either side. Child processes that end count wholly: the
only one is the notebook's kernel, which calls the libraries directly.
"""

from __future__ import annotations

import functools
import importlib
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

FITTED = ("fit", "predict", "predict_proba", "transform", "fit_transform", "fit_predict")
CLASSES = (
    "sklearn.pipeline.Pipeline",
    "sklearn.linear_model.LogisticRegression",
    "sklearn.linear_model.LassoCV",
    "sklearn.linear_model.LinearRegression",
    "sklearn.preprocessing.StandardScaler",
    "sklearn.preprocessing.PolynomialFeatures",
    "sklearn.ensemble.HistGradientBoostingClassifier",
    "lightgbm.LGBMClassifier",
    "lightgbm.LGBMRegressor",
    "doubleml.DoubleMLIRM",
    "doubleml.DoubleMLPLR",
    "linearmodels.iv.IV2SLS",
    "linearmodels.panel.PanelOLS",
    "lingam.DirectLiNGAM",
)
METHODS = (
    *(f"{owner}.{name}" for owner in CLASSES for name in FITTED),
    "doubleml.DoubleMLIRM.set_sample_splitting",
    "doubleml.DoubleMLPLR.set_sample_splitting",
    "econml.grf.CausalForest.fit",
    "econml.grf.CausalForest.oob_predict",
    "nbconvert.HTMLExporter.from_notebook_node",
    "matplotlib.figure.Figure.savefig",
    "matplotlib.backends.backend_agg.FigureCanvasAgg.print_png",
)
FUNCTIONS = (
    "sklearn.model_selection.cross_val_score",
    "scipy.optimize.minimize",
    "lingam.hsic.hsic_test_gamma",
    "scipy.stats.spearmanr",
    "scipy.stats.shapiro",
    "scipy.stats.normaltest",
    "numpy.linalg.lstsq",
    "numpy.linalg.svd",
    "numpy.linalg.pinv",
    "causallearn.utils.PCUtils.SkeletonDiscovery.skeleton_discovery",
    "causallearn.utils.FAS.fas",
    "dowhy.graph.get_instruments",
    "dowhy.graph.is_blocked",
)


class LibraryTime:
    """Seconds of processor in libraries, by entry point; calls counted beside."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.calls: dict[str, int] = defaultdict(int)
        self._inside = threading.local()
        self._began = children()

    @property
    def total(self) -> float:
        """Of all entry points, and of the notebook's kernel."""
        return sum(self.seconds.values()) + self.kernel

    @property
    def kernel(self) -> float:
        """Of child processes that ended."""
        return children() - self._began

    def around(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """The call, counted where no other library call of this thread is under way."""

        @functools.wraps(call)
        def counted(*given: Any, **named: Any) -> Any:
            if getattr(self._inside, "busy", False):
                return call(*given, **named)
            self._inside.busy = True
            began = time.thread_time()
            try:
                return call(*given, **named)
            finally:
                self._inside.busy = False
                self.seconds[name] += time.thread_time() - began
                self.calls[name] += 1

        return counted


def children() -> float:
    """Seconds of processor of child processes that have ended."""
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def counted_libraries() -> Iterator[LibraryTime]:
    """Wraps the entry points until the block ends."""
    found = LibraryTime()
    undo: list[tuple[Any, str, Any]] = []
    for path in (*METHODS, *FUNCTIONS):
        owner, name = _owner(path)
        if owner is None or name not in vars(owner):
            continue
        original = vars(owner)[name]
        if hasattr(original, "fn"):  # a method that scikit-learn shows where its model has one
            owner, name, original = original, "fn", original.fn
        undo.append((owner, name, original))
        label = path.rpartition(".")[0] if path in METHODS else path
        setattr(owner, name, found.around(label, original))
    try:
        yield found
    finally:
        for owner, name, original in undo:
            setattr(owner, name, original)


def _owner(path: str) -> tuple[Any, str]:
    """The module or class that holds an entry point, and the point's name there."""
    parts = path.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            owner: Any = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:-1]:
            owner = getattr(owner, part, None)
        if isinstance(owner, type):  # a method may be a base class's
            owner = next((one for one in owner.__mro__ if parts[-1] in vars(one)), None)
        return owner, parts[-1]
    return None, parts[-1]
