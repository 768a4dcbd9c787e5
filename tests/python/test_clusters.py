"""The examples for clusters and for uncertainty: Dask with two workers, OpenTURNS beside `ricochet sweep`."""

import importlib.util
import json
import os
import pathlib
import subprocess

import numpy as np
import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_chunks_on_two_workers_have_the_bits_of_one_call(monkeypatch, capsys):
    distributed = pytest.importorskip("distributed", reason="python3-distributed is not installed")
    import dask.array as da

    # Workers import the example by its name.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(EXAMPLES), os.environ["PYTHONPATH"]]))
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import dask_collide

    rng = np.random.default_rng(2)
    V = rng.normal([-1, 0, 0], [0.1, 1, 1], size=(20_000, 3))
    e, mu = rng.uniform(size=(2, 20_000))
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        # Each worker is asked itself, so that both are known to have the package.
        places = client.run(lambda: os.getpid())
        assert len(set(places.values())) == 2
        for chunk in (3_000, 7_001):
            after = dask_collide.rebounds("routh", da.from_array(V, chunks=(chunk, 3)), da.from_array(e, chunks=chunk),
                                          da.from_array(mu, chunks=chunk))
            np.testing.assert_array_equal(after.compute(), dask_collide.rebound(V, e, mu, "routh"))
        # The example itself, on these workers.
        monkeypatch.setattr("sys.argv", ["", "--scheduler", cluster.scheduler_address, "--count", "5000", "--chunk", "999"])
        dask_collide.main()
        assert capsys.readouterr().out.startswith("5000 collisions on 2 workers\nV after: mean [")


def test_openturns_finds_the_indices_of_ricochet_sweep_and_of_the_closed_form():
    pytest.importorskip("openturns", reason="python3-openturns is not installed")
    first, total = example("openturns_indices").indices("routh", 20_000)
    # V_n after = e |v|, a product of independent factors.
    var_e, var_v = 0.04 / 12, 0.01
    by_e, by_v, both = var_e * 4, 0.36 * var_v, var_e * var_v
    variance = by_e + by_v + both
    np.testing.assert_allclose(first[1], np.array([by_e, 0, by_v, 0]) / variance, atol=0.03)
    np.testing.assert_allclose(total[1], np.array([by_e + both, 0, by_v + both, 0]) / variance, atol=0.03)

    done = subprocess.run([os.environ["RICOCHET_PROGRAM"], "sweep", EXAMPLES / "sweep.toml", "--format", "json"],
                          capture_output=True, check=True)
    laws = {law["law"]: law for law in json.loads(done.stdout)["laws"]}
    axes = laws["routh"]["outputs"]["V[1]"]["indices"]["axes"]
    np.testing.assert_allclose(first[0], [axis["first"] for axis in axes], atol=0.03)
    np.testing.assert_allclose(total[0], [axis["total"] for axis in axes], atol=0.03)
