#!/usr/bin/env python3
"""Which input causes the scatter of a rebound? Sobol indices by OpenTURNS, for the ball of examples/sweep.toml.

    ./run python examples/openturns_indices.py [--count N] [--law NAME]

The model is one call of `ricochet.collide` for a whole design of experiments. Needs python3-openturns.
"""

import argparse

import numpy as np
import openturns

import ricochet

INPUTS = ("e", "mu", "v_z", "omega_y")
MASS, INERTIA, RADIUS = 0.0329, 1.316e-6, 0.01
NORMAL = np.array([0.0, 0.0, 1.0])


def distribution():
    """Of the inputs, independent of each other, as in examples/sweep.toml."""
    return openturns.ComposedDistribution([openturns.Uniform(0.5, 0.7), openturns.LogUniform(np.log(0.02), np.log(0.5)),
                                           openturns.Normal(-2.0, 0.1), openturns.Uniform(-100.0, 100.0)])


def rebounds(law, inputs):
    """Velocity of the contact point after the impact, along x and along the normal, for rows of e, mu, v_z, omega_y."""
    e, mu, v_z, omega_y = np.asarray(inputs).T
    # The contact point is at −R n from the centre: its velocity is v + ω × r, its mobility I/m + S(r)ᵀ S(r)/J.
    tangential = 1 / MASS + RADIUS**2 / INERTIA
    V = np.stack([1.0 - RADIUS * omega_y, np.zeros_like(e), v_z], axis=-1)
    hit = ricochet.collide(law, W=np.diag([tangential, tangential, 1 / MASS]), V=V, n=NORMAL, e=e, mu=mu)
    return np.stack([hit.V[:, 0], hit.V[:, 2]], axis=-1)


def indices(law, count, seed=1):
    """First-order and total indices, each by output and input."""
    openturns.RandomGenerator.SetSeed(seed)
    design = openturns.SobolIndicesExperiment(distribution(), count, False).generate()
    answers = openturns.Sample(rebounds(law, design))
    algorithm = openturns.SaltelliSensitivityAlgorithm(design, answers, count)
    outputs = range(answers.getDimension())
    return (np.array([algorithm.getFirstOrderIndices(k) for k in outputs]),
            np.array([algorithm.getTotalOrderIndices(k) for k in outputs]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--law", default="routh")
    options = parser.parse_args()
    first, total = indices(options.law, options.count)
    for k, output in enumerate(("V_x", "V_n")):
        print(output)
        for i, name in enumerate(INPUTS):
            print(f"  {name:8} first {first[k, i]:7.4f}  total {total[k, i]:7.4f}")


if __name__ == "__main__":
    main()
