"""Ensembles of `simulate`, killed and resumed, and under mpirun: the same bytes for any number of ranks, a rank that dies is
reported and the ensemble resumed."""

import os
import signal
import subprocess
import sys
import time
import unittest

from program import PROGRAM, ProgramTest, run
from sweep_ranks_test import MPIRUN, files, workers_of

ENSEMBLE = ["simulate", "clattering-rod", "--until", "0.5", "--uncertainty", "0.01", "--uncertainty-e", "0.05", "--seed", "3"]


def start(command):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return subprocess.Popen([*map(str, command)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, env=environment)


def mpirun(ranks, *arguments):
    return start([MPIRUN, "--oversubscribe", "-n", ranks, PROGRAM, *ENSEMBLE, *arguments])


def wait_for_members(process, folder):
    deadline = time.monotonic() + 100
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
        try:
            if len((folder / "members.csv").read_bytes().splitlines()) > 20:
                return
        except OSError:
            pass


class Ranks(ProgramTest):
    def test_any_number_of_ranks_gives_the_same_bytes(self):
        few = ["--ensemble", "200"]
        alone = run(*ENSEMBLE, *few, "--format", "json", "--threads", "1", "--out", self.path / "alone")
        self.assertEqual(alone.returncode, 0, alone.stderr)
        for ranks in (1, 2, 3):
            out = self.path / f"ranks{ranks}"
            process = mpirun(ranks, *few, "--format", "json", "--out", out)
            printed, errors = process.communicate(timeout=200)
            self.assertEqual(process.returncode, 0, errors)
            self.assertEqual(printed, alone.stdout)
            self.assertEqual(files(out), files(self.path / "alone"))

    def test_bad_input_is_said_once(self):
        process = mpirun(3, "--ensemble", "10", "--uncertainty-mu", "-1")
        _, errors = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 2)
        self.assertEqual(errors.count("--uncertainty-mu: "), 1, errors)

    def test_killed_at_any_time_it_continues_to_the_same_bytes(self):
        many = ["--ensemble", "2000"]
        whole, out = self.path / "whole", self.path / "out"
        self.assertEqual(run(*ENSEMBLE, *many, "--out", whole).returncode, 0)
        process = start([PROGRAM, *ENSEMBLE, *many, "--out", out, "--save-every", "0"])
        wait_for_members(process, out)
        process.kill()
        process.communicate(timeout=100)
        self.assertNotIn("ensemble.json", files(out))
        again = run(*ENSEMBLE, *many, "--out", out, "--resume")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(files(out), files(whole))
        finished = run(*ENSEMBLE, *many, "--out", out, "--resume")
        self.assertEqual(finished.returncode, 0, finished.stderr)
        self.assertIn("is finished already", finished.stderr)
        self.assertEqual(finished.stdout, again.stdout)

    def test_a_rank_that_dies_is_reported_and_the_ensemble_resumed(self):
        many = ["--ensemble", "4000"]
        whole, out = self.path / "whole", self.path / "out"
        self.assertEqual(run(*ENSEMBLE, *many, "--out", whole).returncode, 0)
        process = mpirun(3, *many, "--out", out, "--save-every", "0")
        wait_for_members(process, out)
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
        other = run(*ENSEMBLE, "--ensemble", "4001", "--out", out, "--resume")
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
