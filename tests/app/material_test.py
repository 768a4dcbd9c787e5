"""ricochet material and ricochet equivalent."""

import json
import unittest

from program import SCENES, ProgramTest, run

STEEL = ["--E", "210e9", "--nu", "0.3", "--density", "7800", "--radius", "0.01"]


class Material(ProgramTest):
    def found(self, *arguments):
        done = run("material", *arguments, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_like_spheres_have_the_published_ratio(self):
        found = self.found(*STEEL)
        self.assertAlmostEqual(found["kappa"], 0.824, delta=5e-4)
        self.assertAlmostEqual(found["linear"]["k_t"] / found["linear"]["k_n"], 14 / 17, places=12)
        self.assertEqual(found["linear"]["damping"], 0)

    def test_energy_of_an_undamped_bounce_is_lost_to_friction_only(self):
        # Slow slip sticks as long as the cone allows; without friction nothing is lost and nothing spins.
        m = 7800 * 4 / 3 * 3.141592653589793 * 1e-6
        for mu in (0, 0.3):
            found = self.found(*STEEL, "--wall", "--slip", "0.5", "--mu", str(mu))
            v, w = found["bounce"]["after"]["v"], found["bounce"]["after"]["omega"]
            before = 0.5 * m * (1 + 0.25)
            after = 0.5 * m * sum(x * x for x in v) + 0.5 * 0.4 * m * 1e-4 * sum(x * x for x in w)
            if mu == 0:
                self.assertAlmostEqual(after / before, 1, places=12)
                self.assertEqual(w[1], 0)
            else:
                self.assertLess(after, before)
                # Angular momentum about the contact: m R v_x + I ω changes by nothing (the force passes through it).
                self.assertAlmostEqual(v[0] + 0.4 * 0.01 * w[1], 0.5, places=10)

    def test_table_holds_what_is_needed(self):
        text = run("material", *STEEL, "--wall", "--e", "0.8").stdout
        for word in ("kappa", "contact time", "k_n", "k_t", "damping", "hooke ", "limit_damping", "chatterjee-ruina", "rms"):
            self.assertIn(word, text)
        self.assertIn("beyond validity", run("material", *STEEL, "--yield", "200e6", "--speed", "5").stdout)

    def test_json_echoes_its_inputs_with_defaults(self):
        inputs = self.found(*STEEL)["inputs"]
        self.assertEqual(inputs["first"], inputs["second"])
        self.assertEqual((inputs["speed"], inputs["slip"], inputs["e"], inputs["mu"], inputs["match"]), (1, 1, 1, 0.3, "time"))
        self.assertEqual(self.found(*STEEL, "--wall")["inputs"]["second"]["radius"], "inf")

    def test_csv_has_the_numbers_of_the_json(self):
        found = self.found(*STEEL, "--e", "0.8")
        rows = dict(line.split(",")[:2] for line in run("material", *STEEL, "--e", "0.8", "--format", "csv").stdout.splitlines()[1:])
        self.assertEqual(float(rows["kappa"]), found["kappa"])
        self.assertEqual(float(rows["k_n"]), found["linear"]["k_n"])
        self.assertEqual(float(rows["hertz_force"]), found["hertz"]["force"])
        self.assertEqual(float(rows["rebound_omega_y"]), found["bounce"]["after"]["omega"][1])
        self.assertEqual(float(rows["rigid_mu"]), found["chatterjee_ruina"]["parameters"]["mu"]["value"])

    def test_output_goes_to_a_file(self):
        path = self.path / "steel.txt"
        done = run("material", *STEEL, "-o", path)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(path.read_text(), run("material", *STEEL, "-o", "-").stdout)

    def test_refusals(self):
        for change, words in (
            (["--nu", "0.6"], "nu"),
            (["--E", "-1"], "E"),
            (["--speed", "0"], "speed"),
            (["--e", "1e-5"], "0.0001"),
            (["--mu", "inf"], "mu"),
            (["--angles", "0", "95"], "--angles: to = 95"),
            (["--radius2", "0"], "radius2"),
        ):
            merged = dict(zip(STEEL[::2], STEEL[1::2]))
            if change[0] in merged:
                merged[change[0]] = change[1]
                arguments = [x for pair in merged.items() for x in pair]
            else:
                arguments = [*STEEL, *change]
            self.refused(run("material", *arguments), words)
        self.assertEqual(run("material").returncode, 2)
        done = run("material", *STEEL, "--lammps", self.path / "no" / "such.lmp")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("such.lmp"), 1, done.stderr)


class Equivalent(ProgramTest):
    def fit(self, *arguments):
        done = run("equivalent", *arguments, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_routh_on_a_sphere_is_reproduced_exactly(self):
        fit = self.fit(SCENES / "diagonal.toml", "--law", "routh", "--set", "e=0.6", "--set", "mu=0.2")
        self.assertLess(fit["rms"], 1e-7)
        for name, value in (("e", 0.6), ("e_t", 0), ("mu", 0.2)):
            self.assertAlmostEqual(fit["parameters"][name]["value"], value, delta=1e-6)

    def test_there_and_back(self):
        fit = self.fit(SCENES / "diagonal.toml", "--law", "chatterjee-ruina", "--to", "spring-sledge", "--set", "e=1",
                       "--set", "e_t=1", "--set", "mu=inf")
        self.assertLess(fit["rms"], 1e-5)
        self.assertAlmostEqual(fit["parameters"]["kappa"]["value"], 2 / 7, delta=1e-4)

    def test_json_echoes_the_law_with_defaults_and_csv_has_its_numbers(self):
        given = [SCENES / "diagonal.toml", "--set", "e=0.9", "--set", "mu=0.3"]
        fit = self.fit(*given)
        self.assertEqual(fit["law_parameters"], {"kappa": 14 / 17, "mu": 0.3, "e": 0.9, "damper": "hysteretic"})
        path = self.path / "fit.csv"
        self.assertEqual(run("equivalent", *given, "--format", "csv", "-o", path).returncode, 0)
        rows = {line.split(",")[0]: line.split(",") for line in path.read_text().splitlines()[1:]}
        for name, parameter in fit["parameters"].items():
            self.assertEqual(float(rows[name][1]), parameter["value"])

    def test_any_collision(self):
        text = run("equivalent", SCENES / "bar.toml").stdout
        self.assertIn("spring-sledge as chatterjee-ruina", text)
        self.assertIn("residual", text)

    def test_refusals(self):
        self.refused(run("equivalent", SCENES / "bar.toml", "--angles", "-90", "10"), "--angles", "from = -90: ")
        self.refused(run("equivalent", SCENES / "bar.toml", "--set", "mu=-1"), "--set: ", "mu = -1")
        self.refused(run("equivalent", SCENES / "bar.toml", "--count", "1"), "--count")
        self.refused(run("equivalent", SCENES / "bar.toml", "--law", "ruth"), "ruth")
        self.refused(run("equivalent", SCENES / "kane.toml", "--law", "routh"), "regular")


if __name__ == "__main__":
    unittest.main()
