"""simulate --ensemble: the spread of a motion's end, against closed forms and first-order derivatives; what is kept and refused."""

import csv
import json
import math
import os
import statistics
import unittest
from pathlib import Path

from program import ProgramTest, run

MODELS = Path(os.environ["RICOCHET_MODELS"])
G, RADIUS = 9.81, 0.1

BALL = """gravity = [0, 0, -9.81]
[law]
name = "chatterjee-ruina"
e = 0.7
mu = 0.2
[[body]]
name = "floor"
shape = "plane"
fixed = true
[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
mass = 1
position = [0, 0, 1.1]
velocity = [0, 0, -2]
"""

ARM = """<link name="{0}"><collision><origin xyz="0.2 0 0"/><geometry><sphere radius="0.05"/></geometry></collision>
<inertial><origin xyz="0.2 0 0"/><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
</link><joint name="j{0}" type="continuous"><parent link="base"/><child link="{0}"/><origin xyz="0 {1} 1"/><axis xyz="0 0 1"/>
{2}</joint>"""
GEARED = """<robot name="geared"><link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
""" + ARM.format("a", 0.5, "") + ARM.format("b", -0.5, '<mimic joint="ja" multiplier="-2"/>') + "</robot>"

# On the floor: half of the draws of its height lie in it.
RESTING = BALL.replace("1.1]", "0.1]").replace("-2]", "0]")


def rows_of(path):
    return list(csv.DictReader(path.read_text().splitlines()))


def end_of_flight(v, e, until):
    """Height and speed at `until` after one bounce, from 1 m above it with the speed v downwards."""
    strike = math.sqrt(v * v + 2 * G)
    at = (strike - v) / G
    left = until - at
    assert 0 < left < 2 * e * strike / G
    return RADIUS + e * strike * left - 0.5 * G * left * left, e * strike - G * left


def moments(value, v, e, width_v, width_e, cells=200):
    """Mean and standard deviation over uniform speeds and restitutions, by midpoints."""
    values = [value(v + width_v * (2 * (i + 0.5) / cells - 1), e + width_e * (2 * (j + 0.5) / cells - 1))
              for i in range(cells) for j in range(cells)]
    return statistics.fmean(values), statistics.pstdev(values)


class Ensemble(ProgramTest):
    def document(self, *arguments):
        done = run("simulate", *arguments, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def close(self, spread, mean, deviation, count, label):
        """Within four standard errors; the fourth moment of a sum of uniform draws is below that of a normal one."""
        self.assertLess(abs(spread["mean"] - mean), 4 * deviation / math.sqrt(count), label)
        self.assertLess(abs(spread["deviation"] / deviation - 1), 4 / math.sqrt(2 * count), label)

    def test_bouncing_ball_spreads_as_its_closed_form(self):
        scene, count, until = self.file("ball.toml", BALL), 20000, 0.6
        found = self.document(scene, "--until", until, "--ensemble", count, "--seed", "5", "--uncertainty", "0.1",
                              "--uncertainty-e", "0.1")
        self.assertEqual(found["reference_speed"], 2)
        self.assertEqual(found["ensemble"]["ends"], {"time": count})
        self.assertEqual(found["ensemble"]["at_rest"], 0)
        self.assertEqual([found["ensemble"]["impacts"][key] for key in ("low", "high")], [1, 1])
        body = found["ensemble"]["bodies"][0]
        for k, part in enumerate(("pz", "vz")):
            mean, deviation = moments(lambda v, e: end_of_flight(v, e, until)[k], 2, 0.7, 0.2, 0.1)
            self.close(body[part], mean, deviation, count, part)
            self.assertLess(body[part]["low"], body[part]["median"])
            self.assertLess(body[part]["median"], body[part]["high"])

    def test_small_uncertainties_spread_as_the_derivatives_say(self):
        scene, count, until, small = self.file("ball.toml", BALL), 4000, 0.6, 1e-4
        state = self.document(scene, "--until", until, "--sensitivity")["sensitivity"]["state"]["ball"]
        found = self.document(scene, "--until", until, "--ensemble", count, "--uncertainty", small, "--uncertainty-e",
                              small)["ensemble"]["bodies"][0]
        # Half widths; a uniform draw has a third of its half width squared as variance.
        width = {"ball.velocity": 2 * small, "ball.angular_velocity": 2 * small / RADIUS, "e": small}
        for group, letter in (("position", "p"), ("velocity", "v"), ("angular_velocity", "w")):
            for row, axis in enumerate("xyz"):
                variance = 0
                for name, half in width.items():
                    by = state[group][name][row]
                    variance += sum((half * x) ** 2 for x in (by if isinstance(by, list) else [by])) / 3
                deviation = found[letter + axis]["deviation"]
                self.assertLess(abs(deviation / math.sqrt(variance) - 1), 4 / math.sqrt(2 * count), letter + axis)

    def test_member_is_the_motion_of_its_draw(self):
        """Without uncertainty every member is the motion of the scene."""
        out = self.path / "out"
        alone = self.path / "alone"
        arguments = ["simulate", "bouncing-ball", "--until", "1"]
        self.assertEqual(run(*arguments, "--out", alone).returncode, 0)
        done = run(*arguments, "--ensemble", "3", "--uncertainty", "0", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        last = rows_of(alone / "trajectory.csv")[-1]
        rows = rows_of(out / "members.csv")
        self.assertEqual([row["member"] for row in rows], ["0", "1", "2"])
        for row in rows:
            self.assertEqual(row["end"], "time")
            for key, value in row.items():
                if key.startswith("ball."):
                    self.assertAlmostEqual(float(value), float(last[key]), delta=1e-12)
        self.assertEqual(sorted(path.name for path in out.iterdir()), ["ensemble.json", "members.csv"])
        kept = json.loads((out / "ensemble.json").read_text())
        self.assertEqual(kept["run"]["members"], 3)

    def test_all_come_to_rest(self):
        found = self.document("bouncing-ball", "--until", "8", "--ensemble", "50", "--uncertainty-e", "0.05")
        self.assertEqual(found["ensemble"]["bodies"][0]["at_rest"], 1)
        self.assertEqual(found["ensemble"]["at_rest"], 1)
        self.assertAlmostEqual(found["ensemble"]["bodies"][0]["pz"]["high"], RADIUS, delta=1e-9)
        self.assertAlmostEqual(found["reference_speed"], math.sqrt(G * RADIUS), delta=1e-12)

    def test_starts_are_drawn_without_overlap(self):
        scene = self.file("resting.toml", RESTING)
        out = self.path / "out"
        found = self.document(scene, "--until", "0.001", "--ensemble", "400", "--uncertainty-position", "0.01",
                              "--out", out)
        self.assertEqual(found["ensemble"]["ends"], {"time": 400})
        heights = found["ensemble"]["bodies"][0]["pz"]
        self.assertGreaterEqual(heights["low"], RADIUS - 1e-5)
        # Uniform above the floor.
        self.assertAlmostEqual(heights["mean"], RADIUS + 0.005, delta=4 * 0.01 / math.sqrt(12 * 400) + 1e-5)

    def test_members_that_stop_are_kept_with_their_reason(self):
        # The ball fills the gap between two plates but for 0.1 mm: hardly a draw is without overlap.
        scene = self.file("tight.toml", RESTING + '[[body]]\nname = "lid"\nshape = "box"\nsize = [9, 9, 4]\n'
                          "fixed = true\nposition = [0, 0, 2.2001]\n")
        out = self.path / "out"
        found = self.document(scene, "--until", "0.01", "--ensemble", "60", "--uncertainty-position", "1", "--out",
                              out)["ensemble"]
        self.assertEqual(sum(found["ends"].values()), 60)
        self.assertGreater(found["ends"]["overlap"], 50)
        rows = rows_of(out / "members.csv")
        self.assertEqual([row["end"] for row in rows].count("overlap"), found["ends"]["overlap"])
        first = found["stopped"][0]
        self.assertIn("m at the start", first["reason"])
        self.assertEqual(rows[first["member"]]["reason"], first["reason"])
        self.assertEqual(rows[first["member"]]["ball.px"], "nan")
        limited = self.document("bouncing-ball", "--until", "4", "--ensemble", "10", "--max-events", "3")["ensemble"]
        self.assertEqual(limited["ends"], {"max-events": 10})
        self.assertNotIn("bodies", limited)
        self.assertEqual(limited["stopped"][0]["member"], 0)

    def test_drawn_speeds_keep_hinges_closed(self):
        out = self.path / "out"
        found = self.document("double-pendulum", "--until", "1e-6", "--ensemble", "20", "--uncertainty", "0.1", "--out",
                              out)
        self.assertEqual(found["ensemble"]["ends"], {"time": 20})
        hinges = ((("upper",), (0, 0, 1.2)), (("upper", "lower"), (1, 0, 1.2)))
        for row in rows_of(out / "members.csv"):
            for bodies, point in hinges:
                speeds = []
                for body in bodies:
                    x, v, w = ([float(row[f"{body}.{letter}{axis}"]) for axis in "xyz"] for letter in "pvw")
                    r = [a - b for a, b in zip(point, x)]
                    turning = (w[1] * r[2] - w[2] * r[1], w[2] * r[0] - w[0] * r[2], w[0] * r[1] - w[1] * r[0])
                    speeds.append([a + b for a, b in zip(v, turning)])
                there = speeds[1] if len(bodies) > 1 else [0, 0, 0]
                for a, b in zip(speeds[0], there):
                    self.assertAlmostEqual(a, b, delta=1e-5)
        for component in ("wx", "wy", "wz"):
            self.assertGreater(found["ensemble"]["bodies"][1][component]["deviation"], 1e-3)

    @unittest.skipUnless(os.environ["RICOCHET_HAVE_MODELS"] == "ON", "needs MuJoCo")
    def test_robot_moves_as_a_whole(self):
        out = self.path / "out"
        done = run("simulate", MODELS / "quadruped.xml", "--height", "0.5", "--until", "0.05", "--ensemble", "8",
                   "--uncertainty", "0", "--uncertainty-position", "0.1", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = rows_of(out / "members.csv")
        self.assertEqual([row["end"] for row in rows], ["time"] * 8)
        bodies = [key[:-3] for key in rows[0] if key.endswith(".px")]
        self.assertGreater(len(bodies), 10)
        for axis in "xyz":
            moved = [float(row[f"trunk.p{axis}"]) - float(rows[0][f"trunk.p{axis}"]) for row in rows]
            self.assertGreater(max(map(abs, moved)), 0.01)
            for body in bodies:
                for row, by in zip(rows, moved):
                    self.assertAlmostEqual(float(row[f"{body}.p{axis}"]) - float(rows[0][f"{body}.p{axis}"]), by,
                                           delta=1e-9)

    @unittest.skipUnless(os.environ["RICOCHET_HAVE_MODELS"] == "ON", "needs MuJoCo")
    def test_drawn_speeds_keep_joints_that_follow(self):
        out = self.path / "out"
        done = run("simulate", self.file("geared.urdf", GEARED), "--height", "0.3", "--until", "1e-6", "--ensemble", "8",
                   "--uncertainty", "0.1", "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        for row in rows_of(out / "members.csv"):
            first, second = (float(row[f"{body}.wz"]) - float(row["base.wz"]) for body in "ab")
            self.assertGreater(abs(first), 1e-4)
            self.assertAlmostEqual(second, -2 * first, delta=1e-6)

    def test_threads_do_not_matter(self):
        arguments = ["rocking-block", "--until", "0.4", "--ensemble", "150", "--uncertainty", "0.01", "--uncertainty-mu",
                     "0.1", "--uncertainty-orientation", "0.01"]
        answers = [self.document(*arguments, "--threads", threads) for threads in (1, 2, 3)]
        self.assertEqual(answers[0], answers[1])
        self.assertEqual(answers[0], answers[2])
        self.assertNotEqual(answers[0]["ensemble"], self.document(*arguments, "--seed", "1")["ensemble"])

    def test_what_does_nothing_is_refused(self):
        ball = ["simulate", "bouncing-ball", "--until", "1"]
        many = [*ball, "--ensemble", "5"]
        for arguments, said in ((["--seed", "3"], "--seed: goes with --ensemble"),
                                (["--uncertainty-e", "0.1"], "--uncertainty-e: goes with --ensemble"),
                                (["--threads", "2"], "--threads: goes with --ensemble"),
                                (["--save-every", "2"], "--save-every: goes with --out")):
            self.refused(run(*ball, *arguments), said)
        for arguments, said in ((["--sample", "0.1"], "--sample: goes without --ensemble"),
                                (["--motion", "x.html"], "--motion: goes without --ensemble"),
                                (["--sensitivity"], "--sensitivity: goes without --ensemble"),
                                (["--resume"], "--resume: goes with --out"),
                                (["--uncertainty", "-1"], "--uncertainty: "),
                                (["--uncertainty-e", "2"], "--uncertainty-e: "),
                                (["--uncertainty-mu", "0.1"], "no law of this scene has a finite mu"),
                                (["--uncertainty-position", "nan"], "--uncertainty-position: "),
                                (["--uncertainty-orientation", "4"], "--uncertainty-orientation: ")):
            self.refused(run(*many, *arguments), said)
        self.refused(run("simulate", "double-pendulum", "--ensemble", "5", "--uncertainty-position", "0.1"),
                     "--uncertainty-position: ", "no body of this scene moves freely")
        floating = self.file("still.toml", BALL.replace("gravity = [0, 0, -9.81]", "gravity = [0, 0, 0]").replace(
            "-2]", "0]"))
        self.refused(run("simulate", floating, "--ensemble", "5", "--uncertainty", "0.1"), "--uncertainty: ",
                     "without gravity")


if __name__ == "__main__":
    unittest.main()
