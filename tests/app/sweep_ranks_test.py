"""mpirun ricochet sweep: any number of ranks gives the same bytes, and a rank that dies is reported and its sweep resumed."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from program import PROGRAM, ProgramTest, run

MPIRUN = shutil.which("mpirun")
SPEC = """[sweep]
law = ["chatterjee-ruina", "permissible-point"]
sampling = "sobol"
count = COUNT
columns = "csv"
outputs = ["V_n", "energy_change"]
[base]
M = [[2, 0.7, 0.2], [0.7, 1.5, -0.3], [0.2, -0.3, 1.1]]
V = [-1, -1.4, 0.3]
n = [1, 0, 0]
mu = 0.3
psi_1 = 0.5
psi_2 = 0.7
rho = 0.5
[[axis]]
field = "e"
range = [0, 1]
[[axis]]
field = "V[2]"
distribution = "normal"
mean = 0
deviation = 1
"""


def mpirun(ranks, *arguments):
    # As root, as in a container, mpirun asks to be told twice that this is meant.
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return subprocess.Popen([MPIRUN, "--oversubscribe", "-n", str(ranks), PROGRAM, "sweep", *map(str, arguments)],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=environment)


def files(folder):
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def workers_of(process):
    """Process ids of ranks above 0, from the environment that mpirun gives them."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")
            parent = re.search(r"PPid:\s+(\d+)", (folder / "status").read_text())
        except OSError:
            continue
        ranks = [int(item.split(b"=")[1]) for item in environment if item.startswith(b"OMPI_COMM_WORLD_RANK=")]
        if ranks and ranks[0] > 0 and parent and int(parent[1]) == process.pid:
            found.append(int(folder.name))
    return found


class Ranks(ProgramTest):
    def spec(self, count):
        return self.file("spec.toml", SPEC.replace("COUNT", str(count)))

    def test_any_number_of_ranks_gives_the_same_bytes(self):
        spec = self.spec(30_000)
        alone = run("sweep", spec, "--out", self.path / "alone")
        self.assertEqual(alone.returncode, 0, alone.stderr)
        for ranks in (1, 2, 3):
            out = self.path / f"ranks{ranks}"
            process = mpirun(ranks, spec, "--out", out)
            printed, errors = process.communicate(timeout=200)
            self.assertEqual(process.returncode, 0, errors)
            self.assertEqual(printed, alone.stdout)
            self.assertEqual(files(out), files(self.path / "alone"))

    def test_bad_input_is_said_once(self):
        spec = self.file("bad.toml", SPEC.replace("COUNT", "0"))
        process = mpirun(3, spec, "--out", self.path / "none")
        _, errors = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 2)
        self.assertEqual(errors.count("sweep.count = 0: must be an integer"), 1)
        self.assertFalse((self.path / "none").exists())

    def test_a_rank_that_dies_is_reported_and_the_sweep_resumed(self):
        spec = self.spec(200_000)
        whole, out = self.path / "whole", self.path / "out"
        self.assertEqual(run("sweep", spec, "--out", whole).returncode, 0)
        process = mpirun(3, spec, "--out", out, "--save-every", "0.01")
        deadline, pieces = time.monotonic() + 100, 0
        while pieces == 0 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
            try:
                pieces = int(re.search(rb'"pieces":(\d+)', (out / "checkpoint").read_bytes())[1])
            except OSError:
                pass
        workers = workers_of(process)
        self.assertGreater(pieces, 0)
        self.assertEqual(len(workers), 2)
        os.kill(workers[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=100)
        self.assertNotEqual(process.returncode, 0)
        self.assertRegex(errors, r"rank [12] .*exited on signal 9")
        self.assertNotIn("statistics.json", files(out))
        process = mpirun(2, spec, "--out", out, "--resume")
        _, errors = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(files(out), files(whole))


if __name__ == "__main__":
    if MPIRUN is None or os.environ.get("RICOCHET_HAVE_MPI") != "ON":
        print("Open MPI (Debian packages libopenmpi-dev and openmpi-bin) is not installed")
        sys.exit(77)
    unittest.main()
