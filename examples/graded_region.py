#!/usr/bin/env python3
"""Terms of `graded-region` chosen anew inside each training fold: nested cross-validation on measured planar impacts.

    ./run python examples/graded_region.py IMPACTS.csv --gyration 0.0207 --keep flag=0 [--group traj] [--fixed]

The equations are those of docs/laws/graded-region.md in the plane, in numpy, without the library's law. For each of five outer folds the
terms of ln E, tau and chi are chosen on the other four alone: from a constant e, tau and friction, the candidate that lowers the loss of an inner
three-fold cross-validation most is added, until none does or twenty numbers are reached. The outer fold then is scored once. With
--fixed the terms are those of the law. Needs python3-scipy.
"""

import argparse
import csv

import numpy as np
from scipy.optimize import least_squares

LAW = ["e:v", "e:vv", "e:i", "e:ii", "e:r", "e:ir", "e:c", "e:M", "t:v", "t:c", "t:ic", "t:m", "x:c", "x:ic", "x:rc", "x:m"]
TERMS = {part: names for part, names in (
    ("e", ["v", "vv", "i", "ii", "r", "ir", "c", "ic", "rc", "M", "vi", "vr", "vc"]),
    ("t", ["v", "vv", "i", "ii", "r", "ir", "c", "ic", "rc", "m"]),
    ("x", ["1", "v", "i", "r", "ir", "c", "ic", "rc", "m"]))}
CANDIDATES = [f"{part}:{name}" for part, names in TERMS.items() for name in names]
STARTS = [[0.0, np.log(0.17), np.log(smooth), 0.5] for smooth in (0.05, 0.3)]  # logit of e, ln mu, ln smooth, tau
MOST = 20
RIDGE = 1e-4


class Impacts:
    """Contacts of unit mass, measured changes, and the quantities of (GR1)."""

    def __init__(self, d, gyration, omega_0=20.0):
        k2 = gyration**2
        rx, ry, w = d["r_x"], d["r_y"], d["omega_pre"]
        self.Wnn, self.Wtt, self.Wnt = 1 + rx**2 / k2, 1 + ry**2 / k2, -rx * ry / k2
        Vt, Vn = d["vx_pre"] - ry * w, d["vy_pre"] + rx * w
        v = np.hypot(Vt, Vn)
        self.kv, self.v = -Vn / v, v
        s, i, c = 2 * (v - 1) / (v + 1), Vt / v, self.Wnt / self.Wnn
        gamma = c / np.sqrt(1 + c * c)
        rolling = -w / np.hypot(omega_0, w)  # (omega x n) along x, n up
        R = self.Wtt / (self.Wnn + self.Wtt)
        self.c, self.gamma, self.y, self.i = c, gamma, i + self.kv * c, i
        m = (i * i + gamma**2) * (R - 7 / 9) / (0.1 + i * i + gamma**2)
        one = np.ones_like(v)
        self.term = {"1": one, "v": s, "vv": s * s, "i": i * i, "ii": i**4, "r": rolling**2, "ir": i * rolling, "c": gamma**2,
                     "ic": i * gamma, "rc": rolling * gamma, "m": R, "M": m, "vi": s * i * i, "vr": s * rolling**2, "vc": s * gamma**2}
        before = np.stack([d["vx_pre"], d["vy_pre"], w * gyration], 1)
        self.size = np.linalg.norm(before, axis=1)
        self.change = np.stack([d["vx_post"], d["vy_post"], d["omega_post"] * gyration], 1) - before
        self.arm = rx / gyration, ry / gyration
        self.S = self.Wtt - self.Wnt**2 / self.Wnn


def residuals(x, terms, d, rows):
    """Relative differences of the velocity after in the mass norm (FT3) for the impulse of (GR2) to (GR5)."""
    log_odds, tau, chi = x[0] + 0 * d.v[rows], x[3] + 0 * d.v[rows], 0 * d.v[rows]
    for name, value in zip(terms, x[4:]):
        part, term = name.split(":")
        grown = value * d.term[term][rows]
        if part == "e":
            log_odds = log_odds + grown
        elif part == "t":
            tau = tau + grown
        else:
            chi = chi + grown
    e = 1 / (1 + np.exp(-np.clip(log_odds, -30, 30)))
    mu, m = np.exp(np.clip(x[1], -8, 3)), np.exp(-np.clip(x[2], -4, 0))
    kv, c = d.kv[rows], d.c[rows]
    g = -tau * d.y[rows] + (1 + e) * kv * chi * d.gamma[rows]
    f = np.maximum(0, np.abs(g) / mu + c * g) / ((1 + e) * kv)
    a, b, E0 = g * g * d.S[rows] / d.Wnn[rows], g * d.y[rows], (1 - e * e) * kv * kv
    root = np.sqrt(b * b + a * E0)
    u = np.where(b > 0, (b + root) / E0, a / np.maximum(root - b, 1e-300))
    top = np.maximum(1, np.maximum(f, u))
    share = 1 / (top * ((1 / top)**m + (f / top)**m + (u / top)**m)**(1 / m))
    scale = d.v[rows] / d.Wnn[rows]
    Pt = scale * share * g
    Pn = scale * (1 + e) * kv - c * Pt
    rx, ry = d.arm[0][rows], d.arm[1][rows]
    predicted = np.stack([Pt, Pn, rx * Pn - ry * Pt], 1)
    return (predicted - d.change[rows]) / d.size[rows, None]


def robust(r, width):
    """Cauchy's loss (FT7) as least squares of rows."""
    size = np.maximum(np.linalg.norm(r, axis=1), 1e-12)
    return (r * (width * np.sqrt(np.log1p((size / width)**2)) / size)[:, None]).ravel()


def fit(terms, d, rows, start, width, steps=25):
    ridge = np.sqrt(RIDGE)
    return least_squares(lambda x: np.concatenate([robust(residuals(x, terms, d, rows), width), ridge * x[4:]]), start,
                         max_nfev=steps, x_scale="jac", ftol=1e-5).x


def fit_anew(terms, d, rows, width, steps=25):
    """The better of two descents: limits that are soft and limits that are sharp are valleys of their own."""
    ends = [fit(terms, d, rows, start + [0.0] * len(terms), width, steps) for start in STARTS]
    return min(ends, key=lambda x: loss(x, terms, d, rows, width))


def loss(x, terms, d, rows, width):
    return np.sum(robust(residuals(x, terms, d, rows), width)**2)


def parts(units, count, rng):
    order = rng.permutation(np.unique(units))
    return [np.flatnonzero(np.isin(units, order[k::count])) for k in range(count)]


def choose(d, rows, units, rng, width=0.12):
    """Terms by forward selection on these rows alone."""
    inner = [rows[part] for part in parts(units[rows], 3, rng)]
    train = [np.setdiff1d(rows, part) for part in inner]
    terms, states = [], [fit_anew([], d, t, width) for t in train]
    best = sum(loss(x, terms, d, part, width) for x, part in zip(states, inner))
    while len(STARTS[0]) + len(terms) < MOST:
        # The gain of each candidate by one linear step on each inner training part; the three best are fitted.
        gains = {}
        for name in CANDIDATES:
            if name in terms:
                continue
            gain = 0
            for x, t in zip(states, train):
                wide = np.append(x, 0.0)
                r0 = robust(residuals(wide, terms + [name], d, t), width)
                steps = 1e-5 * np.maximum(1, np.abs(wide))
                J = np.stack([(robust(residuals(wide + h * np.eye(len(wide))[k], terms + [name], d, t), width) - r0) / h
                              for k, h in enumerate(steps)], 1)
                J = np.vstack([J, np.sqrt(RIDGE) * np.eye(len(wide))])
                step = np.linalg.lstsq(J, np.append(r0, np.zeros(len(wide))), rcond=None)[0]
                gain += r0 @ r0 - np.sum((r0 - J[:len(r0)] @ step)**2)
            gains[name] = gain
        tried = []
        for name in sorted(gains, key=gains.get)[::-1][:3]:
            grown = [fit(terms + [name], d, t, np.append(x, 0.0), width) for x, t in zip(states, train)]
            tried.append((sum(loss(x, terms + [name], d, part, width) for x, part in zip(grown, inner)), name, grown))
        score, name, grown = min(tried, key=lambda one: one[0])
        if score > 0.998 * best:
            break
        best, states, terms = score, grown, terms + [name]
    return terms


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--gyration", type=float, required=True, help="radius of gyration [m]")
    parser.add_argument("--keep", action="append", default=[], metavar="COLUMN=VALUE")
    parser.add_argument("--group", help="column whose rows of one number are in one fold")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fixed", action="store_true", help="the terms of the law in place of a choice")
    given = parser.parse_args()
    keep = [(text.split("=")[0], float(text.split("=")[1])) for text in given.keep]
    with open(given.file, encoding="utf-8") as file:
        table = [row for row in csv.DictReader(file) if all(float(row[name]) == value for name, value in keep)]
    names = ["r_x", "r_y", "vx_pre", "vy_pre", "omega_pre", "vx_post", "vy_post", "omega_post"]
    columns = {name: np.array([float(row[name]) for row in table]) for name in names}
    units = np.array([float(row[given.group]) for row in table]) if given.group else np.arange(len(table))
    d = Impacts(columns, given.gyration)
    rng = np.random.default_rng(given.seed)
    errors, everything = np.empty(len(table)), np.arange(len(table))
    for k, held in enumerate(parts(units, given.folds, rng)):
        rows = np.setdiff1d(everything, held)
        terms = LAW if given.fixed else choose(d, rows, units, rng)
        x = fit_anew(terms, d, rows, 0.12, 60)
        width = 2.385 * np.median(np.linalg.norm(residuals(x, terms, d, rows), axis=1)) / 1.538
        x = fit(terms, d, rows, x, width, 60)
        errors[held] = np.linalg.norm(residuals(x, terms, d, held), axis=1)
        print(f"fold {k + 1}: {4 + len(terms)} numbers, median {np.median(errors[held]):.4f}; {' '.join(terms)}", flush=True)
    half = 0.98 / np.sqrt(len(errors))
    low, high = np.quantile(errors, [0.5 - half, 0.5 + half])
    print(f"median {np.median(errors):.4f} ({low:.4f} to {high:.4f}), mean {errors.mean():.4f}, p90 {np.quantile(errors, 0.9):.4f}")


if __name__ == "__main__":
    main()
