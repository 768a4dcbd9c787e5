"""ricochet impact: bundled systems, and mechanisms from robot files."""

import json
import math
import os
import unittest
from pathlib import Path

from program import LAWS, ProgramTest, run

MODELS = Path(os.environ["RICOCHET_MODELS"])
HAVE_MODELS = os.environ["RICOCHET_HAVE_MODELS"] == "ON"
HAVE_FCL = os.environ["RICOCHET_HAVE_FCL"] == "ON"
ROBOT = MODELS / "quadruped.xml"
LANDING = MODELS / "landing.toml"
PENDULUM = MODELS / "double_pendulum.xml"
TIP = "world:lower@0.183905,0,-1.832919/0,0,1"
SWING = ["--q", "shoulder=0.5", "--q", "elbow=-0.8", "--u", "shoulder=-1", "--contact", TIP]


class ImpactTest(ProgramTest):
    def document(self, *arguments):
        done = run("impact", *arguments, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)


@unittest.skipIf(HAVE_MODELS, "built with MuJoCo")
class Without(ImpactTest):
    def test_says_what_is_missing(self):
        self.refused(run("impact", ROBOT), "quadruped.xml", "libmujoco-dev", "--systems")
        self.refused(run("impact", ROBOT, "--state", LANDING, "--law", "routh"), "libmujoco-dev")


class Bundled(ImpactTest):
    """Systems that need no file, and so no MuJoCo either."""

    def test_every_system_listed_runs_as_its_example_says(self):
        systems = self.document("--systems")["systems"]
        self.assertGreaterEqual(len(systems), 7)
        table = run("impact", "--systems")
        self.assertEqual(table.returncode, 0, table.stderr)
        for system in systems:
            program, command, *arguments = system["example"].split()
            self.assertEqual((program, command, arguments[0]), ("ricochet", "impact", system["name"]))
            self.assertIn(system["example"], table.stdout)
            for coordinate in system["coordinates"]:
                self.assertIn(coordinate["name"], table.stdout)
            found = self.document(*arguments)
            answered = [a for a in found["answers"] if "error" not in a]
            self.assertTrue(answered, system["name"])
            for a in answered:
                self.assertAlmostEqual(a["energy"], found["energy"] + a["energy_change"], delta=1e-10 * found["energy"])
            shown = run("impact", *arguments)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            for word in ("pair", "gap", "approach"):
                self.assertIn(word, shown.stdout)

    def test_kanes_puzzle(self):
        """Shen and Townsend 1998, Tables 1 to 3, and the textbook's gain of energy."""
        rows = [  # e, mu_s, mu; energy change: conventional-reversed, conventional, shen-townsend
            (0.5, 0.25, 0.2, -0.0329, -0.1033, -0.1063),
            (0.5, 0.5, 0.4, 0.1634, 0.1634, -0.1213),
            (0.3, 0.5, 0.4, -0.1192, -0.1192, -0.1294),
            (0.7, 0.51, 0.5, 0.4889, -0.1011, -0.1192),
        ]
        for e, mu_s, mu, *changes in rows:
            found = self.document("double-pendulum", "--set", f"e={e}", "--set", f"mu={mu}", "--set", f"mu_s={mu_s}")
            by = {a["law"]: a for a in found["planar"]}
            for law, change in zip(("conventional-reversed", "conventional", "shen-townsend"), changes):
                self.assertAlmostEqual(by[law]["energy_change"], change, delta=0.00005 + 1e-9)
            self.assertLessEqual(by["morgan"]["energy_change"], 0)
            self.assertEqual([a["law"] for a in found["answers"]], LAWS)

    def test_both_pendulums_are_one_mechanism(self):
        for law in ("routh", "chatterjee-ruina", "morgan", "shen-townsend"):
            asked = ["--law", law, "--set", "e=0.6", "--set", "mu=0.35", "--set", "e_t=0"]
            a = self.document("double-pendulum", *asked)
            b = self.document("double-pendulum-relative", *asked)
            self.assertAlmostEqual(a["energy"], b["energy"], places=12)
            x, y = a["answers"][0], b["answers"][0]
            self.assertAlmostEqual(x["u"][0], y["u"][0], places=12)
            self.assertAlmostEqual(x["u"][1] - x["u"][0], y["u"][1], places=12)

    def test_two_spheres_of_the_paper(self):
        """Shen and Townsend 1998, example 2: the printed speeds."""
        found = self.document("two-spheres", "--law", "shen-townsend", "--set", "e=0.8", "--set", "mu=0.3")
        (answer,) = found["answers"]
        printed = [1.5, 28.555, 0, 0, 0, -9.391, 13.5, -2.5742, 0, 0, 0, 1.6089]
        for x, y in zip(answer["u"], printed):
            self.assertAlmostEqual(x, y, delta=0.0006)
        self.assertEqual(answer["shen_townsend_case"], "iii")

    def test_sizes_and_states(self):
        kept = self.document("single-pendulum", "--size", "length=2", "--size", "mass=3", "--law", "frictionless", "--set", "e=1")
        self.assertAlmostEqual(kept["energy"], 0.5 * 3 * 2 * 2 / 3, places=12)
        self.assertAlmostEqual(kept["answers"][0]["u"][0], 1, places=12)
        state = self.file("s.toml", "law = 'morgan'\n[size]\nlength = 2\nfloor = -1.7\n[q]\nangle = 0.6\n[u]\nangle = -2\n"
                                    "[parameters]\ne = 0.5\nmu = 0.1\n")
        self.refused(run("impact", "single-pendulum", "--state", state), "reach")
        found = self.document("single-pendulum", "--state", state, "--reach", "0.1")
        self.assertAlmostEqual(found["contacts"][0]["gap"], 1.7 - 2 * math.cos(0.6), places=12)
        self.assertEqual(found["answers"][0]["law"], "morgan")
        found = self.document("single-pendulum", "--state", state, "--q", "angle=0.5", "--list", "--reach", "1")
        self.assertEqual(found["q"], [0.5])

    def test_lowest_corner_is_the_contact(self):
        for system, count in (("planar-body", 4), ("spatial-body", 8)):
            near = self.document(system, "--list")["contacts"]
            self.assertEqual(len(near), 1, system)
            self.assertAlmostEqual(near[0]["gap"], 0, places=15)
            self.assertEqual(len(self.document(system, "--list", "--reach", "9")["contacts"]), count)

    def test_planar_laws_refuse_what_leaves_the_plane(self):
        asked = ["spatial-body", "--law", "morgan", "--set", "e=0.5", "--set", "mu=0.3"]
        self.refused(run("impact", *asked), "spatial-body", "plane")

    def test_refusals(self):
        self.refused(run("impact"), "MODEL", "--systems")
        self.refused(run("impact", "duble-pendulum"), "did you mean double-pendulum?")
        self.refused(run("impact", "unicycle"), "unicycle", "--systems")
        pendulum = ["double-pendulum", "--set", "e=0.5", "--set", "mu=0.3"]
        self.refused(run("impact", *pendulum, "--size", "lenght_1=1"), "--size", "did you mean length_1?")
        self.refused(run("impact", *pendulum, "--size", "mass_1=0"), "--size", "mass_1", "positive")
        self.refused(run("impact", *pendulum, "--size", "mass_1=1,2"), "--size", "2 numbers")
        self.refused(run("impact", *pendulum, "--size", "mass_1"), "--size", "NAME=NUMBER")
        self.refused(run("impact", *pendulum, "--q", "uper=1"), "--q", "did you mean upper?")
        self.refused(run("impact", *pendulum, "--q", "upper=1,2"), "--q", "2 numbers")
        self.refused(run("impact", *pendulum, "--q", "upper=inf"), "q", "finite")
        self.refused(run("impact", *pendulum, "--u", "upper=1", "--u", "lower=1"), "closes")
        self.refused(run("impact", *pendulum, "--u", "upper=1", "--u", "lower=1", "--contact", "1"), "must close")
        self.refused(run("impact", *pendulum, "--contact", "world:tip@0,0,0/0,0,1"), "--contact", "its own only", "--list")
        self.refused(run("impact", *pendulum, "--law", "morgn"), "--law", "morgan")
        self.refused(run("impact", *pendulum[:-2], "--law", "morgan"), "mu", "morgan")
        self.refused(run("impact", *pendulum, "--law", "morgan", "--set", "mu_s=0.1"), "--set", "mu_s")
        self.refused(run("impact", "spatial-body", "--q", "body=0,0,0,2,0,0,0"), "quaternion")
        state = self.file("s.toml", "[size]\nmass_9 = 1\n")
        self.refused(run("impact", *pendulum, "--state", state), "s.toml:2", "mass_9")
        state = self.file("s.toml", "size = 3\n")
        self.refused(run("impact", *pendulum, "--state", state), "s.toml:1", "table")
        state = self.file("s.toml", "q = [1, 2, 3]\n")
        self.refused(run("impact", *pendulum, "--state", state), "s.toml:1", "3 numbers", "2")


@unittest.skipUnless(HAVE_MODELS, "built without MuJoCo")
class Robots(ImpactTest):
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

    def test_planar_robot_by_the_planar_laws(self):
        asked = ["--set", "e=0.5", "--set", "mu=0.4", "--set", "mu_s=0.5"]
        a = self.document(PENDULUM, *SWING, *asked, "--law", "shen-townsend")["answers"][0]
        same = ["--size", "length_1=1", "--size", "mass_1=1", "--size", "length_2=1", "--size", "mass_2=1",
                "--q", "upper=0.5", "--q", "lower=-0.3", "--u", "upper=-1", "--u", "lower=-1"]
        b = self.document("double-pendulum", *same, *asked, "--law", "shen-townsend")["answers"][0]
        self.assertEqual(a["shen_townsend_case"], b["shen_townsend_case"])
        self.assertAlmostEqual(a["energy_change"], b["energy_change"], delta=1e-5)  # TIP has six digits
        self.assertAlmostEqual(a["u"][0], b["u"][0], delta=1e-5)

    def test_pairs_by_fcl(self):
        text = ("<mujoco><worldbody><geom name='step' type='box' size='.5 .5 .1'/><body name='b' pos='0 0 .35'><freejoint name='f'/>"
                "<geom name='can' type='cylinder' size='.1 .25' euler='0 0 0'/></body></worldbody></mujoco>")
        model = self.file("can.xml", text)
        found = run("impact", model, "--list", "--u", "f=0,0,-1,0,0,0", "--format", "json")
        if not HAVE_FCL:
            self.refused(found, "step and can", "libfcl-dev")
            return
        (contact,) = json.loads(found.stdout)["contacts"]
        self.assertTrue(contact["patch"])
        self.assertAlmostEqual(contact["gap"], 0, places=14)
        self.assertAlmostEqual(contact["n"][2], 1, places=14)
        self.assertIn("patch", run("impact", model, "--list").stdout)
        tilted = run("impact", model, "--q", "f=0,0,.4,0.9689124217106447,0.24740395925452294,0,0", "--list", "--reach", ".1",
                     "--format", "json")
        (contact,) = json.loads(tilted.stdout)["contacts"]
        self.assertFalse(contact["patch"])
        height = .4 - .1 * math.sin(.5) - .25 * math.cos(.5) - .1
        self.assertAlmostEqual(contact["gap"], height, places=12)

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
        self.refused(run("impact", ROBOT, "--size", "mass=1"), "--size", "bundled")
        hinge = self.file("hinge.xml", "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody>"
                                       "<actuator><motor joint='elbow'/></actuator></mujoco>")
        self.refused(run("impact", hinge), "hinge.xml", "elbow")
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
