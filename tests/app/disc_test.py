"""ricochet disc: discs and wheels on springs."""

import csv
import io
import json
import math
import unittest

from program import SCENES, ProgramTest, run

COIN = """stiffness = 1e6
mu = 0.3
[[disc]]
radius = 0.01
mass = 0.005
velocity = [0.1, 0, -1]
"""
WHEEL = """duration = 1
[wheel]
radius = 0.3
mass = 10
inertia = 0.5
load = 98.1
stiffness = 1e5
mu = 0.5
velocity = 5
"""


class Disc(ProgramTest):
    def document(self, *arguments):
        done = run("disc", *arguments, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def names(self):
        return sorted(p.stem for p in (SCENES / "discs").glob("*.toml"))

    def test_lists_what_is_bundled(self):
        done = run("disc")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(len(self.names()), 5)
        for name in self.names():
            self.assertIn(name, done.stdout)

    def test_bundled_is_the_file_and_its_ledger_closes(self):
        for name in self.names():
            inside = self.document(name)
            self.assertEqual(inside, self.document(SCENES / "discs" / f"{name}.toml"))
            self.assertLess(inside["residual"], 1e-12, name)
            if inside["kind"] == "disc on disc":
                self.assertLess(inside["momentum_residual"], 1e-12, name)
            self.assertNotIn("nan", json.dumps(inside).lower(), name)

    def test_flat_drop_is_half_a_sine(self):
        found = self.document(self.file("coin.toml", COIN.replace("0.1, 0, -1", "0, 0, -1")))
        T = math.sqrt(0.005 / 1e6)
        self.assertAlmostEqual(found["contact_time"], math.pi * T, delta=1e-9 * T)
        for s in found["samples"]:
            self.assertAlmostEqual(s["N"], math.sqrt(0.005 * 1e6) * math.sin(s["time"] / T), delta=1e-6)
        self.assertEqual(found["samples"][0]["phase"], "flight")

    def test_energies_of_the_rows_add_up(self):
        for name, plus, minus in [("coin-clatter", ("kinetic", "weight", "spring_n", "spring_t", "lost"), ()),
                                  ("coin-flat", ("kinetic", "weight", "spring_n", "spring_t", "lost"), ()),
                                  ("discs-edges", ("kinetic", "spring"), ()),
                                  ("rolling-drive", ("kinetic", "spring", "lost"), ("drive",))]:
            rows = self.document(name, "--samples", "50")["samples"]
            self.assertGreaterEqual(len(rows), 50)
            totals = [sum(r[k] for k in plus) - sum(r[k] for k in minus) for r in rows]
            scale = max(r["kinetic"] for r in rows)
            for total in totals:
                self.assertAlmostEqual(total, totals[0], delta=1e-9 * scale)

    def test_skid_ends_at_the_ideal_velocity(self):
        found = self.document(self.file("wheel.toml", WHEEL))
        self.assertAlmostEqual(found["ideal_velocity"], 5 / (1 + 0.5 / 0.9), places=12)
        self.assertTrue(found["grips"])
        self.assertLess(abs(found["velocity"] - found["ideal_velocity"]), found["largest_gap_after_grip"])

    def test_driven_wheel_has_the_ideal_velocity_of_its_drive(self):
        # m v + J omega / R grows at the rate T / R.
        found = self.document("rolling-drive")
        self.assertAlmostEqual(found["ideal_velocity"], 40 / 0.3 * 0.5 / (10 + 0.5 / 0.09), places=12)

    def test_every_phase_is_shown_however_few_the_samples(self):
        def phases(*arguments):
            names = [s["phase"] for s in self.document(*arguments)["samples"]]
            return [name for i, name in enumerate(names) if i == 0 or name != names[i - 1]]

        for name in "coin-clatter", "coin-edge", "coin-flat", "rolling-drive", "rolling-skid", "discs-edges", \
                "discs-overlap", "discs-point":
            self.assertEqual(phases(name, "--samples", "8"), phases(name, "--samples", "400"), name)

    def test_inputs_are_echoed_with_defaults(self):
        given = self.document(self.file("coin.toml", COIN))["inputs"]
        self.assertEqual(given["mu"], 0.3)
        self.assertEqual(given["kappa"], 1)
        self.assertAlmostEqual(given["drilling"], 2 / 3)
        self.assertEqual(given["stiffness"], 1e6)
        (disc,) = given["disc"]
        self.assertEqual(disc["blend"], 0.02)
        self.assertEqual(disc["inertia"], [0.005 * 0.01**2 / 2, 0.005 * 0.01**2 / 4])
        self.assertEqual(disc["velocity"], [0.1, 0, -1])
        self.assertEqual(self.document(self.file("wheel.toml", WHEEL))["inputs"]["wheel"]["deflection"], 0)

    def test_table_csv_and_json_name_alike_in_ascii(self):
        for name in self.names():
            found = self.document(name)
            header = run("disc", name, "--format", "csv").stdout.splitlines()[0].split(",")
            self.assertEqual(header, list(found["samples"][0]))
            self.assertEqual(header[0], "phase")
            self.assertEqual(header[1:], list(found["units"]))
            self.assertTrue(all(column.isascii() for column in header), header)
            titles = next(line for line in run("disc", name).stdout.splitlines() if line.startswith("phase")).split()
            self.assertLessEqual(set(titles), set(header))

    def test_samples_have_position_velocity_and_spin(self):
        found = self.document("coin-edge")
        first, last = found["samples"][0], found["samples"][-1]
        for key, i in ("x", 0), ("y", 1), ("z", 2):
            self.assertEqual(first[key], found["before"]["position"][i])
            self.assertEqual(last[f"v_{key}"], found["after"]["velocity"][i])
            self.assertEqual(last[f"omega_{key}"], found["after"]["angular_velocity"][i])
        self.assertIn("v_x_B", self.document("discs-edges")["samples"][0])

    def test_set_overrides(self):
        slides = self.document("coin-edge")
        smooth = self.document("coin-edge", "--set", "mu=0")
        self.assertLess(slides["energy_change"], 0)
        self.assertAlmostEqual(smooth["energy_change"], 0, delta=1e-12)
        self.assertEqual(self.document("rolling-skid", "--set", "mu=0")["velocity"], 5)
        self.assertEqual(self.document("coin-edge", "--set", "mu=inf")["contacts"], 1)

    def test_csv_and_file(self):
        out = self.path / "coin.csv"
        done = run("disc", "coin-edge", "--format", "csv", "--samples", "40", "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(io.StringIO(out.read_text())))
        self.assertEqual(len(rows), 40)
        self.assertEqual({r["phase"] for r in rows}, {"flight", "slip"})
        times = [float(r["time"]) for r in rows]
        self.assertEqual(times, sorted(times))

    def test_dash_is_standard_output(self):
        self.assertEqual(run("disc", "coin-edge", "-o", "-").stdout, run("disc", "coin-edge").stdout)

    def test_standard_input(self):
        done = run("disc", "-", text=COIN)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("energy balance", done.stdout)

    def test_refusals(self):
        def refused(text, *parts, arguments=()):
            self.refused(run("disc", self.file("s.toml", text), *arguments), *parts)

        refused(COIN.replace("mass = 0.005\n", ""), "s.toml:3", "mass", "missing")
        refused(COIN.replace("0.005", "-1"), "s.toml:5", "mass", "-1", "positive")
        refused(COIN.replace("mass", "mas"), "mass", "missing")
        refused(COIN + "blnd = 0.1\n", "s.toml:7", "blnd", "blend")
        refused(COIN + "blend = 0.9\n", "s.toml:7", "blend", "0.5")
        refused(COIN + "axis = [0, 0, 0]\n", "s.toml:7", "axis", "0, 0, 0")
        refused(COIN + "position = [0, 0]\n", "s.toml:7", "position", "3 numbers")
        refused(COIN + "inertia = [1, 0.1]\n", "s.toml:7", "inertia", "twice")
        refused(COIN.replace("-1]", "1]"), "s.toml:6", "velocity", "away")
        refused(COIN.replace("0.3", "'rough'"), "s.toml:2", "mu", "rough", "number")
        refused(COIN.replace("stiffness = 1e6\n", ""), "stiffness", "missing")
        refused(COIN.replace("mu =", "mju ="), "s.toml:2", "mju")
        refused(COIN + COIN[COIN.index("[[disc]]"):], "s.toml:2", "mu", "two discs")
        refused("stiffness = 1\n", "disc", "wheel")
        refused("disc = 3\n", "s.toml:1", "disc")
        refused(WHEEL.replace("duration = 1\n", ""), "duration", "missing")
        refused(WHEEL + "colour = 1\n", "s.toml:10", "colour")
        refused(WHEEL.replace("load = 98.1", "load = 0"), "s.toml:6", "load", "positive")
        refused(WHEEL.replace("duration = 1", "duration = -1"), "s.toml:1", "duration")
        refused("[[disc\n", "s.toml:1", "TOML")
        refused("a." * 9000 + "b = 1\n", "parts")
        refused(COIN, "--set", "KEY=NUMBER", arguments=("--set", "mu"))
        refused(COIN, "--set", "mu", "-1", arguments=("--set", "mu=-1"))
        refused(COIN, "--set", "spin", "drilling", arguments=("--set", "spin=1"))
        refused(COIN + "position = [0, 0, -0.01]\n", "s.toml:7", "position", "-0.01", "below the plane")
        self.refused(run("disc", "coin-edg"), "coin-edg", "coin-edge")
        self.refused(run("disc", self.path / "none.toml"), "none.toml", "cannot be opened")
        done = run("disc", "coin-edge", "-o", self.path / "no" / "such.json")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("such.json"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
