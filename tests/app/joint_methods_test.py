"""`simultaneous --method`: all contacts at once, where the program was built with Siconos."""

import json
import os
import unittest

from program import ProgramTest, run

HAVE = os.environ.get("RICOCHET_HAVE_COMPLEMENTARITY") == "ON"
METHODS = ["lcp", "pfeiffer-glocker", "anitescu-potra", "weighted"]


@unittest.skipUnless(HAVE, "built without Siconos")
class JointMethods(ProgramTest):
    def answer(self, scene, method):
        done = run("simultaneous", scene, "--method", method, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_a_cradle_that_is_taken_at_once_rebounds_from_its_first_contact(self):
        for method in METHODS[1:]:
            speeds = [body["velocity"][0] for body in self.answer("cradle", method)["bodies"]]
            for speed, known in zip(speeds, [-0.6, 0.4, 0.4, 0.4, 0.4]):
                self.assertAlmostEqual(speed, known, 9, method)
        for body in self.answer("cradle", "lcp")["bodies"]:
            self.assertAlmostEqual(body["velocity"][0], 0.2, 12)

    def test_answers_carry_their_certificate(self):
        for method in METHODS:
            for scene in ("falling-rod", "pool-break"):
                out = self.answer(scene, method)
                self.assertEqual(out["method"], method)
                self.assertLess(out["residual"], 1e-8)
                self.assertFalse(out["gains_energy"])
                self.assertIn(out["chosen"], ("only", "minimal-norm", "vertex", "iterate"))
                self.assertTrue(out["permissible"], (method, scene, out["violated"], out["margins"]))
                for contact in out["contacts"]:
                    self.assertGreater(contact["separation_speed_after"], -1e-9)

    def test_what_goes_with_sequences_only_is_refused(self):
        for option in (["--ties", "random"], ["--ensemble", "5"], ["--hinges", "sequence"]):
            done = run("simultaneous", "cradle", "--method", "weighted", *option)
            self.assertEqual(done.returncode, 2)
            self.assertIn(option[0], done.stderr)

    def test_what_is_not_planar_is_refused_with_its_line(self):
        done = run("simultaneous", "tower", "--method", "pfeiffer-glocker")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"tower:\d+: .*out of the plane")

    def test_hinges_are_kept_intact(self):
        out = self.answer("hinged-pendulum", "weighted")
        self.assertEqual(out["hinges"], "intact")


@unittest.skipIf(HAVE, "built with Siconos")
class WithoutSiconos(ProgramTest):
    def test_it_says_what_is_missing(self):
        done = run("simultaneous", "cradle", "--method", "lcp")
        self.assertEqual(done.returncode, 2)
        self.assertIn("libsiconos-numerics-dev", done.stderr)


if __name__ == "__main__":
    unittest.main()
