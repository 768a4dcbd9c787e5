"""ricochet rank --tosses: whole tosses predicted from their first row."""

import csv
import json
import math
import pathlib
import statistics
import sys
import unittest

from program import PROGRAM, ProgramTest, run

for part in ("ricochet-rank", "ricochet-simulate"):
    if not (pathlib.Path(PROGRAM).parent / part).exists():
        print(f"skipped: {part} is not built")
        sys.exit(77)

HEAD = "toss,frame,t,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx_body,wy_body,wz_body"
E, MU = 0.4, 0.25
BODY = f"""side = 0.1
mass = 0.5
inertia = {0.5 * 0.1**2 / 6!r}
centre = [0, 0, 0]
corner_radius = 0
gravity = 9.81
ground = 0
mu_lasting = {MU}
velocity_lag = 0
"""
MEASURED = pathlib.Path(__file__).resolve().parents[3] / "shared/data/cube_toss_contactnets"


def scene(velocity, spin):
    return f"""[law]
name = "routh"
e = {E}
mu = {MU}
[[body]]
name = "floor"
shape = "plane"
fixed = true
[[body]]
name = "cube"
shape = "box"
size = [0.1, 0.1, 0.1]
mass = 0.5
position = [0, 0, 0.2]
velocity = {velocity}
angular_velocity = {spin}
"""


def turned_back(q, w):
    """World axes to body axes: q* w q."""
    s, x = q[0], q[1:]
    cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    twice = [2 * c for c in cross(w, x)]
    return [w[i] + s * twice[i] + cross(twice, x)[i] for i in range(3)]


class Tosses(ProgramTest):
    def simulated(self, count=3):
        """Tosses by `simulate`, as a file of measurements would have them."""
        lines = [HEAD]
        for toss in range(count):
            path = self.file(f"scene{toss}.toml", scene([0.6 - 0.4 * toss, 0.3, 0.1], [4 - toss, 2 + toss, -1]))
            out = self.path / f"run{toss}"
            done = run("simulate", path, "--until", "0.5", "--sample", "0.01", "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(out / "trajectory.csv", newline="") as file:
                for row in csv.DictReader(file):
                    t = float(row["time"])
                    if abs(t * 100 - round(t * 100)) > 1e-9:
                        continue  # after an event
                    of = lambda names: [float(row["cube." + name]) for name in names.split()]
                    q, w = of("qw qx qy qz"), of("wx wy wz")
                    numbers = [toss, round(t * 100), t, *of("px py pz"), *q, *of("vx vy vz"), *turned_back(q, w)]
                    lines.append(",".join(map(repr, numbers)))
        folder = self.path / "tosses"
        folder.mkdir(exist_ok=True)
        (folder / "trajectories.csv").write_text("\n".join(lines) + "\n")
        return folder

    def rank(self, *arguments):
        return run("rank", *arguments, "--format", "json", "--out", self.path / "out")

    def test_tosses_of_simulate_are_predicted_without_error_and_written_at_the_measured_times(self):
        folder, body = self.simulated(), self.file("body.toml", BODY)
        done = self.rank("--tosses", folder, "--body", body, "--set", f"e={E}", "--set", f"mu={MU}", "--fit", "none",
                         "--folds", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual((answer["predicted"], answer["failed"], answer["time_stepped"]), (3, 0, 0))
        self.assertLess(answer["position_percent"]["mean"], 1e-6)
        self.assertLess(answer["rotation_degrees"]["mean"], 1e-4)
        self.assertGreater(min(toss["events"] for toss in answer["tosses"]), 2)
        with open(folder / "trajectories.csv", newline="") as file:
            measured = [row for row in csv.DictReader(file) if row["toss"] == "1"]
        with open(self.path / "out/toss_1.csv", newline="") as file:
            predicted = list(csv.DictReader(file))
        self.assertEqual(list(predicted[0]), "t px py pz qw qx qy qz".split())
        self.assertEqual([float(row["t"]) for row in predicted], [float(row["t"]) for row in measured])
        for a, b in zip(predicted, measured):
            for name in ("px", "py", "pz"):
                self.assertAlmostEqual(float(a[name]), float(b[name]), places=8)

    def test_another_law_gives_another_error_which_the_written_files_have_too(self):
        folder, body = self.simulated(), self.file("body.toml", BODY)
        done = self.rank("--tosses", folder, "--test", folder, "--body", body, "--set", "e=0.1", "--set", "mu=0.1",
                         "--fit", "none")
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        # The published metric from the files, written out anew.
        position, angle = [], []
        with open(folder / "trajectories.csv", newline="") as file:
            measured = list(csv.DictReader(file))
        for toss in range(3):
            rows = [row for row in measured if row["toss"] == str(toss)]
            with open(self.path / f"out/toss_{toss}.csv", newline="") as file:
                pairs = list(zip(rows, csv.DictReader(file), strict=True))
            numbers = lambda row, names: [float(row[name]) for name in names.split()]
            position.append(statistics.mean(
                100 * math.dist(numbers(a, "px py pz"), numbers(b, "px py pz")) / 0.1 for a, b in pairs))
            dots = [sum(x * y for x, y in zip(numbers(a, "qw qx qy qz"), numbers(b, "qw qx qy qz"))) for a, b in pairs]
            angle.append(statistics.mean(2 * math.degrees(math.acos(min(1, abs(dot)))) for dot in dots))
        self.assertGreater(statistics.mean(position), 1)
        self.assertAlmostEqual(answer["position_percent"]["mean"], statistics.mean(position), places=6)
        self.assertAlmostEqual(answer["position_percent"]["deviation"], statistics.stdev(position), places=6)
        self.assertAlmostEqual(answer["rotation_degrees"]["mean"], statistics.mean(angle), places=3)

    def test_what_is_wrong_has_file_row_column_and_value(self):
        rows = ["0,0,0.0,0,0,1,1,0,0,0,0,0,0,0,0,0", "0,1,0.1,0,0,1,1,0,0,0,0,0,0,0,0,0"]
        for wrong, parts in [
                (rows[1].replace("0.1", "soon"), ("row 2, column t", "soon", "number")),
                (rows[1].replace("0.1", "0.0"), ("row 2, column t", "increase")),
                (rows[1].replace(",1,1,", ",1,3,"), ("row 2, column qw", "unit")),
                (rows[1].replace(",1,1,", ",nan,1,"), ("row 2, column pz", "nan", "finite")),
                (rows[1][:-1] + "720", ("row 2, column wz_body", "720", "degrees")),
                (rows[1][:-2], ("row 2", "15 fields")),
                ("1" + rows[1][1:], ("two rows",))]:
            path = self.file("tosses.csv", "\n".join([HEAD, rows[0], wrong]) + "\n")
            self.refused(self.rank("--tosses", path), "tosses.csv", *parts)
        path = self.file("tosses.csv", "\n".join([HEAD.replace("qz", "q4"), *rows]) + "\n")
        self.refused(self.rank("--tosses", path), "column qz", "missing")
        path = self.file("tosses.csv", "\n".join([HEAD, *rows]) + "\n")
        self.refused(self.rank("--tosses", path, "--body", self.file("body.toml", "mass = 1\nside = -1\n")),
                     "body.toml:2", "side", "above 0")
        self.refused(self.rank("--tosses", path, "--body", self.file("body.toml", "edge = 1\n")), "edge")
        self.refused(self.rank("--tosses", path, "--law", "ruth"), "ruth")
        self.refused(self.rank("--tosses", path, "--fit", "colour", "--test", path), "--fit", "colour")
        self.refused(self.rank("--tosses", path), "--folds")
        self.refused(self.rank("impacts.csv", "--tosses", path), "DATA")
        self.refused(self.rank("--tosses", self.path / "absent"), "absent")

    @unittest.skipUnless(MEASURED.exists(), "the measured tosses are not beside the repository")
    def test_measured_tosses_all_get_a_prediction(self):
        # Friction and restitution that the authors of the set state for their own simulation.
        done = self.rank("--tosses", MEASURED, "--set", "e=0.125", "--set", "mu=0.18", "--fit", "none")
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual((answer["failed"], answer["time_stepped"]), (0, 0))
        self.assertEqual(len(list((self.path / "out").glob("toss_*.csv"))), answer["predicted"])
        # Better than the fitted engines of the papers.
        self.assertLess(answer["position_percent"]["mean"], 13.5)
        self.assertLess(answer["rotation_degrees"]["mean"], 16.5)


if __name__ == "__main__":
    unittest.main()
