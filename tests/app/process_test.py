"""ricochet process."""

import csv
import io
import json
import math
import unittest

from program import GOOD, SCENES, ProgramTest, lines, run


class Process(ProgramTest):
    def process(self, *arguments):
        done = run("process", *arguments, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_bar_ends_where_collide_says(self):
        found = self.process(SCENES / "bar.toml")
        self.assertTrue(found["closed_form"])
        (answer,) = self.answers("collide", SCENES / "bar.toml", "--law", "spring-sledge", "--format", "jsonl")
        for a, b in zip(found["P"], answer["P"]):
            self.assertAlmostEqual(a, b, delta=1e-12)
        last = found["points"][-1]
        self.assertAlmostEqual(last["time"], found["duration"], delta=1e-12)
        kinetic = sum(p * (v + w) / 2 for p, v, w in zip(found["P"], found["V"], found["V_after"]))
        self.assertAlmostEqual(kinetic + last["lost_normal"] + last["lost_friction"], 0, delta=1e-12)
        self.assertEqual({phase["kind"] for phase in found["phases"]}, {"stick", "slip"})

    def test_in_space_and_with_dampers(self):
        path = self.file("a.jsonl", lines(GOOD))
        for damper in "hysteretic", "linear", "hunt-crossley":
            found = self.process(path, "--set", f"damper={damper}")
            self.assertFalse(found["closed_form"])
            self.assertEqual(found["law"]["damper"], damper)
            for point in found["points"]:
                normal, *tangential = point["force"]
                self.assertLessEqual(math.hypot(*tangential), GOOD["mu"] * normal + 1e-9)

    def test_stiffness_scales_time_only(self):
        plain, hard = self.process(SCENES / "bar.toml"), self.process(SCENES / "bar.toml", "--stiffness", "1e6")
        self.assertEqual(plain["P"], hard["P"])
        self.assertAlmostEqual(hard["duration"] * math.sqrt(1e6 * 1.75), plain["duration"], delta=1e-12)

    def test_csv_has_a_row_for_each_point(self):
        done = run("process", SCENES / "bar.toml", "--format", "csv", "--points", "5")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        found = self.process(SCENES / "bar.toml", "--points", "5")
        self.assertEqual(len(rows), len(found["points"]))
        self.assertAlmostEqual(float(rows[-1]["P_n"]), found["points"][-1]["P_local"][0])

    def test_table(self):
        done = run("process", SCENES / "bar.toml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("inclined bar", done.stdout)
        self.assertIn("stick", done.stdout)

    def test_refusals(self):
        bar = SCENES / "bar.toml"
        self.refused(run("process", bar, "--set", "kappa=0"), "--set: ", "kappa", "above 0")
        self.refused(run("process", bar, "--set", "damper=rubber"), "damper", "hunt-crossley")
        self.refused(run("process", bar, "--set", "e=0", "--set", "damper=linear"), "\"e\"", "0.0001")
        self.refused(run("process", bar, "--stiffness", "0"), "stiffness", "above 0")
        self.refused(run("process", bar, "--points", "0"), "--points: ", "\"points\": 0", "at least 1")
        self.refused(run("process", self.file("a.jsonl", lines({**GOOD, "V": [1, 0, 0]}))), "\"V\"", "part already")


if __name__ == "__main__":
    unittest.main()
