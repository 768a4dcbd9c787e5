"""ricochet gas: rows that agree with each other and with kinetic theory, and errors that name their option."""

import csv
import io
import json
import math
import unittest

from program import ProgramTest, run

SMALL = ["gas", "--spheres", "1000", "--collisions", "20", "--rows", "4"]


class Gas(ProgramTest):
    def columns(self, *arguments):
        done = run(*SMALL, *arguments, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_smooth_spheres_cool_as_each_collision_takes_its_share(self):
        found = self.columns("--law", "frictionless", "--set", "e=0.9")
        T, k = found["columns"]["T"], found["columns"]["collisions"]
        self.assertEqual([round(x) for x in k], [0, 5, 10, 15, 20])
        self.assertAlmostEqual(T[0], 1, delta=1e-9)
        for a, b in zip(T[1:], k[1:]):
            self.assertAlmostEqual(math.log(a), -(1 - 0.9**2) * b / 3, delta=0.08 * b * 0.19 / 3)
        self.assertLess(max(map(abs, found["columns"]["residual"])), 1e-9 * found["columns"]["energy"][0])
        self.assertTrue(found["complete"])

    def test_the_same_seed_gives_the_same_run_and_formats_agree(self):
        more = ["--set", "e=0.8", "--set", "e_t=0.3", "--set", "mu=0.4", "--spin", "1"]
        found = self.columns(*more)
        self.assertEqual(found, self.columns(*more))
        self.assertNotEqual(found["columns"]["T"], self.columns(*more, "--seed", "2")["columns"]["T"])
        table = list(csv.DictReader(io.StringIO(run(*SMALL, *more, "--format", "csv").stdout)))
        for name, values in found["columns"].items():
            self.assertEqual([float(row[name]) for row in table], values)

    def test_collapse_ends_the_run_with_its_rows(self):
        done = run("gas", "--spheres", "300", "--fraction", "0.4", "--law", "frictionless", "--set", "e=0.05",
                   "--collisions", "2000", "--format", "json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("inelastic collapse", done.stderr)
        found = json.loads(done.stdout)
        self.assertFalse(found["complete"])
        self.assertGreater(found["columns"]["time"][-1], 0)

    def test_errors_name_the_option(self):
        for arguments, names in (
            (["--fraction", "0.6"], ["--fraction", "0.6", "0.5"]),
            (["--law", "rout"], ["--law", "routh"]),
            (["--set", "e=1.5"], ["--set", "e", "1.5"]),
            (["--inertia-ratio", "1"], ["--inertia-ratio", "2/3"]),
            (["--collisions", "-1"], ["--collisions", "-1"]),
        ):
            restitution = [] if "--set" in arguments else ["--set", "e=0.9"]
            done = run("gas", *restitution, "--set", "e_t=0", "--set", "mu=0.3", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            for name in names:
                self.assertIn(name, done.stderr)


if __name__ == "__main__":
    unittest.main()
