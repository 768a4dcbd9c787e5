"""ricochet realize and ricochet inspect."""

import json
import unittest

from program import COLLISIONS, GOOD, SCENES, ProgramTest, lines, run


class Realize(ProgramTest):
    def test_bodies_for_a_matrix(self):
        done = run("realize", "--M", "4 0 0; 0 3 0.5; 0 0.5 2", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertLess(found["residual"], 1e-12)
        for body in found["bodies"]:
            a, b, c = sorted(body["inertia"][i][i] for i in range(3))
            self.assertGreater(a, 0)
            self.assertLessEqual(c, (a + b) * (1 + 1e-9))

    def test_brackets_and_files_are_read_too(self):
        a = run("realize", "--M", json.dumps(GOOD["M"]), "--format", "json")
        b = run("realize", self.file("a.jsonl", lines(GOOD)), "--format", "json")
        self.assertEqual(json.loads(a.stdout), json.loads(b.stdout))
        self.assertIn("body B", run("realize", SCENES / "generic.toml").stdout)

    def test_refusals(self):
        self.refused(run("realize", "--M", "1 2 3"), "--M", "nine numbers", "3")
        self.refused(run("realize", "--M", "1 0 0 0 x 0 0 0 1"), "--M", "x")
        self.refused(run("realize", "--M", "1 0 0 0 -1 0 0 0 1"), "--M", "positive definite")
        self.refused(run("realize", "--M", "nan 0 0 0 1 0 0 0 1"), "finite")
        self.refused(run("realize", SCENES / "kane.toml"), "singular")


class Inspect(ProgramTest):
    def test_landmarks(self):
        done = run("inspect", SCENES / "generic.toml", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        # P_II = −M V.
        for row, P in zip(found["M"], found["P_II"]["P"]):
            self.assertAlmostEqual(P, -sum(m * v for m, v in zip(row, found["V"])), places=12)
        self.assertTrue(found["P_I"]["certificate"]["permissible"])
        self.assertGreaterEqual(found["highest_e"]["e"], 1)
        self.assertGreater(found["centroid"]["volume"], 0)
        self.assertEqual(len(found["ellipsoid"]["half_axes"]), 3)

    def test_table(self):
        for scene in (None, *COLLISIONS):
            done = run("inspect", *([scene] if scene else []))
            self.assertEqual(done.returncode, 0, done.stderr)
            for word in ("P_I ", "P_II", "ellipsoid", "max. compression", "sticking", "friction cone", "attainable e", "centroid"):
                self.assertIn(word, done.stdout)

    def test_mu_can_be_set(self):
        found = json.loads(run("inspect", SCENES / "generic.toml", "--set", "mu=inf", "--format", "json").stdout)
        self.assertEqual(found["mu"], "inf")

    def test_refusals(self):
        path = self.file("a.toml", "M = [[1,0,0],[0,1,0],[0,0,1]]\nV = [1,0,0]\nn = [1,0,0]\nmu = 1\n")
        self.refused(run("inspect", path), "a.toml:2", ": V = ")
        path = self.file("b.toml", "M = [[1,0,0],[0,1,0],[0,0,1]]\nV = [-1,0,0]\nn = [1,0,0]\n")
        self.refused(run("inspect", path), ": mu: needed by inspect")
        self.refused(run("inspect", path, "--set", "mu=-1"), "mu = -1")
        self.refused(run("inspect", self.file("c.jsonl", lines(GOOD, GOOD))), "c.jsonl:2", "second collision")


if __name__ == "__main__":
    unittest.main()
