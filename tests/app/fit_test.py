"""ricochet fit and rank: files of measured impacts, fitted and refused."""

import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

from program import PROGRAM

if not (pathlib.Path(PROGRAM).parent / "ricochet-fit").exists():
    print("skipped: built without Ceres")
    sys.exit(77)

CUBE = pathlib.Path(__file__).resolve().parents[3] / "shared/data/cube_toss_contactnets/first_impacts.csv"
HEAD = "r_x,r_y,vx_pre,vy_pre,omega_pre,vx_post,vy_post,omega_post,mass,inertia"


def sliding_points(count, e, mu, noise=0.0, seed=1):
    """Balls that hit below their centre and slide throughout: P = m (1 + e) v_n (n − μ t), in closed form."""
    draw = random.Random(seed)
    lines = [HEAD]
    for _ in range(count):
        m, J, r = 2.0, 0.01, 0.1
        vx, vy, w = draw.uniform(4, 6), -draw.uniform(0.5, 1), draw.uniform(-1, 1)
        Pn = -m * (1 + e) * vy
        Pt = -mu * Pn
        after = vx + Pt / m, vy + Pn / m, w + r * Pt / J
        numbers = [0, -r, vx, vy, w, *(x + noise * draw.gauss(0, 1) for x in after), m, J]
        lines.append(",".join(repr(x) for x in numbers))
    return "\n".join(lines) + "\n"


class Fit(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text, name="impacts.csv"):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    def run_program(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)

    def test_parameters_of_sliding_balls_come_back(self):
        path = self.file(sliding_points(80, 0.6, 0.15))
        done = self.run_program("fit", path, "--law", "routh", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        fit = json.loads(done.stdout)["laws"][0]
        values = {p["name"]: p["value"] for p in fit["parameters"]}
        self.assertAlmostEqual(values["e"], 0.6, places=5)
        self.assertAlmostEqual(values["mu"], 0.15, places=5)
        self.assertLess(fit["median"], 1e-5)

    def test_table_names_law_and_interval_and_csv_has_every_row(self):
        path = self.file(sliding_points(40, 0.6, 0.15, noise=0.01))
        table = self.run_program("fit", path, "--law", "smith", "--bootstrap", "20")
        self.assertEqual(table.returncode, 0, table.stderr)
        self.assertRegex(table.stdout, r"smith\s+e\s+0\.\d+\s+0\.\d+ to 0\.\d+")
        rows = self.run_program("fit", path, "--law", "smith", "--format", "csv")
        self.assertEqual(len(rows.stdout.splitlines()), 41)

    def test_rank_scores_on_the_test_file_and_writes_the_promised_json(self):
        train, test = self.file(sliding_points(60, 0.6, 0.15)), self.file(sliding_points(30, 0.5, 0.15, seed=2), "test.csv")
        done = self.run_program("rank", train, "--test", test, "--law", "frictionless", "routh", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual([law["law"] for law in document["laws"]], ["routh", "frictionless"])
        for law in document["laws"]:
            self.assertLessEqual({"law", "median", "mean", "p90", "parameters"}, law.keys())
        # Fitted with e = 0.6, scored where e = 0.5: the error is 0.1 v_n over the speed before, at least 0.1·0.5/7.
        self.assertAlmostEqual(document["laws"][0]["parameters"]["e"], 0.6, places=4)
        self.assertGreater(document["laws"][0]["median"], 0.005)

    def test_rank_states_yardsticks_and_writes_a_page_with_figures(self):
        path = self.file(sliding_points(60, 0.6, 0.15, noise=0.02))
        document = json.loads(self.run_program("rank", path, "--law", "smith", "--format", "json").stdout)
        self.assertLessEqual({"unscaled", "impulse", "information_criterion"}, document["laws"][0].keys())
        self.assertGreater(document["noise_floor"], 0)
        self.assertGreater(document["regression"]["median"], 0)
        density = document["density"]
        self.assertEqual(sum(map(sum, density["count"])) + density["outside"], 60)
        page = self.run_program("rank", path, "--law", "smith", "--format", "html")
        self.assertEqual(page.returncode, 0, page.stderr)
        self.assertEqual(page.stdout.count("<svg"), 2)
        self.assertIn("smith", page.stdout)

    def test_rows_of_a_group_are_in_one_fold(self):
        # Two groups with e of their own: each is scored by a law that was fitted to the other alone.
        both = [sliding_points(12, e, 0.15, seed=seed).splitlines() for e, seed in ((0.4, 1), (0.6, 2))]
        rows = [line + f",{k}" for pair in zip(both[0][1:], both[1][1:]) for k, line in enumerate(pair)]
        path = self.file("\n".join([HEAD + ",trajectory", *rows]) + "\n")
        def mean(*arguments):
            done = self.run_program("rank", *arguments, "--law", "routh", "--format", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)["laws"][0]["mean"]

        alone = [self.file("\n".join(lines) + "\n", f"{k}.csv") for k, lines in enumerate(both)]
        crossed = [mean(alone[0], "--test", alone[1]), mean(alone[1], "--test", alone[0])]
        self.assertAlmostEqual(mean(path, "--folds", "2", "--group", "trajectory"), sum(crossed) / 2, delta=1e-12)
        self.assertNotAlmostEqual(mean(path, "--folds", "2"), sum(crossed) / 2, delta=1e-3)
        for extra, part in ((["--folds", "3"], "groups"), (["--group", "traj"], "column traj")):
            arguments = ["--group", "trajectory", *extra] if extra[0] == "--folds" else extra
            done = self.run_program("rank", path, "--law", "routh", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(part, done.stderr)

    def test_an_offset_of_the_contact_point_is_found_and_a_fit_without_it_misses(self):
        # Points 4 mm off on alternating sides: r = (±0.004, −0.1), stated as (0, −0.1). No friction: P = m (1 + e) v / (1 + m x²/J).
        lines, draw = [HEAD], random.Random(3)
        for i in range(60):
            m, J, x, e = 2.0, 0.01, 0.004 * (-1) ** i, 0.6
            vx, vy, w = draw.uniform(-1, 1), -draw.uniform(0.5, 1), draw.uniform(-5, 5)
            P = -m * (1 + e) * (vy + x * w) / (1 + m * x * x / J)
            after = (v + 1e-4 * draw.gauss(0, 1) for v in (vx, vy + P / m, w + x * P / J))
            lines.append(",".join(repr(v) for v in (0, -0.1, vx, vy, w, *after, m, J)))
        path = self.file("\n".join(lines) + "\n")
        done = self.run_program("fit", path, "--law", "frictionless", "--offset", "0.004", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        fit = json.loads(done.stdout)["laws"][0]
        self.assertAlmostEqual(fit["parameters"][0]["value"], 0.6, delta=1e-3)
        self.assertAlmostEqual(fit["offset"]["rms"], 0.004, delta=2e-4)
        self.assertLess(fit["offset"]["errors"]["median"], fit["median"] / 20)
        rows = self.run_program("fit", path, "--law", "frictionless", "--offset", "0.004", "--format", "csv").stdout.splitlines()
        head = rows[0].split(",")
        for i, row in enumerate(rows[1:]):
            self.assertAlmostEqual(float(row.split(",")[head.index("offset_x")]), 0.004 * (-1) ** i, delta=5e-4)
        ranked = json.loads(self.run_program("rank", path, "--law", "frictionless", "--offset", "0.004", "--format", "json").stdout)
        # Nobody knows the offset of a row before its impact: the score is that of the stated point.
        self.assertGreater(ranked["laws"][0]["median"], 20 * ranked["laws"][0]["with_offset"]["median"])
        for wrong in ("-0.001", "inf"):
            done = self.run_program("fit", path, "--offset", wrong)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--offset", done.stderr)

    def test_noise_by_component_is_stated(self):
        path = self.file(sliding_points(200, 0.6, 0.15, noise=0.02))
        done = self.run_program("fit", path, "--law", "smith", "--noise", "components", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        fit = json.loads(done.stdout)["laws"][0]
        self.assertTrue(fit["converged"])
        # A median of 200 deviates by 8 %.
        for name in ("normal", "tangential", "spin"):
            self.assertAlmostEqual(fit["noise"][name], 0.02, delta=0.006)
        self.assertIn("m/s normal", self.run_program("fit", path, "--law", "smith", "--noise", "components").stdout)
        for wrong in (["--noise", "spin"], ["--noise", "components", "--offset", "0.001"]):
            self.assertEqual(self.run_program("fit", path, *wrong).returncode, 2)

    def test_reduce_gives_contacts_impulses_and_flags(self):
        lines = sliding_points(20, 0.6, 0.15).splitlines()
        fields = lines[3].split(",")
        fields[7] = repr(float(fields[7]) - 40)  # a spin without the tangential impulse that makes it
        path = self.file("\n".join([*lines[:3], ",".join(fields), *lines[4:]]) + "\n")
        done = self.run_program("reduce", path, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document["flagged"]["separates-before"], 0)
        self.assertEqual(len(document["rows"]), 20)
        for k, row in enumerate(document["rows"], 1):
            self.assertEqual(row["row"], k)
            if k == 3:
                self.assertIn("unbalanced", row["flags"])
                continue
            self.assertEqual(row["flags"], [])
            self.assertAlmostEqual(row["restitution"], 0.6, places=9)
            self.assertAlmostEqual(row["impulse_ratio"], 0.15, places=9)
            self.assertLess(row["best_error"], 1e-12)
        # Each contact is one that `collide` reads, and the impulse is the law's.
        contacts = "\n".join(json.dumps({key: row[key] for key in ("W", "V", "n")}) for row in document["rows"])
        hits = subprocess.run([PROGRAM, "collide", "-", "--law", "smith", "--set", "e=0.6", "--set", "mu=0.15", "--format", "jsonl"],
                              input=contacts, capture_output=True, text=True)
        self.assertEqual(hits.returncode, 0, hits.stderr)
        for row, line in zip(document["rows"], hits.stdout.splitlines()):
            P = json.loads(line)["P"]
            self.assertEqual(max(abs(a - b) for a, b in zip(P, row["P"])) < 1e-9, row["row"] != 3)
        head, *rest = self.run_program("reduce", path).stdout.splitlines()
        self.assertEqual([line.split(",")[-1] != "" for line in rest], [k == 3 for k in range(1, 21)])
        self.assertEqual({len(line.split(",")) for line in rest}, {len(head.split(","))})
        flagged = json.loads(self.run_program("fit", path, "--law", "smith", "--format", "json").stdout)["rows"]
        self.assertEqual((flagged["read"], flagged["used"], flagged["flagged"]["unbalanced"]), (20, 19, 1))

    def test_residuals_of_a_fit_are_drawn(self):
        path = self.file(sliding_points(50, 0.6, 0.15, noise=0.02))
        done = self.run_program("fit", path, "--law", "smith", "--format", "html")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("<svg"), 2)
        # Every row by normal, slip and spin, in both figures, but for those beyond five deviations.
        self.assertGreater(done.stdout.count("<circle") + done.stdout.count("<path"), 200)

    @unittest.skipUnless(CUBE.exists(), "the measured impacts are not beside the repository")
    def test_no_held_angle_fits_better_than_the_one_that_is_fitted(self):
        # psi_2 has the period 2 pi: what descends to one end of its range may belong beyond the other.
        def loss(*arguments):
            done = self.run_program("fit", str(CUBE), "--dataset", "cube-impacts", "--law", "permissible-point", "--format",
                                    "json", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)["laws"][0]["rms"]

        free = loss()
        for held in (0.1, 1.6, 3.1, 4.7, 6.2):
            self.assertLess(free, loss("--set", f"psi_2={held}") + 2e-4)

    def test_spins_in_degrees_are_refused_and_nothing_is_written(self):
        lines = [line.split(",") for line in sliding_points(20, 0.6, 0.15).splitlines()]
        for fields in lines[1:]:
            for k in (4, 7):
                fields[k] = repr(float(fields[k]) * 180 / math.pi)
        path = self.file("\n".join(map(",".join, lines)) + "\n")
        out = pathlib.Path(self.folder.name) / "out"
        for command in ("fit", "rank", "reduce"):
            done = self.run_program(command, path, "-o", str(out))
            self.assertEqual(done.returncode, 2, done.stderr)
            for part in ("impacts.csv:2: row 1", "column omega_post", "degrees"):
                self.assertIn(part, done.stderr)
            self.assertFalse(out.exists())

    def test_the_last_line_needs_no_line_break(self):
        text = sliding_points(20, 0.6, 0.15)
        whole, cut = (self.run_program("fit", self.file(t), "--law", "smith", "--format", "json") for t in (text, text[:-1]))
        self.assertEqual(cut.returncode, 0, cut.stderr)
        self.assertEqual(json.loads(cut.stdout), json.loads(whole.stdout))
        absent = self.run_program("fit", "absent.csv").stderr
        self.assertEqual(absent.count("absent.csv"), 1, absent)

    def test_words_of_tables_are_flush_left(self):
        path = self.file(sliding_points(30, 0.6, 0.15, noise=0.01))
        table = self.run_program("fit", path, "--law", "all").stdout.splitlines()
        head = next(line for line in table if line.startswith("law"))
        remarks = [line for line in table if "not identifiable" in line]
        self.assertTrue(remarks)
        for line in remarks:
            self.assertEqual(line.index("not identifiable"), head.index("remark"))
        page = self.run_program("rank", path, "--law", "smith", "--format", "html").stdout
        self.assertIn('<td class="words">e 0.', page)

    def test_what_is_wrong_has_row_and_column_and_exit_code_2(self):
        good = sliding_points(5, 0.6, 0.15)
        lines = good.splitlines()
        for text, row, column in [
                (good.replace(lines[3].split(",")[2], "fast"), "row 3", "column vx_pre"),
                (good.replace(lines[2].split(",")[4], "nan"), "row 2", "column omega_pre"),
                ("\n".join(line.rsplit(",", 1)[0] for line in lines) + "\n", "row 1", "column inertia"),
                ("theta," + "\ntheta,".join(lines).replace("\ntheta,", "\n95,") + "\n", "row 1", "column theta")]:
            for command in ("fit", "rank"):
                done = self.run_program(command, self.file(text))
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(row, done.stderr)
                self.assertIn(column, done.stderr)
                self.assertEqual(done.stdout, "")
        done = self.run_program("fit", self.file(good), "--dataset", "planar-elipse")
        self.assertEqual(done.returncode, 2)
        self.assertIn("planar-ellipse", done.stderr)
        self.assertEqual(self.run_program("fit", self.file(good), "--law", "ruth").returncode, 2)
        self.assertEqual(self.run_program("fit", "absent.csv").returncode, 2)


if __name__ == "__main__":
    unittest.main()
