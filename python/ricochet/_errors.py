"""The one exception of this package."""

from __future__ import annotations

from typing import Optional


class RicochetError(ValueError):
    """An input that was refused, or a law that has no answer.

    ``code`` is for programs ("out-of-range", "unknown-name", "missing", ...; docs/command-line.md lists them), ``path``
    names the input ("e", "body[2].inertia"), ``value`` is what was given and ``allowed`` what would have been accepted.
    ``index`` is the flat index of the collision in a call with many, else None; ``file`` and ``line`` say where a file
    is wrong ("" and 0 where it is no file).
    """

    def __init__(self, code: str, path: str, value: str, allowed: str, message: str, index: Optional[int] = None,
                 file: str = "", line: int = 0) -> None:
        where = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        super().__init__(f"{where}{message}" + (f" (collision {index})" if index is not None else ""))
        self.code = code
        self.path = path
        self.value = value
        self.allowed = allowed
        self.message = message
        self.index = index
        self.file = file
        self.line = line

    def __reduce__(self):
        return (RicochetError, (self.code, self.path, self.value, self.allowed, self.message, self.index, self.file,
                                self.line))
