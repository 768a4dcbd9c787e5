"""Frictional rigid-body impact: every published law behind one interface, each answer certified.

>>> import numpy as np, ricochet
>>> hit = ricochet.collide("routh", M=np.eye(3), V=[1, 0, -1], n=[0, 0, 1], e=0.5, mu=0.3)
>>> hit.V.round(3).tolist(), bool(hit.permissible)
([0.55, 0.0, 0.5], True)
"""

from __future__ import annotations

from typing import Any, Dict, List

from . import _core
from ._batch import (MODES, Certificate, Derivatives, ImpulseSpace, Outcome, certify, collide, derivatives,
                     impulse_space)
from ._errors import RicochetError
from ._fitting import fit, rank, reduce
from ._scenes import Collision, Motion, Scene, bundled, impact, simulate, simultaneous

__version__: str = _core.__version__
__all__ = ["MODES", "Certificate", "Collision", "Derivatives", "ImpulseSpace", "Motion", "Outcome", "RicochetError",
           "Scene", "bundled", "certify", "collide", "derivatives", "fit", "impact", "impulse_space", "laws", "rank",
           "reduce", "simulate", "simultaneous"]


def laws() -> List[Dict[str, Any]]:
    """The table of laws: name, title, source, parameters with ranges and defaults, guarantees."""
    return _core.laws()


def _table_of_laws() -> str:
    """For the docstring of `collide`; from the table of laws."""
    lines = ["", "    Laws and their parameters:", ""]
    for law in laws():
        parts = []
        for parameter in law["parameters"]:
            default = parameter.get("default")
            parts.append(parameter["name"] + ("" if default in (None, "") else f" = {default}"))
        lines.append(f"    {law['name']}: {law['title']}; {', '.join(parts) or 'no parameters'}")
    return "\n".join(lines) + "\n    "


collide.__doc__ = (collide.__doc__ or "") + _table_of_laws()
