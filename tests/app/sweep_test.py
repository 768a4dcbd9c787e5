"""ricochet sweep: numbers are those of the columns, bytes do not depend on threads, shards, ranks or kills; and what laws
promise is kept."""

import csv
import json
import math
import os
import random
import signal
import statistics
import subprocess
import unittest
from pathlib import Path

from program import LAWS, PROGRAM, ProgramTest, run

SPEC = """title = "test"
[sweep]
law = ["chatterjee-ruina", "whittaker"]
sampling = "random"
count = 5000
columns = "csv"
outputs = ["V_n", "P[1]", "energy_change", "margins.friction"]

[base]
M = [[2, 0.7, 0.2], [0.7, 1.5, -0.3], [0.2, -0.3, 1.1]]
V = [-1, -1.4, 0.3]
n = [1, 0, 0]
mu = 0.3

[[axis]]
field = "e"
distribution = "normal"
mean = 0.8
deviation = 0.15

[[axis]]
field = "V[2]"
range = [-3, 3]

[[axis]]
field = "mu"
distribution = "log-uniform"
range = [0.01, 1]

[[histogram]]
output = "V_n"
range = [0.5, 1]
bins = 10
"""
BODIES = """[sweep]
law = "routh"
sampling = "sobol"
count = 100
[base]
point = [0, 0, 0]
n = [0, 0, 1]
e = 0.5
mu = 0.3
[[base.body]]
fixed = true
[[base.body]]
mass = 1
inertia = [1, 1, 1]
velocity = [0, 0, -1]
position = [0.2, 0, 0.5]
[[axis]]
field = "body[2].mass"
range = [1, 2]
"""


def files(folder):
    return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


class Sweep(ProgramTest):
    def spec(self, text=SPEC, **changes):
        for key, value in changes.items():
            lines = [f"{key} = {value}" if line.startswith(key + " =") else line for line in text.split("\n")]
            text = "\n".join(lines)
        return self.file("spec.toml", text)

    def sweep(self, spec, folder, *arguments, code=0):
        done = run("sweep", spec, "--out", self.path / folder, *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_statistics_are_those_of_the_columns(self):
        self.sweep(self.spec(), "out")
        found = json.loads((self.path / "out/statistics.json").read_text())
        self.assertEqual(sorted(files(self.path / "out")), ["columns.csv", "statistics.json"])
        with open(self.path / "out/columns.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([int(float(row["index"])) for row in rows], list(range(5000)))
        for law in found["laws"]:
            name = law["law"]
            answered = [row for row in rows if row[f"{name}/status"] == "answered"]
            self.assertEqual(law["answered"], len(answered))
            # A normal e leaves 0 to 1 in nearly one of ten.
            beyond = sum(not 0 <= float(row["input/e"]) <= 1 for row in rows)
            self.assertEqual(law["refused"], {"out-of-range": beyond})
            self.assertTrue(300 < beyond < 700, beyond)
            self.assertEqual(sum(law["modes"].values()), len(answered))
            for mode, count in law["modes"].items():
                self.assertEqual(sum(row[f"{name}/mode"] == mode for row in rows), count)
            for output, one in law["outputs"].items():
                numbers = [float(row[f"{name}/{output}"]) for row in answered]
                self.assertEqual(one["count"], len(numbers))
                self.assertEqual((one["min"], one["max"]), (min(numbers), max(numbers)))
                self.assertEqual(float(rows[one["min_at"]][f"{name}/{output}"]), one["min"])
                mean = math.fsum(numbers) / len(numbers)
                self.assertTrue(math.isclose(one["mean"], mean, rel_tol=1e-13, abs_tol=1e-15))
                self.assertTrue(math.isclose(one["variance"], statistics.variance(numbers), rel_tol=1e-12))
                h = one["histogram"]
                self.assertEqual(h["below"] + h["above"] + sum(h["counts"]), len(numbers))
                self.assertEqual(h["below"], sum(x < h["low"] for x in numbers))
                if output == "V_n":
                    self.assertEqual((h["low"], h["high"], len(h["counts"])), (0.5, 1, 10))
                    self.assertGreater(h["below"], 0)
        one = rows[17]
        line = {"M": [[2, 0.7, 0.2], [0.7, 1.5, -0.3], [0.2, -0.3, 1.1]], "n": [1, 0, 0], "law": "whittaker",
                "V": [-1, float(one["input/V[2]"]), 0.3], "e": float(one["input/e"]), "mu": float(one["input/mu"])}
        answer = self.answers("collide", "-", text=json.dumps(line) + "\n")[0]
        self.assertEqual(answer["energy_change"], float(one["whittaker/energy_change"]))

    def test_inputs_have_their_distributions(self):
        self.sweep(self.spec(), "out")
        with open(self.path / "out/columns.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        for field, low, high, value in (("e", 0.79, 0.81, lambda x: x), ("V[2]", -0.12, 0.12, lambda x: x),
                                        ("mu", -1.03, -0.97, lambda x: math.log10(x))):
            mean = statistics.fmean(value(float(row[f"input/{field}"])) for row in rows)
            self.assertTrue(low < mean < high, (field, mean))

    def test_bytes_do_not_depend_on_threads_or_shards(self):
        for columns in ["csv"] + ["hdf5"] * (os.environ["RICOCHET_HAVE_HDF5"] == "ON"):
            with self.subTest(columns):
                spec = self.spec(columns=f'"{columns}"', sampling='"sobol"')
                self.sweep(spec, f"one-{columns}", "--threads", "1")
                self.sweep(spec, f"two-{columns}", "--threads", "3")
                whole = files(self.path / f"one-{columns}")
                self.assertEqual(len(whole), 2)
                self.assertEqual(files(self.path / f"two-{columns}"), whole)
                parts = [self.path / f"part{k}-{columns}" for k in (1, 2, 3)]
                for k, part in enumerate(parts, 1):
                    self.sweep(spec, part, "--shard", f"{k}/3")
                    self.assertNotIn("statistics.json", files(part))
                done = run("sweep", "merge", parts[2], parts[0], parts[1], "--out", self.path / f"merged-{columns}")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(files(self.path / f"merged-{columns}"), whole)
                printed = run("sweep", spec, "--out", self.path / f"again-{columns}")
                self.assertEqual(printed.stdout, done.stdout)

    def test_shards_that_do_not_fit_are_not_merged(self):
        spec = self.spec()
        for k in (1, 2, 3):
            self.sweep(spec, f"p{k}", "--shard", f"{k}/3")
        p = [self.path / f"p{k}" for k in (1, 2, 3)]
        out = self.path / "merged"
        self.refused(run("sweep", "merge", p[0], p[2], "--out", out), "p3: begins with sample", "no folder")
        self.refused(run("sweep", "merge", p[0], p[1], "--out", out), "p2: ends before sample")
        self.refused(run("sweep", "merge", p[0], p[1], p[1], p[2], "--out", out), "p2: has samples that another")
        self.sweep(self.spec(seed=1, count=4999), "q3", "--shard", "3/3")
        self.refused(run("sweep", "merge", p[0], p[1], self.path / "q3", "--out", out), "another sweep", "samples differs")
        self.refused(run("sweep", "merge", self.path, "--out", out), "shard.json")
        self.refused(run("sweep", "merge", p[0]), "--out: missing")
        self.refused(run("sweep", "merge", "--out", out), "DIR: missing")
        self.assertFalse(out.exists())

    def test_a_sweep_killed_at_any_moment_resumes_to_the_same_bytes(self):
        without_e = SPEC.replace(SPEC[SPEC.index("[[axis]]"):SPEC.index('[[axis]]\nfield = "V')], "").replace("mu = 0.3", "mu = 0.3\npsi_1 = 0.5\npsi_2 = 0.7\nrho = 0.5")
        spec = self.spec(without_e, law='"permissible-point"', count=200_000, outputs='["V_n"]')
        rng = random.Random(7)
        self.sweep(spec, "whole")
        whole = files(self.path / "whole")
        out, kills, progress = self.path / "killed", 0, []
        for attempt in range(60):
            process = subprocess.Popen([PROGRAM, "sweep", spec, "--out", out, "--resume", "--save-every", "0.02"], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE)
            try:
                # The first kills may come before the folder is there, the later ones after a checkpoint.
                process.wait(timeout=rng.uniform(0, 0.4) if attempt < 12 else 300)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.wait()
                kills += 1
                if (out / "checkpoint").exists():
                    head = (out / "checkpoint").read_bytes().split(b"\n")[1]
                    progress.append(json.loads(head)["pieces"])
                    self.assertNotIn("statistics.json", files(out))
                continue
            finally:
                process.stderr.close()
            self.assertEqual(process.returncode, 0)
            break
        self.assertEqual(files(out), whole)
        self.assertGreater(kills, 0)
        self.assertEqual(progress, sorted(progress))

    def test_resume_refuses_another_sweep_and_force_replaces_it(self):
        spec = self.spec()
        self.sweep(spec, "out")
        self.refused(run("sweep", spec, "--out", self.path / "out"), "finished sweep", "--force")
        self.assertIn("finished already", self.sweep(spec, "out", "--resume").stderr)
        other = self.file("other.toml", SPEC.replace("count = 5000", "count = 5001"))
        self.refused(run("sweep", other, "--out", self.path / "out", "--resume"), "samples = 5001", "has 5000")
        self.sweep(other, "out", "--force")
        self.assertIn('"samples": 5001', (self.path / "out/statistics.json").read_text())
        (self.path / "mine").mkdir()
        (self.path / "mine/notes.txt").write_text("x")
        self.refused(run("sweep", spec, "--out", self.path / "mine"), "has other files")
        self.assertEqual(sorted(files(self.path / "mine")), ["notes.txt"])

    def test_json_is_the_file(self):
        spec = self.spec()
        self.sweep(spec, "out")
        plain = self.spec(columns='"none"')
        printed = json.loads(run("sweep", plain, "--format", "json").stdout)
        kept = json.loads((self.path / "out/statistics.json").read_text())
        self.assertEqual(printed["laws"], kept["laws"])

    def test_bad_specs_are_one_line_that_names_the_place_and_nothing_is_written(self):
        cases = {
            "empty": ("", "is empty"),
            "syntax": (SPEC + "x = = 1\n", "not valid TOML"),
            "unknown table": ("[swep]\n" + SPEC.replace("[sweep]", "[sweeps]"), "unknown key; did you mean sweep?"),
            "no sweep": (SPEC.replace("[sweep]", "[base]").replace("[base]\nM", "[x]\nM"), ":"),
            "unknown key": (SPEC.replace("count = 5000", "cuont = 5000"), ":5: sweep.cuont: unknown key; did you mean count?"),
            "count": (SPEC.replace("count = 5000", "count = 0"), ":5: sweep.count = 0: must be an integer, 1 to"),
            "count type": (SPEC.replace("count = 5000", "count = 1.5"), ":5: sweep.count = 1.5: must be an integer"),
            "no count": (SPEC.replace("count = 5000\n", ""), "sweep.count: missing"),
            "sampling": (SPEC.replace('"random"', '"lattice"'), ':4: sweep.sampling = "lattice": must be grid, random or sobol'),
            "law": (SPEC.replace('"whittaker"', '"whitaker"'), ":3: sweep.law = whitaker: unknown law; did you mean whittaker?"),
            "planar law": (SPEC.replace('"whittaker"', '"morgan"'), ":3: sweep.law = morgan"),
            "law twice": (SPEC.replace('"whittaker"', '"chatterjee-ruina"'), ":3: sweep.law = chatterjee-ruina: given twice"),
            "output": (SPEC.replace('"P[1]"', '"P[4]"'), ":7: sweep.outputs", "P[4]", "P_n"),
            "base": (SPEC.replace("n = [1, 0, 0]", "n = [0, 0, 0]"), ":12: base.n"),
            "base key": (SPEC.replace("mu = 0.3", "mus = 0.3"), ":13: base.mus: unknown key; did you mean mu?"),
            "no base": (SPEC.split("[base]")[0] + '[[axis]]\nfield = "e"\nrange = [0, 1]\n', "base: missing"),
            "no axis": (SPEC.split("[[axis]]")[0], "axis: missing"),
            "field": (SPEC.replace('"V[2]"', '"V[4]"'), ":22: axis[2].field = V[4]: no input", "V[1]"),
            "word field": (SPEC.replace('"V[2]"', '"restitution"'), ":22: axis[2].field = restitution: is a word"),
            "W beside M": (SPEC.replace('"V[2]"', '"W[1][1]"'), ":22: axis[2].field = W[1][1]: no input"),
            "field twice": (SPEC.replace('"V[2]"', '"mu"').replace("[-3, 3]", "[0, 3]"), "axis[3].field = mu: is the same input as that of axis[2]"),
            "foreign parameter": (SPEC.replace('"V[2]"', '"rho"'), "axis[2].field = rho: no law of this sweep has"),
            "range": (SPEC.replace("[-3, 3]", "[3, -3]"), ":23: axis[2].range = [3, -3]: must be two finite numbers"),
            "range of a law": (SPEC.replace('"V[2]"', '"e_t"').replace("[-3, 3]", "[-3, 1]"), ":23: axis[2].range = -3: e_t of chatterjee-ruina must be"),
            "log range": (SPEC.replace("[0.01, 1]", "[0, 1]"), ":28: axis[3].range = [0, 1]: a log-uniform range"),
            "deviation": (SPEC.replace("deviation = 0.15", "deviation = 0"), ":19: axis[1].deviation = 0: must be above 0"),
            "no mean": (SPEC.replace("mean = 0.8\n", ""), "axis[1].mean: missing"),
            "points": (SPEC.replace("[-3, 3]", "[-3, 3]\npoints = 3"), ":24: axis[2].points = 3: belongs to sampling"),
            "values and range": (SPEC.replace("[-3, 3]", "[-3, 3]\nvalues = [1]"), ":23: axis[2].range", "beside values"),
            "grid and normal": (SPEC.replace('"random"\ncount = 5000', '"grid"'), ":16: axis[1].distribution = normal: has no ends"),
            "grid and count": (SPEC.replace('"random"', '"grid"'), ":5: sweep.count = 5000: follows from"),
            "histogram": (SPEC.replace('output = "V_n"', 'output = "V_t"'), "histogram[1].output = V_t: is not among sweep.outputs"),
            "bodies and V": (BODIES.replace("body[2].mass", "V[1]"), ":18: axis[1].field = V[1]: no input", "body[2].mass"),
            "fixed mass": (BODIES.replace("body[2].mass", "body[1].mass"), ":18: axis[1].field = body[1].mass: no input"),
            "needed": (SPEC.replace("e\"\ndistribution = \"normal\"\nmean = 0.8\ndeviation = 0.15", "V[1]\"\nrange = [-2, -1]"), "e: needed by"),
        }
        for name, (text, *parts) in cases.items():
            with self.subTest(name):
                spec = self.file("a.toml", text)
                done = run("sweep", spec, "--out", self.path / "none")
                self.refused(done, f"{spec}", *parts)
                self.assertFalse((self.path / "none").exists())
        spec = self.spec()
        self.refused(run("sweep", spec), "sweep.columns = csv: needs --out DIR")
        self.refused(run("sweep", self.path / "none.toml"), "none.toml", "No such file")
        for shard in ("0/3", "4/3", "1", "a/b", "1/9"):
            self.refused(run("sweep", spec, "--out", self.path / "none", "--shard", shard), "--shard", shard)
        self.refused(run("sweep", spec, "--shard", "1/2"), "--shard: needs --out DIR")
        self.refused(run("sweep", spec, "--resume"), "--resume: needs --out DIR")
        self.refused(run("sweep", spec, "--count", "3"), "--count", "sweep contract")
        self.assertFalse((self.path / "none").exists())

    def test_an_output_that_cannot_be_written_ends_with_1(self):
        done = run("sweep", self.spec(columns='"none"'), "-o", "/dev/full")
        self.assertEqual(done.returncode, 1)

    def test_example(self):
        example = Path(__file__).resolve().parents[2] / "examples/sweep.toml"
        found = json.loads(run("sweep", example, "--format", "json").stdout)
        # V_n⁺ = e |v|: the shares of a product of independent factors.
        var_e, var_v = 0.04 / 12, 0.01
        by_e, by_v, both = var_e * 4, 0.36 * var_v, var_e * var_v
        for law in found["laws"]:
            axes = {axis["field"]: axis for axis in law["outputs"]["V_n"]["indices"]["axes"]}
            for field, own in (("e", by_e), ("body[2].velocity[3]", by_v)):
                self.assertAlmostEqual(axes[field]["first"], own / (by_e + by_v + both), delta=0.005)
                self.assertAlmostEqual(axes[field]["total"], (own + both) / (by_e + by_v + both), delta=0.005)
            self.assertAlmostEqual(axes["mu"]["total"], 0, delta=1e-9)


class Contract(ProgramTest):
    def sweep(self, *arguments):
        done = run("sweep", "contract", *arguments, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_every_law_keeps_its_promises(self):
        found = self.sweep("--count", "2000", "--seed", "5")
        self.assertEqual(sorted(law["law"] for law in found["laws"]), sorted(LAWS))
        for law in found["laws"]:
            self.assertEqual(law["drawn"], 2000)
            self.assertGreater(law["answered"], 1500, law)
            self.assertEqual(law["violations"], 0, law)
            self.assertEqual(law["promises"]["equation"]["checked"], law["answered"])

    def test_parts_add_up_to_the_whole(self):
        law = ["--law", "routh", "--law", "brach"]
        whole = self.sweep(*law, "--count", "9000")["laws"]
        parts = [self.sweep(*law, "--first", first, "--count", count, "--threads", "1")["laws"]
                 for first, count in (("0", "5000"), ("5000", "4000"))]
        for i, one in enumerate(whole):
            self.assertEqual(one["answered"], sum(part[i]["answered"] for part in parts))
            for name, promise in one["promises"].items():
                self.assertEqual(promise["worst"], min(part[i]["promises"][name]["worst"] for part in parts))

    def test_errors_name_the_option(self):
        for arguments, words in ((["contract", "--law", "rout"], ["--law", "routh"]), (["contract", "--out", "x"], ["--out"]),
                                 (["contract", "--count", "0"], ["--count"])):
            done = run("sweep", *arguments)
            self.assertEqual(done.returncode, 2)
            for word in words:
                self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
