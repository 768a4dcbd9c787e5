#!/usr/bin/env python3
"""Collisions in chunks on a cluster: ricochet.collide over Dask arrays.

    ./run python examples/dask_collide.py [--scheduler ADDRESS] [--count N] [--chunk N]

Without an address two workers are started on this machine. Every worker needs the package ricochet. A chunk is one call of
`collide`, so that the result has the same bits for any number of workers and any size of chunks. Needs python3-distributed.
"""

import argparse

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import ricochet

MASS = np.array([[2.0, 0.7, 0.2], [0.7, 1.5, -0.3], [0.2, -0.3, 1.1]])
NORMAL = np.array([1.0, 0.0, 0.0])


def rebound(V, e, mu, law):
    """V after the impact, of one chunk: V is (…, 3), e and mu are (…). A worker has its own thread."""
    return ricochet.collide(law, M=MASS, V=V, n=NORMAL, e=e, mu=mu, threads=1).V


def rebounds(law, V, e, mu):
    """The same for arrays of Dask, which are divided alike in their first dimension."""
    return da.blockwise(rebound, "ij", V, "ij", e, "i", mu, "i", law=law, concatenate=True, dtype=float)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scheduler")
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--chunk", type=int, default=50_000)
    options = parser.parse_args()
    cluster = options.scheduler or LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with Client(cluster) as client:
        random = da.random.RandomState(1)
        drawn = random.normal(size=(options.count, 3), chunks=(options.chunk, 3))
        V = np.array([-1.0, 0.0, 0.0]) + np.array([0.1, 1.0, 1.0]) * drawn
        e = random.uniform(0.0, 1.0, size=options.count, chunks=options.chunk)
        mu = random.uniform(0.0, 1.0, size=options.count, chunks=options.chunk)
        after = rebounds("routh", V, e, mu)
        mean, deviation = da.compute(after.mean(axis=0), after.std(axis=0))
        print(f"{options.count} collisions on {len(client.scheduler_info()['workers'])} workers")
        print("V after: mean", mean, "deviation", deviation)


if __name__ == "__main__":
    main()
