"""ricochet process."""

import csv
import io
import json
import math
import unittest

from program import GOOD, SCENES, ProgramTest, good, lines, run


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
        self.assertAlmostEqual(kinetic + last["lost_n"] + last["lost_t"], 0, delta=1e-12)
        self.assertEqual({phase["kind"] for phase in found["phases"]}, {"stick", "slip"})

    def test_in_space_and_with_dampers(self):
        path = self.file("a.jsonl", lines(GOOD))
        for damper in "hysteretic", "linear", "hunt-crossley":
            found = self.process(path, "--set", f"damper={damper}")
            self.assertFalse(found["closed_form"])
            self.assertEqual(found["law"]["damper"], damper)
            for point in found["points"]:
                self.assertLessEqual(math.hypot(point["F_t"], point["F_b"]), GOOD["mu"] * point["F_n"] + 1e-9)

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
        for row, point in zip(rows, found["points"]):
            self.assertEqual(list(row), list(point))
            self.assertEqual(float(row["P_n"]), point["P_n"])
        self.assertEqual(list(point)[2:], list(found["units"]))

    def test_table(self):
        done = run("process", SCENES / "bar.toml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("inclined bar", done.stdout)
        self.assertIn("stick", done.stdout)

    def test_points_work_in_space(self):
        path = self.file("a.jsonl", lines(GOOD))
        for damper in "hysteretic", "linear":
            few, many = (self.process(path, "--set", f"damper={damper}", "--points", n) for n in (2, 50))
            phases = len(few["phases"])
            # And first touch, and the springs after release where they were still loaded.
            self.assertIn(len(few["points"]) - 2 * phases, (1, 2))
            self.assertIn(len(many["points"]) - 50 * phases, (1, 2))
            self.assertEqual(few["P"], many["P"])

    def test_inputs_are_echoed(self):
        found = self.process(self.file("a.jsonl", lines(GOOD)), "--stiffness", "1e5")
        self.assertEqual(found["n"], GOOD["n"])
        self.assertEqual(found["V"], GOOD["V"])
        self.assertEqual(found["stiffness"], 1e5)
        self.assertEqual(found["law"], {"kappa": 14 / 17, "mu": 0.3, "e": 0.5, "damper": "hysteretic"})
        self.assertEqual(found["units"]["time"], "s")

    def test_output_file_and_dash(self):
        out = self.path / "bar.csv"
        self.assertEqual(run("process", SCENES / "bar.toml", "--format", "csv", "-o", out).returncode, 0)
        text = run("process", SCENES / "bar.toml", "--format", "csv").stdout
        self.assertEqual(out.read_text(), text)
        self.assertEqual(run("process", SCENES / "bar.toml", "--format", "csv", "-o", "-").stdout, text)

    def test_restitution_below_rounding_is_plastic(self):
        tiny, none = (self.process(SCENES / "bar.toml", "--set", f"e={e}") for e in ("1e-155", "0"))
        self.assertEqual(tiny["P"], none["P"])

    def test_soft_tangential_spring_in_space_gives_a_normal_impulse(self):
        (answer,) = self.answers("collide", self.file("a.jsonl", lines(good(law="spring-sledge", kappa=1e-180))),
                                 "--format", "jsonl")
        (soft,) = self.answers("collide", self.file("a.jsonl", lines(good(law="spring-sledge", kappa=1e-100))),
                               "--format", "jsonl")
        self.assertTrue(answer["permissible"])
        for a, b in zip(answer["P"], soft["P"]):
            self.assertAlmostEqual(a, b, delta=1e-13)

    def test_limit_of_steps_is_named(self):
        done = run("process", SCENES / "bar.toml", "--set", "damper=linear", "--set", "e=0.5", "--set", "kappa=1e12")
        self.refused(done, "limit of integration steps")

    def test_refusals(self):
        bar = SCENES / "bar.toml"
        self.refused(run("process", bar, "--set", "kappa=0"), "--set: ", "kappa", "above 0")
        self.refused(run("process", bar, "--set", "damper=rubber"), "damper", "hunt-crossley")
        self.refused(run("process", bar, "--set", "e=0", "--set", "damper=linear"), "e = 0: ", "0.0001")
        self.refused(run("process", bar, "--stiffness", "0"), "stiffness", "above 0")
        self.refused(run("process", bar, "--points", "2000000000"), "--points: ", "200000", "phases")
        self.refused(run("process", bar, "--points", "0"), "--points: ", "points_per_phase = 0", "at least 1")
        self.refused(run("process", self.file("a.jsonl", lines({**GOOD, "V": [1, 0, 0]}))), "V = ", "already separate")


if __name__ == "__main__":
    unittest.main()
