"""ricochet impact: mechanisms from robot files."""

import json
import os
import unittest
from pathlib import Path

from program import LAWS, ProgramTest, run

MODELS = Path(os.environ["RICOCHET_MODELS"])
HAVE_MODELS = os.environ["RICOCHET_HAVE_MODELS"] == "ON"
ROBOT = MODELS / "quadruped.xml"
LANDING = MODELS / "landing.toml"
PENDULUM = MODELS / "double_pendulum.xml"
TIP = "world:lower@0.183905,0,-1.832919/0,0,1"
SWING = ["--q", "shoulder=0.5", "--q", "elbow=-0.8", "--u", "shoulder=-1", "--contact", TIP]


@unittest.skipIf(HAVE_MODELS, "built with MuJoCo")
class Without(ProgramTest):
    def test_says_what_is_missing(self):
        self.refused(run("impact", ROBOT), "libmujoco-dev")


@unittest.skipUnless(HAVE_MODELS, "built without MuJoCo")
class Impact(ProgramTest):
    def document(self, *arguments):
        done = run("impact", *arguments, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_foot_lands_by_every_law(self):
        found = self.document(ROBOT, "--state", LANDING)
        self.assertEqual([a["law"] for a in found["answers"]], LAWS)
        self.assertEqual([(c["first"], c["second"]) for c in found["contacts"]], [("floor", "foot_fl")])
        self.assertEqual(len(found["u"]), 18)
        answered = [a for a in found["answers"] if "error" not in a]
        self.assertGreaterEqual(len(answered), 6)
        for a in answered:
            self.assertAlmostEqual(a["energy"], found["energy"] + a["energy_change"], delta=1e-10 * found["energy"])
            if a["guarantees"]["energy"]:
                self.assertLessEqual(a["energy_change"], 0)

    def test_formats_of_one_robot_agree_on_the_contact(self):
        a = self.document(ROBOT, "--state", LANDING)["contacts"][0]
        b = self.document(MODELS / "quadruped.urdf", "--state", LANDING)["contacts"][0]
        self.assertAlmostEqual(a["approach_speed"], b["approach_speed"], places=12)
        for x, y in zip(a["point"] + a["n"], b["point"] + b["n"]):
            self.assertAlmostEqual(x, y, places=12)

    def test_table_shows_contacts_speeds_and_energy(self):
        done = run("impact", ROBOT, "--state", LANDING, "--law", "routh")
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("floor:foot_fl", "approach", "routh", "knee_rr", "before", "after", "kinetic energy", "friction"):
            self.assertIn(word, done.stdout)

    def test_own_contact(self):
        found = self.document(PENDULUM, *SWING, "--law", "chatterjee-ruina", "--set", "e=0.5", "--set", "mu=0.3",
                              "--set", "e_t=0")
        (answer,) = found["answers"]
        self.assertAlmostEqual(answer["V"][2], 0.5 * found["contacts"][0]["approach_speed"], places=12)
        self.assertEqual(len(answer["u"]), 2)

    def test_closed_loop(self):
        four_bar = MODELS / "four_bar.xml"
        at = ["--q", "crank=0.3", "--u", "crank=1", "--contact", "world:coupler@0.1,0,0.1/0,0,1", "--law",
              "frictionless", "--set", "e=0.5"]
        self.refused(run("impact", four_bar, *at), "pin", "--assemble")
        found = self.document(four_bar, "--assemble", *at)
        # One degree of freedom: whatever happens, the speeds stay in proportion.
        before, after = found["u"], found["answers"][0]["u"]
        for x, y in zip(before, after):
            self.assertAlmostEqual(x * after[0], y * before[0], places=12)

    def test_list_and_choice(self):
        done = run("impact", ROBOT, "--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 5)
        fall = [ROBOT, "--u", "root=0,0,-1,0,0,0", "--law", "frictionless", "--set", "e=0"]
        self.refused(run("impact", *fall), "several", "foot_fl", "--contact")
        self.assertEqual(self.document(*fall, "--contact", "3")["chosen"], 3)
        self.assertEqual(self.document(*fall, "--contact", "floor:foot_rl")["chosen"], 3)
        self.refused(run("impact", *fall, "--contact", "5"), "from 1 to 4")
        self.refused(run("impact", *fall, "--contact", "floor:wing"), "floor:wing")

    def test_refusals(self):
        bad = self.file("bad.xml", "<mujoco><worldbody>")
        self.refused(run("impact", bad), "bad.xml", "MuJoCo says", "XML")
        mesh = self.file("mesh.urdf", "<robot name='a'><link name='b'/></robot>")
        self.refused(run("impact", mesh), "mesh.urdf")
        mesh = self.file("mesh.xml", "<mujoco><asset><mesh file='lost.stl'/></asset><worldbody><body><freejoint/>"
                                     "<geom type='mesh' mesh='lost'/></body></worldbody></mujoco>")
        self.refused(run("impact", mesh), "lost.stl")
        self.refused(run("impact", self.path / "none.xml"), "none.xml", "cannot be opened")
        self.refused(run("impact", ROBOT, "--q", "knee_f=1"), "--q", "did you mean knee_fl?")
        self.refused(run("impact", ROBOT, "--q", "knee_fl=1,2"), "--q", "2 numbers")
        self.refused(run("impact", ROBOT, "--q", "knee_fl=x"), "--q", "must be a number")
        self.refused(run("impact", ROBOT, "--u", "root=0,0,1,0,0,0"), "contact", "closes")
        self.refused(run("impact", ROBOT, "--u", "root=0,0,1,0,0,0", "--contact", "1"), "must close")
        self.refused(run("impact", ROBOT, "--reach", "-1"), "--reach")
        self.refused(run("impact", PENDULUM, *SWING[:-1], "world:lower@0,0/0,0,1"), "--contact")
        self.refused(run("impact", PENDULUM, *SWING[:-1], "world:lwer@0,0,0/0,0,1"), "did you mean lower?")
        self.refused(run("impact", PENDULUM, *SWING, "--law", "ruth"), "--law", "routh")
        self.refused(run("impact", PENDULUM, *SWING, "--law", "routh", "--set", "mu=-1", "--set", "e=0"), "--set", "mu")

    def test_faults_of_a_state_name_file_and_line(self):
        def refused(text, *parts):
            self.refused(run("impact", ROBOT, "--state", self.file("s.toml", text)), *parts)

        refused("[q]\nknee_f = 1\n", "s.toml:2", "knee_fl")
        refused("q = [1, 2]\n", "s.toml:1", "2 numbers", "19")
        refused("u = [1, 2]\n", "s.toml:1", "18")
        refused("[q]\nknee_fl = 'bent'\n", "s.toml:2", "number")
        refused("[q]\nknee_fl = nan\n", "s.toml:2", "finite")
        refused("[w]\n", "s.toml:1", "unknown key")
        refused("[q\n", "s.toml:1", "TOML")
        refused("[q]\nroot = [0, 0, 0, 2, 0, 0, 0]\n", "root", "unit length")
        refused("[parameters]\nmus = 1\n", "s.toml:2", "mus")
        refused("[contact]\nfirst = 'world'\n", "s.toml:1", "second")
        refused("a." * 9000 + "b = 1\n", "more than 9 parts")


if __name__ == "__main__":
    unittest.main()
