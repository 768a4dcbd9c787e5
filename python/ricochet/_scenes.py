"""Collisions, scenes, mechanisms and motions, read and written in the files of the command line."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from ._batch import Array, Outcome, _numbers, collide
from ._errors import RicochetError

PathOrName = Union[str, "os.PathLike[str]"]


def _one(name: str, value: Any, shape: Tuple[int, ...]) -> Optional[Array]:
    """Numbers of exactly this shape; None stays what is not given."""
    if value is None:
        return None
    array = _numbers(name, value, shape)
    if array.shape != shape:
        raise RicochetError("wrong-type", name, f"shape {array.shape}", f"must have the shape {shape}",
                            f"{name} of shape {array.shape}: must have the shape {shape}")
    return array


class Collision:
    """One collision: a contact, a law and its parameters; what a collision file holds. `spin` is that of
    `ricochet.collide`.

    >>> import numpy as np, ricochet
    >>> c = ricochet.Collision(M=np.eye(3), V=[1, 0, -1], n=[0, 0, 1], law="routh", e=0.5, mu=0.3)
    >>> c.collide().mode
    'slip'
    """

    def __init__(self, *, M: Any = None, W: Any = None, V: Any = None, n: Any = None, spin: Any = None,
                 law: Optional[str] = None, title: str = "", **parameters: Any) -> None:
        self._core = _core.Collision(_one("M", M, (3, 3)), _one("W", W, (3, 3)), _one("V", V, (3,)), _one("n", n, (3,)),
                                     _one("spin", spin, (3,)), law, parameters, title)

    @classmethod
    def _of(cls, core: Any) -> "Collision":
        made = cls.__new__(cls)
        made._core = core
        return made

    @classmethod
    def between(cls, A: Mapping[str, Any], B: Mapping[str, Any], *, point: Sequence[float], n: Sequence[float],
                law: Optional[str] = None, **parameters: Any) -> "Collision":
        """Of two rigid bodies, each a dictionary of mass, inertia, orientation (w, x, y, z), position, velocity,
        angular_velocity, fixed: W = W_A + W_B at `point`, V of B's point relative to A's, n from A to B."""
        return cls._of(_core.Collision.between(dict(A), dict(B), point, n, law, parameters))

    @classmethod
    def read(cls, path: PathOrName = "") -> "Collision":
        """From a TOML file or a JSON Lines file with one line; without a path the built-in collision."""
        return cls._of(_core.Collision.read(os.fspath(path)))

    @classmethod
    def from_toml(cls, text: str) -> "Collision":
        return cls._of(_core.Collision.from_toml(text))

    @classmethod
    def from_json(cls, line: str) -> "Collision":
        return cls._of(_core.Collision.from_json(line))

    def to_toml(self) -> str:
        """Reads back as the same collision, bit for bit."""
        return self._core.to_toml()

    def to_json(self) -> str:
        """As one line of JSON Lines: contact, law and parameters, without bodies and title."""
        return self._core.to_json()

    def write(self, path: PathOrName) -> None:
        """To a file, TOML or, where its name ends with .jsonl or .json, one line of JSON."""
        text = self.to_json() + "\n" if str(path).endswith((".json", ".jsonl")) else self.to_toml()
        Path(path).write_text(text, encoding="utf-8")

    @property
    def M(self) -> Array:
        return self._core.M

    @property
    def W(self) -> Array:
        return self._core.W

    @property
    def V(self) -> Array:
        return self._core.V

    @property
    def n(self) -> Array:
        return self._core.n

    @property
    def spin(self) -> Array:
        """The angular velocity of B minus A's [rad/s]; zero where it is not known."""
        return self._core.spin

    @property
    def law(self) -> Optional[str]:
        return self._core.law

    @property
    def title(self) -> str:
        return self._core.title

    @property
    def parameters(self) -> Dict[str, Any]:
        return self._core.parameters

    def _law(self, law: Optional[str]) -> str:
        chosen = law or self.law
        if chosen is None:
            raise RicochetError("missing", "law", "", "missing; the collision has none", "law: missing; the collision has none")
        return chosen

    def collide(self, law: Optional[str] = None, **parameters: Any) -> Outcome:
        """The outcome by its own law or another, with its own parameters or others."""
        given = self._core.mass_given
        return collide(self._law(law), M=self.M if given else None, W=None if given else self.W, V=self.V, n=self.n,
                       spin=self.spin, **{**self.parameters, **parameters})

    def ask(self, law: str = "all", *, derivatives: bool = False) -> Dict[str, Any]:
        """The document that `ricochet collide --format json` writes of all laws, or the answer in it of one."""
        return self._core.ask(law, derivatives)

    def landmarks(self, *, extremes: bool = False) -> Dict[str, Any]:
        """The document of `ricochet inspect`: impulse space without a law. Highest rebound, centroid and volume of the
        permissible region are in it with `extremes`."""
        return self._core.landmarks(extremes)

    def figure(self, kind: str = "impulse-plane", law: str = "all") -> str:
        """A picture as SVG: impulse-plane, impulse-solid, velocity or energy, as `ricochet figure` draws them."""
        return self._core.figure(kind, law)

    def __repr__(self) -> str:
        words = ", ".join(f"{name}={value!r}" for name, value in self.parameters.items())
        return f"<Collision {self.title or '(untitled)'}: law {self.law or 'not given'}{', ' + words if words else ''}>"

    def _repr_html_(self) -> str:
        return self.figure(law=self.law or "all")


class Scene:
    """Bodies and contacts that collide at once: a scene file, or a bundled one by name ("cradle:7")."""

    def __init__(self, core: Any) -> None:
        self._core = core

    @classmethod
    def read(cls, name: PathOrName) -> "Scene":
        return cls(_core.Scene.read(os.fspath(name)))

    @classmethod
    def from_toml(cls, text: str) -> "Scene":
        return cls(_core.Scene.from_toml(text))

    @classmethod
    def from_json(cls, text: str) -> "Scene":
        return cls(_core.Scene.from_json(text))

    def to_toml(self) -> str:
        return self._core.to_toml()

    def to_json(self) -> str:
        return self._core.to_json()

    def write(self, path: PathOrName) -> None:
        text = self.to_json() if str(path).endswith(".json") else self.to_toml()
        Path(path).write_text(text, encoding="utf-8")

    @property
    def title(self) -> str:
        return self._core.title

    @property
    def bodies(self) -> List[str]:
        return self._core.bodies

    def simultaneous(self, *, method: str = "sequence", law: str = "", hinges: str = "", **parameters: Any) -> Dict[str, Any]:
        """The document of `ricochet simultaneous --format json`. `method`: sequence, lcp, pfeiffer-glocker,
        anitescu-potra or weighted; `hinges`: sequence or intact."""
        if hinges not in ("", "sequence", "intact"):
            raise RicochetError("out-of-range", "hinges", hinges, "must be sequence or intact",
                                f"hinges = {hinges}: must be sequence or intact")
        return self._core.resolve(method, law, parameters, hinges)

    def __repr__(self) -> str:
        return f"<Scene {self.title or '(untitled)'}: {len(self.bodies)} bodies>"


def simultaneous(scene: Union[PathOrName, Scene], **options: Any) -> Dict[str, Any]:
    """Many contacts at once, of a file or a bundled scene; see `Scene.simultaneous`.

    >>> import ricochet
    >>> ricochet.simultaneous("cradle:3")["status"]
    'settled'
    """
    return (scene if isinstance(scene, Scene) else Scene.read(scene)).simultaneous(**options)


def impact(model: PathOrName, *, law: str = "all", q: Any = None, u: Any = None, size: Any = None, assemble: bool = False,
           reach: float = 1e-3, contact: str = "", drop: Optional[float] = None, method: str = "sequence",
           **parameters: Any) -> Dict[str, Any]:
    """Impact of a mechanism, a bundled one by name or a robot file (URDF, MJCF): the document of `ricochet impact`.

    q and u are {joint: number or numbers}, or all numbers in order; `contact` picks one by number, "FIRST:SECOND" or
    "FIRST:SECOND@x,y,z/nx,ny,nz"; `drop` sets a robot on the floor, landing at this speed [m/s]. Where several contacts
    take part and none is picked they are resolved together by `method`. `law=""` only lists the contacts.

    >>> import ricochet
    >>> hit = ricochet.impact("double-pendulum", law="routh", e=0.5, mu=0.3)
    >>> hit["answers"][0]["law"]
    'routh'
    """
    plain = lambda x: x.tolist() if isinstance(x, np.ndarray) else x
    named = lambda x: {k: plain(v) for k, v in x.items()} if isinstance(x, Mapping) else plain(x)
    return _core.impact(os.fspath(model), law, named(q), named(u), named(size), assemble, reach, contact, drop, method,
                        parameters)


class Motion:
    """A simulated motion, sampled: ``time`` (N,), ``position`` (N, bodies, 3), ``orientation`` (N, bodies, 4) as
    w, x, y, z, ``velocity``, ``angular_velocity``, ``events`` in order, ``energy`` at the end, ``notes``; ``stopped`` is
    the error after which no motion follows, else None."""

    def __init__(self, document: Dict[str, Any]) -> None:
        self.bodies: List[str] = document["bodies"]
        self.time: Array = document["time"]
        poses = document["poses"]
        self.position: Array = poses[..., 0:3]
        self.orientation: Array = poses[..., 3:7]
        self.velocity: Array = poses[..., 7:10]
        self.angular_velocity: Array = poses[..., 10:13]
        self.events: List[Dict[str, Any]] = document["events"]
        self.energy: Dict[str, Any] = document["energy"]
        self.notes: List[str] = document["notes"]
        self.stopped: Optional[Dict[str, Any]] = document["stopped"]

    def __repr__(self) -> str:
        return (f"<Motion of {len(self.bodies)} bodies until {self.time[-1]:g} s: {len(self.time)} samples, "
                f"{len(self.events)} events>")


def simulate(scene: PathOrName, *, until: float = 10, sample: Optional[float] = None, law: str = "",
             method: str = "events", max_events: int = 0, step: float = 1e-3, stiffness: Optional[float] = None,
             text: bool = False, **parameters: Any) -> Motion:
    """A scene in motion, of a TOML or robot file or a bundled one by name; with `text=True`, `scene` is TOML itself.

    `sample` is the time between samples, until/1000 by default; 0 samples at events only. `method` is events,
    time-stepping (with `step`) or compliant (with `stiffness`).

    >>> import ricochet
    >>> ricochet.simulate("bouncing-ball", until=1).stopped is None
    True
    """
    core = _core.MotionScene.from_toml(str(scene)) if text else _core.MotionScene.read(os.fspath(scene))
    return Motion(core.simulate(law, parameters, float(until), until / 1000 if sample is None else float(sample), method,
                                max_events, step, stiffness))


def bundled() -> Dict[str, List[str]]:
    """Names of bundled scenes: for `simultaneous`, `simulate` and `impact`."""
    return {"simultaneous": _core.scene_names(), "simulate": _core.motion_names(), "impact": list(_core.systems())}
