#!/usr/bin/env python3
"""Seven parameters against measured planar impacts: spring-sledge with e and mu linear in log speed and incidence.

    ./run python examples/graded_sledge.py IMPACTS.csv --gyration 0.0207 --keep flag=0

    e = e_0 + e_v log(speed / 1 m/s) + e_i incidence,   mu = mu_0 + mu_v log(speed / 1 m/s) + mu_i incidence,   kappa constant

speed and incidence (radians from the normal) are those of the contact point before. Scores are on rows that were not used in
fitting; docs/experiments.md has them. Needs python3-scipy.
"""

import argparse
import csv

import numpy as np
from scipy.optimize import least_squares

import ricochet

NORMAL = np.array([0.0, 1.0, 0.0])


def columns(path, keep):
    with open(path, encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if all(float(row[name]) == value for name, value in keep)]
    names = ("r_x", "r_y", "vx_pre", "vy_pre", "omega_pre", "vx_post", "vy_post", "omega_post")
    return {name: np.array([float(row[name]) for row in rows]) for name in names}


def graded(x, V):
    """e, mu and kappa of each contact, within the ranges of spring-sledge."""
    speed, incidence = np.log(np.hypot(V[:, 0], V[:, 1])), np.arctan2(np.abs(V[:, 0]), -V[:, 1])
    return dict(e=np.clip(x[0] + x[1] * speed + x[2] * incidence, 0.02, 0.98),
                mu=np.clip(x[3] + x[4] * speed + x[5] * incidence, 0.005, 2), kappa=np.exp(x[6]))


def constant(x, V):
    return dict(e=np.clip(x[0], 0.02, 0.98), mu=np.clip(x[1], 0.005, 2), kappa=np.exp(x[2]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--gyration", type=float, required=True, help="radius of gyration [m]")
    parser.add_argument("--keep", action="append", default=[], metavar="COLUMN=VALUE")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    d = columns(given.file, [(text.split("=")[0], float(text.split("=")[1])) for text in given.keep])
    rx, ry, k2 = d["r_x"], d["r_y"], given.gyration**2
    W = np.zeros((len(rx), 3, 3))  # for unit mass, which does not matter
    W[:, 0, 0], W[:, 1, 1], W[:, 2, 2], W[:, 0, 1] = 1 + ry**2 / k2, 1 + rx**2 / k2, 1, -rx * ry / k2
    W[:, 1, 0] = W[:, 0, 1]
    V = np.stack([d["vx_pre"] - ry * d["omega_pre"], d["vy_pre"] + rx * d["omega_pre"], 0 * rx], axis=1)
    before, after = (np.stack([d[f"{name}_{when}"] for name in ("vx", "vy", "omega")], axis=1) for when in ("pre", "post"))
    root = np.sqrt([1, 1, k2])
    size = np.linalg.norm(before * root, axis=1)

    def differences(x, form, rows):
        P = ricochet.collide("spring-sledge", W=W[rows], V=V[rows], n=NORMAL, errors="nan", **form(x, V[rows])).P
        change = np.stack([P[:, 0], P[:, 1], (rx[rows] * P[:, 1] - ry[rows] * P[:, 0]) / k2], axis=1)
        return np.nan_to_num((before[rows] + change - after[rows]) * root / size[rows, None], nan=1.0)

    def robust(x, form, rows):
        r = differences(x, form, rows)
        error, width = np.linalg.norm(r, axis=1), 0.1
        return (r * (width * np.sqrt(np.log1p((error / width)**2)) / np.maximum(error, 1e-12))[:, None]).ravel()

    order = np.random.default_rng(given.seed).permutation(len(rx))
    for form, start in ((constant, [0.5, 0.15, 1.0]), (graded, [0.5, 0, 0, 0.15, 0, 0, 1.0])):
        errors = np.empty(len(rx))
        for fold in range(given.folds):
            held = order[fold::given.folds]
            others = np.setdiff1d(order, held)
            x = least_squares(robust, start, args=(form, others), diff_step=1e-3, max_nfev=40, x_scale=0.1).x
            errors[held] = np.linalg.norm(differences(x, form, held), axis=1)
        whole = least_squares(robust, start, args=(form, order), diff_step=1e-3, max_nfev=40, x_scale=0.1).x
        # Information criterion: -2 log likelihood of errors with three normal components, plus two for each parameter.
        squares = np.linalg.norm(differences(whole, form, order), axis=1)**2
        criterion = 3 * len(rx) * np.log(squares.mean() / 3) + 2 * len(start)
        print(f"{form.__name__:8} {len(start)} parameters: median {np.median(errors):.4f}, mean {errors.mean():.4f}, "
              f"p90 {np.quantile(errors, 0.9):.4f}, information criterion {criterion:.0f}; {np.round(whole, 4).tolist()}")


if __name__ == "__main__":
    main()
