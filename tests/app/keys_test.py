"""Keys that nobody knows are refused by every command; law parameters that are not used by the law are accepted by all."""

import json
import unittest

from program import SCENES, ProgramTest, run

TOML = """M = [[2, 0.7, 0.2], [0.7, 1.5, -0.3], [0.2, -0.3, 1.1]]
V = [-1, -1.4, 0.3]
n = [1, 0, 0]
e = 0.5
mu = 0.3
kappa = 0.8
"""
# Of laws that no command below asks for by itself.
UNUSED = "rho = 0.5\npsi_1 = 0.5\nmu_2 = 0.1\n"
DISC = 'title = "t"\nstiffness = 1e5\nmu = 0.3\n[[disc]]\nradius = 0.01\nmass = 0.005\nvelocity = [0, 0, -1]\n'

READ_A_COLLISION = [["collide", "--law", "routh"], ["inspect"], ["realize"], ["process"], ["equivalent", "--count", "5"]]


class Keys(ProgramTest):
    def commands(self, file):
        yield from ([*command, file] for command in READ_A_COLLISION)
        yield ["figure", file, "--kind", "impulse-plane", "-o", self.path / "f.svg"]
        yield ["report", file, "-o", self.path / "r.html"]

    def test_unknown_keys_are_refused_with_a_suggestion(self):
        for command in self.commands(self.file("a.toml", TOML + "mus = 1\n")):
            with self.subTest(command[0]):
                self.refused(run(*command), "a.toml:7: mus: unknown key; did you mean mu?")
        line = json.dumps({"M": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "V": [-1, 0, 0], "n": [1, 0, 0], "mus": 1})
        for command in self.commands(self.file("a.jsonl", line + "\n")):
            with self.subTest(command[0]):
                self.refused(run(*command), "a.jsonl:1: mus: unknown key; did you mean mu?")

    def test_unknown_parameters_of_set_are_refused_with_a_suggestion(self):
        good = self.file("a.toml", TOML)
        for command in self.commands(good):
            if command[0] == "realize":
                continue  # has no parameters
            with self.subTest(command[0]):
                self.refused(run(*command, "--set", "mus=1"), "--set: mus: unknown parameter; did you mean mu?")
        self.refused(run("impact", "double-pendulum", "--set", "mus=1"), "--set: mus: unknown parameter; did you mean mu?")
        self.refused(run("disc", "coin-flat", "--set", "mus=1"), "--set: mus: unknown key; did you mean mu?")
        self.refused(run("disc", "rolling-skid", "--set", "lod=1"), "--set: lod: unknown key; did you mean load?")

    def test_parameters_of_other_laws_are_accepted(self):
        for command in self.commands(self.file("a.toml", TOML + UNUSED)):
            with self.subTest(command[0]):
                done = run(*command)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = run("impact", "double-pendulum", "--law", "routh", "--set", "e=0.5", "--set", "mu=0.3", "--set", "rho=0.5")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_help_says_on_which_body_an_impulse_acts(self):
        for command in ("collide", "inspect", "process", "disc", "impact", "simultaneous", "simulate", "report", "figure", "sweep",
                        "reduce"):
            with self.subTest(command):
                done = run(command, "--help")
                if done.returncode == 0:  # a build may lack the library that a command needs
                    self.assertRegex(done.stdout, r"acts on (the )?(body B|body_b|second body|disc|body that strikes)")

    def test_keys_of_scenes_states_and_discs(self):
        scene = (SCENES / "falling-rod.toml").read_text()
        self.refused(run("simultaneous", self.file("s.toml", "titl = 1\n" + scene)), "s.toml:1: titl: unknown key; did you mean title?")
        self.refused(run("simultaneous", self.file("s.toml", scene.replace("[[body]]", "[[body]]\nmss = 1", 1))),
                     "body[1].mss: unknown key; did you mean mass?")
        self.refused(run("impact", "double-pendulum", "--state", self.file("s.toml", "[parameters]\nmus = 1\n")),
                     "s.toml:2: mus: unknown parameter; did you mean mu?")
        self.refused(run("impact", "double-pendulum", "--state", self.file("s.toml", "parametres = 1\n")),
                     "s.toml:1: parametres: unknown key; did you mean parameters?")
        self.refused(run("disc", self.file("d.toml", DISC + "raduis = 1\n")), "d.toml:8: raduis: unknown key; did you mean radius?")
        self.refused(run("disc", self.file("d.toml", "stifness = 1\n" + DISC)), "d.toml:1: stifness: unknown key; did you mean stiffness?")


if __name__ == "__main__":
    unittest.main()
