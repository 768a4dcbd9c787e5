"""Laws fitted to measured impacts, and ranked on others (docs/fitting.md)."""

from __future__ import annotations

import csv
import os
import tempfile
from contextlib import contextmanager
from typing import Any, Dict, Iterator, Mapping, Optional, Sequence, Union

import numpy as np

from . import _core
from ._batch import _threads

Data = Union[str, "os.PathLike[str]", Mapping[str, Any]]


@contextmanager
def _file(data: Data) -> Iterator[str]:
    """The path of a CSV file; columns by name are written to one. Numbers keep every bit."""
    if not isinstance(data, Mapping):
        yield os.fspath(data)
        return
    columns = np.broadcast_arrays(*(np.asarray(column, dtype=np.float64).ravel() for column in data.values()))
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(data.keys())
        writer.writerows([repr(float(x)) for x in row] for row in zip(*columns))
        file.flush()
        yield file.name


def reduce(data: Data, *, dataset: str = "", mapping: str = "") -> Dict[str, Any]:
    """Measured impacts as contacts and impulses, arrays over the rows of a CSV file or a dictionary of columns.

    "W", "V", "n" and "spin" are the contacts, as `collide` takes them; "P" is the impulse that misses the velocity after
    least, min ‖A P − b‖, "margins" its certificate, "restitution" and "impulse_ratio" what it says, and "best_error" what
    it misses. "flags" has an array for each reason why a row is no impact of a single point, "usable" where there is none.

    >>> rows = reduce(dict(r_x=0, r_y=-0.1, vx_pre=1, vy_pre=-2, omega_pre=0, vx_post=1, vy_post=1, omega_post=0, mass=2, inertia=0.01))
    >>> rows["restitution"].round(6).tolist(), rows["usable"].tolist()
    ([0.5], [True])
    """
    with _file(data) as path:
        return _core.reduce(path, dataset, mapping)


def fit(data: Data, law: str, *, dataset: str = "", mapping: str = "", parameters: Sequence[str] = (),
        bootstrap: int = 0, seed: int = 1, offset: float = 0.0, noise: str = "relative", **given: Any) -> Dict[str, Any]:
    """Parameters of a law from measured impacts: the document of `ricochet fit --format json` for one law, and the
    relative error of every row, "errors".

    `data` is a CSV file or a dictionary of columns; `dataset` names a published layout, `mapping` is the text of a
    mapping. `parameters` chooses what is fitted; `given` are parameters that are not. With `offset`, the deviation [m] of
    the contact points along the ground, each row has an offset with that prior, and "offsets" are the most probable ones. With noise="components" the
    deviations of the velocity after along the normal and the ground and of the spin are estimated too, and are "noise".

    Over the rows, min ½ Σ ρ(‖u⁺(θ) − u⁺‖² / ‖u⁻‖²) in the mass norm, with Cauchy's loss ρ.
    """
    with _file(data) as path:
        return _core.fit(path, law, dataset, mapping, list(parameters), bootstrap, seed, offset, noise, given)


def rank(data: Data, *, test: Optional[Data] = None, laws: Sequence[str] = (), dataset: str = "", mapping: str = "",
         folds: int = 5, group: str = "", seed: int = 1, threads: Optional[int] = None, offset: float = 0.0,
         **given: Any) -> Dict[str, Any]:
    """Laws scored on impacts that they were not fitted to: the document of `ricochet rank --format json`.

    Without `test`, each of `folds` parts of the data in turn; rows with one number in the column `group` are in one part.
    """
    with _file(data) as path, _file(test if test is not None else "") as scored:
        return _core.rank(path, scored, list(laws), dataset, mapping, folds, group, seed, _threads(threads), offset, given)
