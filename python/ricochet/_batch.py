"""Collisions in bulk: broadcasting, outcomes, derivatives and impulse space as arrays."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._errors import RicochetError

Array = np.ndarray
Number = Union[float, Sequence[float], Array]
Parameter = Union[Number, str]

MODES = np.array([*_core.modes])
TERMINATIONS = np.array([*_core.terminations])
ERROR_CODES = np.array(["", *_core.error_codes])
_NO_MODE = 255


def _threads(threads: Optional[int]) -> int:
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads < 1:
        raise RicochetError("out-of-range", "threads", str(threads), "must be at least 1",
                            f"threads = {threads}: must be at least 1")
    return int(threads)


def _numbers(name: str, value: Any, core: Tuple[int, ...]) -> Array:
    """As float64 without a copy where it is one already; its last dimensions must be `core`."""
    try:
        array = np.asarray(value)
        if np.iscomplexobj(array):
            raise TypeError
        array = np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise RicochetError("wrong-type", name, repr(value), "must be real numbers", f"{name}: must be real numbers") from None
    if array.shape[array.ndim - len(core):] != core or array.ndim < len(core):
        shape = ", ".join(["...", *map(str, core)])
        raise RicochetError("wrong-type", name, f"shape {array.shape}", f"must have the shape ({shape})",
                            f"{name} of shape {array.shape}: must have the shape ({shape})")
    return array


class _Call:
    """Contacts and parameters of one call, broadcast against each other."""

    def __init__(self, M: Any, W: Any, V: Any, n: Any, parameters: Mapping[str, Parameter],
                 extra: Optional[Mapping[str, Tuple[Any, Tuple[int, ...]]]] = None, spin: Any = None) -> None:
        if (M is None) == (W is None):
            problem = "missing" if M is None else "conflict"
            raise RicochetError(problem, "M", "", "give M or W, one of them", "M: give M or W, one of them")
        self.mass = M is not None
        for name, value in (("V", V), ("n", n)):
            if value is None:
                raise RicochetError("missing", name, "", "missing", f"{name}: missing")
        arrays = {"matrix": (_numbers("M" if self.mass else "W", M if self.mass else W, (3, 3)), 2),
                  "V": (_numbers("V", V, (3,)), 1), "n": (_numbers("n", n, (3,)), 1)}
        if spin is not None:
            arrays["spin"] = (_numbers("spin", spin, (3,)), 1)
        self.fixed: Dict[str, Any] = {}
        varying: Dict[str, Tuple[Array, int]] = {}
        for name, value in parameters.items():
            kind = _core.check_parameter(name)
            if kind == "word" or isinstance(value, str):
                self.fixed[name] = value
                continue
            array = _numbers(name, value, (3,) if kind == "vector" else ())
            core = 1 if kind == "vector" else 0
            if array.ndim == core:
                self.fixed[name] = array.tolist()
            else:
                varying[name] = (array, core)
        for name, (value, core_shape) in (extra or {}).items():
            arrays[name] = (_numbers(name, value, core_shape), len(core_shape))
        leading = [array.shape[:array.ndim - core] for array, core in (*arrays.values(), *varying.values())]
        try:
            self.shape = np.broadcast_shapes(*leading)
        except ValueError:
            names = ["MW"[not self.mass] if name == "matrix" else name for name in (*arrays, *varying)]
            named = ", ".join(f"{name} {shape}" for name, shape in zip(names, leading))
            raise RicochetError("wrong-type", "", named, "must broadcast", f"leading dimensions do not broadcast: {named}"
                                ) from None

        def spread(array: Array, core: int) -> Array:
            return np.broadcast_to(array, self.shape + array.shape[array.ndim - core:])

        self.arrays = {name: spread(array, core) for name, (array, core) in arrays.items()}
        self.numbers = {name: spread(array, core) for name, (array, core) in varying.items() if core == 0}
        self.vectors = {name: spread(array, core) for name, (array, core) in varying.items() if core == 1}

    def contacts(self) -> Tuple[Array, bool, Array, Array, List[int]]:
        return (self.arrays["matrix"], self.mass, self.arrays["V"], self.arrays["n"], list(self.shape))


_FIELDS: Dict[str, Tuple[Tuple[int, ...], Any]] = {
    "P": ((3,), np.float64), "V": ((3,), np.float64), "energy_change": ((), np.float64),
    "normal_work": ((), np.float64), "friction_work": ((), np.float64), "margins": ((4,), np.float64),
    "permissible": ((), np.bool_), "mode": ((), np.uint8), "termination": ((), np.uint8), "status": ((), np.uint8),
}


class Outcome:
    """What laws answered, one entry for each collision.

    ==================  ============================================================================================
    ``P``               impulse on body B, (..., 3) [N s]
    ``V``               velocity after, V⁺ = V + M⁻¹P, (..., 3) [m/s]
    ``energy_change``   ΔE = P·V + ½ PᵀM⁻¹P [J]
    ``normal_work``     work of the normal impulse; with ``friction_work`` it sums to ``energy_change`` [J]
    ``permissible``     whether P keeps all four conditions on an impulse
    ``margins``         by how much: "energy" −ΔE, "separation" n·V⁺, "compression" n·P, "friction" μ n·P − ‖P_t‖
    ``mode``            "slip", "stick", "slip-stick", ... as words
    ``termination``     why the law stopped, as words
    ``ok``              False where a law has no answer (with ``errors="nan"``); ``error`` has the code
    ==================  ============================================================================================
    """

    def __init__(self, shape: Tuple[int, ...], arrays: Dict[str, Array]) -> None:
        self.shape = shape
        self._arrays = arrays

    def _get(self, name: str) -> Any:
        array = self._arrays.get(name)
        if array is None:
            raise AttributeError(f"{name} was not among the arrays of out=")
        return array if array.ndim else array[()]

    @property
    def P(self) -> Array:
        return self._get("P")

    @property
    def V(self) -> Array:
        return self._get("V")

    @property
    def energy_change(self) -> Any:
        return self._get("energy_change")

    @property
    def normal_work(self) -> Any:
        return self._get("normal_work")

    @property
    def friction_work(self) -> Any:
        return self._get("friction_work")

    @property
    def permissible(self) -> Any:
        return self._get("permissible")

    @property
    def margins(self) -> Dict[str, Any]:
        margins = self._get("margins")
        return {name: margins[..., i] for i, name in enumerate(_core.conditions)}

    def _words(self, name: str, words: Array) -> Any:
        codes = np.asarray(self._get(name))
        chosen = np.append(words, "")[np.where(codes == _NO_MODE, len(words), codes)]
        return chosen if codes.ndim else str(chosen)

    @property
    def mode(self) -> Any:
        return self._words("mode", MODES)

    @property
    def mode_code(self) -> Any:
        """The modes as small integers, indices into ``ricochet.MODES``; 255 where there is no answer."""
        return self._get("mode")

    @property
    def termination(self) -> Any:
        return self._words("termination", TERMINATIONS)

    @property
    def ok(self) -> Any:
        return self._get("status") == 0

    @property
    def error(self) -> Any:
        """The code of the error of each collision; "" where there is an answer."""
        codes = np.asarray(self._get("status"))
        words = ERROR_CODES[codes]
        return words if codes.ndim else str(words)

    def __repr__(self) -> str:
        if self.shape:
            return f"<Outcome of {int(np.prod(self.shape))} collisions, shape {self.shape}>"
        return (f"<Outcome P={np.array2string(self.P, precision=6)} V={np.array2string(self.V, precision=6)} "
                f"energy_change={self.energy_change:.6g} mode={self.mode} permissible={bool(self.permissible)}>")

    def _repr_html_(self) -> str:
        if self.shape:
            return f"<code>{repr(self)[1:-1]}</code>"
        row = lambda name, value: f"<tr><th style='text-align:left'>{name}</th><td>{value}</td></tr>"
        vector = lambda x: "(" + ", ".join(f"{v:.6g}" for v in x) + ")"
        return ("<table>" + row("P [N s]", vector(self.P)) + row("V⁺ [m/s]", vector(self.V))
                + row("ΔE [J]", f"{self.energy_change:.6g}") + row("mode", self.mode)
                + row("permissible", "yes" if self.permissible else "no") + "</table>")


def _outputs(shape: Tuple[int, ...], out: Any) -> Dict[str, Array]:
    if out is None:
        return {name: np.empty(shape + core, dtype) for name, (core, dtype) in _FIELDS.items()}
    given = out._arrays if isinstance(out, Outcome) else dict(out)
    for name, array in given.items():
        if name not in _FIELDS and name not in ("jacobian", "kink"):
            raise RicochetError("unknown-name", f"out[{name!r}]", name, "must be one of " + ", ".join(_FIELDS),
                                f"out[{name!r}]: must be one of " + ", ".join(_FIELDS))
        if name in _FIELDS:
            core, dtype = _FIELDS[name]
            if (not isinstance(array, np.ndarray) or array.shape != shape + core or array.dtype != dtype
                    or not array.flags.writeable):
                wanted = f"must be a writeable array of shape {shape + core} and type {np.dtype(dtype)}"
                raise RicochetError("wrong-type", f"out[{name!r}]", getattr(array, "shape", type(array)).__str__(), wanted,
                                    f"out[{name!r}]: {wanted}")
    return given


def _raises(errors: str) -> bool:
    if errors not in ("raise", "nan"):
        raise RicochetError("out-of-range", "errors", errors, "must be raise or nan", "errors: must be raise or nan")
    return errors == "raise"


def collide(law: str, *, M: Any = None, W: Any = None, V: Any = None, n: Any = None, spin: Any = None, out: Any = None,
            threads: Optional[int] = None, errors: str = "raise", **parameters: Parameter) -> Outcome:
    """Collisions by one law, one or a million in a call.

    Two bodies touch at a point. V is the velocity of B's point relative to A's before, n points from A to B, P is the
    impulse on B, and

        V⁺ = V + M⁻¹ P,   ΔE = P·V + ½ Pᵀ M⁻¹ P.

    M (..., 3, 3) is the local mass matrix [kg], or W = M⁻¹ the mobility [1/kg]; V and n are (..., 3); parameters are
    numbers or arrays (...). `spin` (..., 3) is the angular velocity of B minus A's [rad/s], zero if absent, on which only
    graded-region depends. The leading dimensions broadcast as in numpy. Arrays of float64 are read in place, whatever
    their strides; nothing is copied. Python's lock is released, and `threads` threads (all processors by default) share
    the collisions; results do not depend on their number.

    `out` is an Outcome of an earlier call of the same shape, or a dictionary of arrays by name, which are written in
    place; names that are absent are not computed into arrays. `errors="raise"` raises RicochetError for the first
    collision that is refused, with its flat `index`; `errors="nan"` fills it with NaN and says why in `error`.

    A law takes its own parameters and ignores those of other laws, as files do.

    >>> import numpy as np, ricochet
    >>> hit = ricochet.collide("routh", M=np.eye(3), V=[1, 0, -1], n=[0, 0, 1], e=0.5, mu=0.3)
    >>> hit.P.round(3).tolist(), hit.mode
    ([-0.45, 0.0, 1.5], 'slip')
    """
    call = _Call(M, W, V, n, parameters, spin=spin)
    arrays = _outputs(call.shape, out)
    _core.collide_into(law, *call.contacts(), call.arrays.get("spin"), call.fixed, call.numbers, call.vectors, arrays,
                       _threads(threads), _raises(errors))
    return out if isinstance(out, Outcome) else Outcome(call.shape, arrays)


class Derivatives(Outcome):
    """Outcomes with their exact derivatives, docs/derivatives.md.

    ``dP["mu"]`` is ∂P/∂μ of shape (..., 3); ``dP["V"]`` is (..., 3, 3), rows of P by columns of V; M and W have six
    columns, the entries 11, 12, 13, 22, 23, 33. ``dV`` and ``denergy_change`` likewise. NaN at a kink (``kink``) and for
    a parameter at an end of its range where the law does not tell.
    """

    def __init__(self, shape: Tuple[int, ...], arrays: Dict[str, Array],
                 inputs: List[Tuple[str, int, int]]) -> None:
        super().__init__(shape, arrays)
        self.inputs = inputs

    def _rows(self, rows: Any) -> Dict[str, Array]:
        jacobian = self._arrays["jacobian"]
        out: Dict[str, Array] = {}
        for name, first, count in self.inputs:
            block = jacobian[..., rows, first:first + count]
            vector = name in ("M", "W", "V", "n", "spin", "target")
            out[name] = block if vector else block[..., 0]
        return out

    @property
    def dP(self) -> Dict[str, Array]:
        return self._rows(slice(0, 3))

    @property
    def dV(self) -> Dict[str, Array]:
        return self._rows(slice(3, 6))

    @property
    def denergy_change(self) -> Dict[str, Array]:
        return self._rows(6)

    @property
    def jacobian(self) -> Array:
        """(..., 7, columns): rows P, V⁺, ΔE; columns as ``inputs`` says: (name, first, count)."""
        return self._arrays["jacobian"]

    @property
    def kink(self) -> Any:
        return self._get("kink")


def derivatives(law: str, *, M: Any = None, W: Any = None, V: Any = None, n: Any = None, spin: Any = None,
                threads: Optional[int] = None, errors: str = "raise", **parameters: Parameter) -> Derivatives:
    """As `collide`, with exact derivatives of P, V⁺ and ΔE by M or W, V, n and every parameter.

    >>> import numpy as np, ricochet
    >>> hit = ricochet.derivatives("routh", M=np.eye(3), V=[1, 0, -1], n=[0, 0, 1], e=0.5, mu=0.3)
    >>> hit.dP["e"].round(3).tolist()
    [-0.3, 0.0, 1.0]
    """
    call = _Call(M, W, V, n, parameters, spin=spin)
    arguments = (law, *call.contacts(), call.arrays.get("spin"), call.fixed, call.numbers, call.vectors)
    inputs = _core.derivative_inputs(*arguments) if 0 not in call.shape else []
    width = max((first + count for _, first, count in inputs), default=0)
    arrays = _outputs(call.shape, None)
    arrays["jacobian"] = np.empty(call.shape + (7, width))
    arrays["kink"] = np.empty(call.shape, np.bool_)
    _core.derivatives_into(*arguments, arrays, width, _threads(threads), _raises(errors))
    return Derivatives(call.shape, arrays, inputs)


class ImpulseSpace:
    """Landmarks of impulse space, docs/impulse-space.md, for each collision.

    ``P_I`` (no friction, no rebound), ``P_II`` (no slip, no rebound), ``energy`` ½VᵀMV; with ``extremes=True`` also
    ``highest_e`` and ``highest_P`` (the greatest restitution in the permissible region), ``centroid`` and ``volume``.
    """

    def __init__(self, shape: Tuple[int, ...], arrays: Dict[str, Array]) -> None:
        self.shape = shape
        for name, array in arrays.items():
            setattr(self, name, array if array.ndim else array[()])

    P_I: Array
    P_II: Array
    energy: Any
    highest_e: Any
    highest_P: Array
    centroid: Array
    volume: Any


def impulse_space(*, M: Any = None, W: Any = None, V: Any = None, n: Any = None, mu: Number, extremes: bool = False,
                  threads: Optional[int] = None) -> ImpulseSpace:
    """Landmarks of impulse space: P_I = −n·V/(n·Wn) n, P_II = −M V, and with `extremes` the highest rebound and the
    centroid and volume of the permissible region. Broadcasts as `collide` does.

    >>> import numpy as np, ricochet
    >>> ricochet.impulse_space(M=np.eye(3), V=[1, 0, -1], n=[0, 0, 1], mu=0.3).P_I.tolist()
    [0.0, 0.0, 1.0]
    """
    call = _Call(M, W, V, n, {}, {"mu": (mu, ())})
    arrays = {"P_I": np.empty(call.shape + (3,)), "P_II": np.empty(call.shape + (3,)), "energy": np.empty(call.shape)}
    if extremes:
        arrays.update(highest_e=np.empty(call.shape), highest_P=np.empty(call.shape + (3,)),
                      centroid=np.empty(call.shape + (3,)), volume=np.empty(call.shape))
    _core.impulse_space_into(*call.contacts(), call.arrays["mu"], arrays, _threads(threads))
    return ImpulseSpace(call.shape, arrays)


class Certificate:
    """Whether impulses are permissible, and by which margins (as `Outcome.margins`)."""

    def __init__(self, margins: Array, permissible: Array) -> None:
        self.margins = {name: margins[..., i] for i, name in enumerate(_core.conditions)}
        self.permissible = permissible if permissible.ndim else permissible[()]


def certify(P: Any, *, M: Any = None, W: Any = None, V: Any = None, n: Any = None, mu: Number,
            threads: Optional[int] = None) -> Certificate:
    """The four conditions on impulses, measured or computed: energy, separation, compression, friction.

    >>> import numpy as np, ricochet
    >>> bool(ricochet.certify([0, 0, 1.5], M=np.eye(3), V=[1, 0, -1], n=[0, 0, 1], mu=0.3).permissible)
    True
    """
    call = _Call(M, W, V, n, {}, {"P": (P, (3,)), "mu": (mu, ())})
    arrays = {"margins": np.empty(call.shape + (4,)), "permissible": np.empty(call.shape, np.bool_)}
    _core.certify_into(*call.contacts(), call.arrays["P"], call.arrays["mu"], arrays, _threads(threads))
    return Certificate(arrays["margins"], arrays["permissible"])
