"""Collisions as a differentiable operation of PyTorch, by the library's own derivatives (docs/derivatives.md).

>>> import torch, ricochet.torch
>>> mu = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
>>> P, V, dE = ricochet.torch.collide("routh", M=torch.eye(3), V=torch.tensor([1.0, 0, -1]),
...                                   n=torch.tensor([0.0, 0, 1]), e=0.5, mu=mu)
>>> dE.backward(); round(mu.grad.item(), 4)
-0.825
"""

from __future__ import annotations

from typing import Any, Dict, List, Tuple

import numpy as np
import torch

from ._batch import derivatives
from ._errors import RicochetError

_PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def _numpy(value: Any) -> Any:
    return value.detach().cpu().to(torch.float64).numpy() if isinstance(value, torch.Tensor) else value


def _reduce(gradient: np.ndarray, like: torch.Tensor) -> torch.Tensor:
    """Summed over the dimensions in which `like` was broadcast."""
    extra = gradient.ndim - like.dim()
    gradient = gradient.sum(axis=tuple(range(extra))) if extra > 0 else gradient
    axes = tuple(i for i, size in enumerate(like.shape) if size == 1 and gradient.shape[i] != 1)
    gradient = gradient.sum(axis=axes, keepdims=True) if axes else gradient
    return torch.as_tensor(gradient, dtype=like.dtype, device=like.device)


class Collide(torch.autograd.Function):
    """P, V⁺ and ΔE of collisions by one law; see `collide`."""

    @staticmethod
    def forward(ctx: Any, law: str, names: Tuple[str, ...], fixed: Dict[str, Any], *tensors: torch.Tensor) -> Any:
        given = {name: _numpy(tensor) for name, tensor in zip(names, tensors)}
        outcome = derivatives(law, **fixed, **given)
        ctx.outcome, ctx.names = outcome, names
        ctx.save_for_backward(*tensors)
        like = next((t for t in tensors if t.is_floating_point()), torch.zeros(0, dtype=torch.float64))
        tensor = lambda x: torch.as_tensor(np.asarray(x), dtype=like.dtype, device=like.device)
        return tensor(outcome.P), tensor(outcome.V), tensor(outcome.energy_change)

    @staticmethod
    def backward(ctx: Any, to_P: torch.Tensor, to_V: torch.Tensor, to_E: torch.Tensor) -> Any:
        outcome = ctx.outcome
        if np.any(outcome.kink):
            index = int(np.flatnonzero(np.atleast_1d(outcome.kink))[0])
            raise RicochetError("no-solution", "", "", "no derivative at a kink", "no derivative: the outcome has a kink",
                                index if outcome.shape else None)
        upstream = np.concatenate([_numpy(to_P), _numpy(to_V), _numpy(to_E)[..., None]], axis=-1)
        by_column = np.einsum("...r,...rc->...c", upstream, outcome.jacobian)
        columns = {name: by_column[..., first:first + count] for name, first, count in outcome.inputs}
        gradients: List[Any] = [None, None, None]
        for name, tensor in zip(ctx.names, ctx.saved_tensors):
            found = columns.get(name)
            if found is None:  # a parameter of other laws
                gradients.append(torch.zeros_like(tensor))
            elif name in ("M", "W"):
                # A column stands for both places of its entry: each gets half.
                full = np.zeros(found.shape[:-1] + (3, 3))
                for k, (i, j) in enumerate(_PAIRS):
                    half = found[..., k] if i == j else found[..., k] / 2
                    full[..., i, j] = full[..., j, i] = half
                gradients.append(_reduce(full, tensor))
            elif name in ("V", "n", "spin", "target"):
                gradients.append(_reduce(found, tensor))
            else:
                gradients.append(_reduce(found[..., 0], tensor))
        return tuple(gradients)


def collide(law: str, **inputs: Any) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """P, V⁺ and ΔE; tensors among M, W, V, n and the parameters get gradients. Computed in float64 on the processor.
    Raises RicochetError in `backward` where an outcome has a kink."""
    names = tuple(name for name, value in inputs.items() if isinstance(value, torch.Tensor))
    fixed = {name: value for name, value in inputs.items() if not isinstance(value, torch.Tensor)}
    return Collide.apply(law, names, fixed, *(inputs[name] for name in names))
