"""Ensembles of `simultaneous` under mpirun: any number of ranks gives the same answer, a rank that dies is reported and the
ensemble resumed."""

import os
import signal
import subprocess
import sys
import time
import unittest

from program import PROGRAM, ProgramTest, run
from sweep_ranks_test import MPIRUN, files, workers_of

ENSEMBLE = ["simultaneous", "pool-break", "--uncertainty-e", "0.05", "--seed", "3"]


def mpirun(ranks, *arguments):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return subprocess.Popen([MPIRUN, "--oversubscribe", "-n", str(ranks), PROGRAM, *ENSEMBLE, *map(str, arguments)],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env=environment)


class Ranks(ProgramTest):
    def test_any_number_of_ranks_gives_the_same_answer(self):
        few = ["--ensemble", "300"]
        alone = run(*ENSEMBLE, *few, "--format", "json")
        self.assertEqual(alone.returncode, 0, alone.stderr)
        kept = run(*ENSEMBLE, *few, "--format", "json", "--out", self.path / "alone")
        self.assertEqual(kept.stdout, alone.stdout)
        for ranks in (1, 2, 3):
            out = self.path / f"ranks{ranks}"
            process = mpirun(ranks, *few, "--format", "json", "--out", out)
            printed, errors = process.communicate(timeout=200)
            self.assertEqual(process.returncode, 0, errors)
            self.assertEqual(printed, alone.stdout)
            self.assertEqual(files(out), files(self.path / "alone"))

    def test_bad_input_is_said_once(self):
        process = mpirun(3, "--ensemble", "10", "--resolution", "7")
        _, errors = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 2)
        self.assertEqual(errors.count("--resolution: resolution = 7: must be between 0 and 1"), 1, errors)

    def test_a_rank_that_dies_is_reported_and_the_ensemble_resumed(self):
        many = ["--ensemble", "6000"]
        whole, out = self.path / "whole", self.path / "out"
        self.assertEqual(run(*ENSEMBLE, *many, "--out", whole).returncode, 0)
        process = mpirun(3, *many, "--out", out, "--save-every", "0")
        deadline = time.monotonic() + 100
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
            try:
                if (out / "members.txt").stat().st_size > 0:
                    break
            except OSError:
                pass
        workers = workers_of(process)
        self.assertEqual(len(workers), 2)
        os.kill(workers[0], signal.SIGKILL)
        _, errors = process.communicate(timeout=100)
        self.assertNotEqual(process.returncode, 0)
        self.assertRegex(errors, r"rank [12] .*exited on signal 9")
        self.assertNotIn("ensemble.json", files(out))
        refused = run(*ENSEMBLE, *many, "--out", out)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--resume continues it", refused.stderr)
        other = run(*ENSEMBLE, "--ensemble", "6001", "--out", out, "--resume")
        self.assertEqual(other.returncode, 2)
        self.assertIn("members", other.stderr)
        process = mpirun(2, *many, "--out", out, "--resume")
        _, errors = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 0, errors)
        self.assertEqual(files(out), files(whole))


if __name__ == "__main__":
    if MPIRUN is None or os.environ.get("RICOCHET_HAVE_MPI") != "ON":
        print("Open MPI (Debian packages libopenmpi-dev and openmpi-bin) is not installed")
        sys.exit(77)
    unittest.main()
