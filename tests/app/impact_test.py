"""ricochet impact: bundled systems, and mechanisms from robot files."""

import csv
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

    def compare_csv(self, *arguments):
        """Every row against the JSON; returns the kinds that were seen."""
        document = self.document(*arguments)
        done = run("impact", *arguments, "--format", "csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(done.stdout.splitlines()))
        self.assertTrue(all(None not in row and None not in row.values() for row in rows), "as many fields as names")
        answers = document["answers"] + document.get("planar", [])
        self.assertEqual(list(dict.fromkeys(row["law"] for row in rows)), [answer["law"] for answer in answers])
        for answer in answers:
            mine = [row for row in rows if row["law"] == answer["law"]]
            if "error" in answer:
                self.assertEqual([(row["kind"], row["error_code"]) for row in mine], [("error", answer["error"]["code"])])
                continue
            contacts = answer.get("contacts", [{"contact": document.get("chosen"), **answer}])
            for contact, row in zip(contacts, [row for row in mine if row["kind"] == "contact"], strict=True):
                self.assertEqual(int(row["number"]), contact["contact"])
                before = document["contacts"][contact["contact"] - 1]
                self.assertEqual(row["name"], f"{before['first']}:{before['second']}")
                for name, wanted in (("P", contact["P"]), ("V", contact["V"]), ("V_before", before["V"])):
                    self.assertEqual([float(row[f"{name}_{axis}"]) for axis in "xyz"], wanted)
                if "permissible" in contact:
                    self.assertEqual(row["permissible"], str(contact["permissible"]).lower())
                    self.assertEqual(row["violated"] == "", contact["permissible"])
            speeds = [row for row in mine if row["kind"] == "speed"]
            self.assertEqual([float(row["after"]) for row in speeds], answer["u"])
            self.assertEqual([float(row["before"]) for row in speeds], document["u"])
        return {row["kind"] for row in rows}


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

    def test_csv_is_the_json_by_rows(self):
        given = ["double-pendulum", "--set", "e=0.5", "--set", "mu=0.3"]
        self.assertEqual(self.compare_csv(*given), {"contact", "speed", "error"})
        self.assertEqual(self.compare_csv(*given, "--law", "routh"), {"contact", "speed"})
        self.assertEqual(self.compare_csv(*given, "--law", "morgan"), {"contact", "speed"})
        for option in ("--list", "--systems"):
            self.refused(run("impact", *given, option, "--format", "csv"), "--format", "csv")

    def test_derivatives_are_those_of_the_answers(self):
        q, u, h = [-0.35, 0.35], [-0.2, -0.6], 1e-4
        names = ("upper", "lower")

        def after(q, u, *options):
            state = [x for n, a, b in zip(names, q, u) for x in ("--q", f"{n}={a!r}", "--u", f"{n}={b!r}")]
            done = run("impact", "double-pendulum", *state, "--set", "e=0.5", "--set", "mu=0.4", "--law", "chatterjee-ruina",
                       "--format", "json", *options)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)["answers"][0]

        found = after(q, u, "--derivatives")
        self.assertIn("differences", found["by_q"])
        for key, start in (("q", q), ("u", u)):
            for k in range(2):
                moved = [[x + d * (i == k) for i, x in enumerate(start)] for d in (-h, h)]
                low, high = (after(x, u)["u"] if key == "q" else after(q, x)["u"] for x in moved)
                for row in range(2):
                    self.assertAlmostEqual(found["derivatives"]["u"][key][row][k], (high[row] - low[row]) / (2 * h), 5)
        self.assertEqual(len(found["derivatives"]["u"]["e"]), 2)
        self.assertEqual(run("impact", "double-pendulum", "--derivatives").returncode, 2)

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
            for a in by.values():
                self.assertEqual(a["permissible"], a["energy_change"] <= 1e-12 and a["margins"]["friction"] >= -1e-12)
                self.assertAlmostEqual(a["V"][2], a["states"][-1]["v_n"], places=12)
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

    def test_derivatives_of_robots_are_differences_of_their_impacts(self):
        """Along one direction of all joints, and one of all speeds: Richardson's extrapolation of the answers."""
        legs = [f"{joint}_{leg}" for leg in ("fl", "fr", "rl", "rr") for joint in ("abduct", "flex", "knee")]
        q = dict(zip(legs, (0, 0, 0, 0, 0.5, -1, 0, 0.5, -1, 0, 0.5, -1)))
        root, u = [0.6, 0.1, -1.2, 0.2, 0.4, 0], dict.fromkeys(legs, 0) | {"flex_fl": 1.5, "knee_fl": -2}
        along = [math.sin(3 * k + 1) for k in range(18)]  # any

        def after(model, by_q, by_u, *options):
            moved_q = {name: x + by_q * d for (name, x), d in zip(q.items(), along[6:])}
            moved_u = {name: x + by_u * d for (name, x), d in zip(u.items(), along[6:])}
            moved_u["root"] = [x + by_u * d for x, d in zip(root, along)]
            state = "[q]\n" + "".join(f"{n} = {x!r}\n" for n, x in moved_q.items())
            state += "[u]\n" + "".join(f"{n} = {x!r}\n" for n, x in moved_u.items())
            done = run("impact", model, "--state", "-", "--law", "routh", "--set", "e=0.3", "--set", "mu=0.6",
                       "--contact", "floor:foot_fl", "--format", "json", *options, text=state)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)["answers"][0]

        for model in (ROBOT, MODELS / "quadruped.urdf"):
            found = after(model, 0, 0, "--derivatives")
            for key, first, direction in (("q", 7, along[6:]), ("u", 0, along)):
                exact = [sum(x * d for x, d in zip(row[first:], direction)) for row in found["derivatives"]["u"][key]]

                def central(h, key=key, model=model):
                    low, high = (after(model, *((s * h, 0) if key == "q" else (0, s * h)))["u"] for s in (-1, 1))
                    return [(y - x) / (2 * h) for x, y in zip(low, high)]

                coarse, fine = central(2e-4), central(1e-4)
                size = max(map(abs, exact))
                self.assertGreater(size, 1)
                for x, a, b in zip(exact, coarse, fine):
                    self.assertAlmostEqual(x, (4 * b - a) / 3, delta=1e-8 * size)

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
            self.assertIn("libfcl-dev", json.loads(found.stdout)["warnings"][0]["allowed"])
            return
        rim = json.loads(found.stdout)["contacts"]
        self.assertEqual(len(rim), 4)
        for contact in rim:
            self.assertAlmostEqual(contact["gap"], 0, places=12)
            self.assertAlmostEqual(contact["n"][2], 1, places=12)
            self.assertAlmostEqual(math.hypot(*contact["point"][:2]), 0.1, places=9)
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
        # The joints that were given stay; the others follow.
        crank = next(j for j in found["joints"] if j["name"] == "crank")
        self.assertEqual(found["q"][crank["q"]], 0.3)
        self.assertEqual(found["u"][crank["u"]], 1)
        # One degree of freedom: whatever happens, the speeds stay in proportion.
        before, after = found["u"], found["answers"][0]["u"]
        for x, y in zip(before, after):
            self.assertAlmostEqual(x * after[0], y * before[0], places=12)

    def test_list_and_choice(self):
        done = run("impact", ROBOT, "--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len([line for line in done.stdout.splitlines() if "floor:foot_" in line]), 4)
        fall = [ROBOT, "--u", "root=0,0,-1,0,0,0", "--law", "frictionless", "--set", "e=0"]
        self.refused(run("impact", *fall, "--contacts", "one"), "several", "foot_fl", "--contact")
        self.assertEqual(self.document(*fall, "--contact", "3")["chosen"], 3)
        self.assertEqual(self.document(*fall, "--contact", "floor:foot_rl")["chosen"], 3)
        self.refused(run("impact", *fall, "--contact", "5"), "from 1 to 4")
        self.refused(run("impact", *fall, "--contact", "floor:wing"), "floor:wing")

    def test_refusals(self):
        bad = self.file("bad.xml", "<mujoco><worldbody>")
        self.refused(run("impact", bad), "bad.xml", "line 1", "XML", "mismatched element")
        mesh = self.file("mesh.urdf", "<robot name='a'><link name='b'/></robot>")
        self.refused(run("impact", mesh), "mesh.urdf")
        mesh = self.file("mesh.xml", "<mujoco><asset><mesh file='lost.stl'/></asset><worldbody><body><freejoint/>"
                                     "<geom type='mesh' mesh='lost'/></body></worldbody></mujoco>")
        self.refused(run("impact", mesh), "lost.stl")
        self.refused(run("impact", self.path / "none.xml"), "none.xml", "cannot be opened")
        self.refused(run("impact", ROBOT, "--size", "mass=1"), "--size", "bundled")
        hinge = self.file("hinge.xml", "<mujoco><worldbody><body><freejoint/><geom size='.1'/></body></worldbody>"
                                       "<equality><joint joint1='elbow'/></equality></mujoco>")
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


BOX = """<mujoco><worldbody>
  <body name='crate' pos='0 0 2'><freejoint name='root'/><geom name='box' type='box' size='.3 .2 .1' mass='4'/></body>
  </worldbody><keyframe><key name='high' qpos='0 0 5 1 0 0 0'/><key name='home' qpos='1 0 3 1 0 0 0'/></keyframe></mujoco>"""
ARM = """<mujoco><worldbody><body name='upper' pos='0 0 2'><joint name='shoulder' axis='0 1 0'/>
  <geom name='a' type='capsule' fromto='0 0 0 1 0 0' size='.05' mass='2'/>
  <body name='lower' pos='1 0 0'><joint name='elbow' axis='0 1 0'/>
  <geom name='b' type='capsule' fromto='0 0 0 1 0 0' size='.05' mass='1'/></body></body></worldbody></mujoco>"""


@unittest.skipUnless(HAVE_MODELS, "built without MuJoCo")
class Landings(ImpactTest):
    """A robot file without a state: docs/robots.md."""

    def test_crate_lands_flat_on_four_corners(self):
        crate = self.file("crate.xml", BOX)
        for e in (0, 0.5, 1):
            found = self.document(crate, "--law", "frictionless", "--set", f"e={e}")
            self.assertEqual(found["landing"]["pose"], "keyframe home")
            self.assertEqual(found["landing"]["floating"], ["root"])
            self.assertAlmostEqual(found["landing"]["lowered"], 2.9, places=12)
            self.assertEqual(found["landing"]["floor"], 0)
            self.assertAlmostEqual(found["energy"], 0.5 * 4 * 1, places=12)
            self.assertEqual(len(found["contacts"]), 4)
            self.assertEqual(found["struck"], [1, 2, 3, 4])
            for contact in found["contacts"]:
                self.assertAlmostEqual(contact["gap"], 0, places=12)
                self.assertEqual((contact["first"], contact["second"], contact["second_body"]), ("floor", "box", "crate"))
            (answer,) = found["answers"]
            if e == 0:
                # Whatever the order, a plastic landing on all corners ends at rest.
                for speed in answer["u"]:
                    self.assertAlmostEqual(speed, 0, places=9)
                self.assertAlmostEqual(answer["energy_change"], -2, places=9)
            if e == 1:
                self.assertAlmostEqual(answer["energy_change"], 0, places=9)
            for contact, hit in zip(found["contacts"], answer["contacts"]):
                self.assertGreaterEqual(sum(a * b for a, b in zip(hit["V"], contact["n"])), -1e-9)
            self.assertGreaterEqual(answer["ties"], 1)
            self.assertIn("first_tie", answer)

    @unittest.skipUnless(HAVE_FCL, "built without FCL")
    def test_height_field_is_ground(self):
        """Level ground is a floor, whatever it is made of; on hills the landing ends where the first foot touches."""
        body = ("<body name='crate' pos='.03 .04 1'><freejoint/><geom name='crate' type='box' size='.3 .2 .1' mass='4'/></body>"
                "</worldbody></mujoco>")
        level = self.file("level.xml", "<mujoco><asset><hfield name='h' nrow='31' ncol='21' size='2 3 1 .1'/></asset>"
                          "<worldbody><geom name='ground' type='hfield' hfield='h'/>" + body)
        plane = self.file("plane.xml", "<mujoco><worldbody><geom name='ground' type='plane' size='1 1 1'/>" + body)
        for law in ("routh", "chatterjee-ruina", "frictionless"):
            ours, theirs = (self.document(model, "--law", law) for model in (level, plane))
            self.assertEqual(len(ours["contacts"]), 4)
            for a, b in zip(ours["contacts"], theirs["contacts"]):
                for key in ("point", "n"):
                    for x, y in zip(a[key], b[key]):
                        self.assertAlmostEqual(x, y, delta=1e-9)
            for x, y in zip(ours["answers"][0]["u"], theirs["answers"][0]["u"]):
                self.assertAlmostEqual(x, y, delta=1e-9)
        heights = " ".join(f"{math.sin(0.9 * i) + math.cos(1.3 * (i % 17)):.3f}" for i in range(17 * 17))
        robot = ROBOT.read_text()
        floor = '<geom name="floor" class="floor" type="plane" size="5 5 0.1"/>'
        self.assertIn(floor, robot)
        robot = robot.replace(floor, "<geom name='ground' class='floor' type='hfield' hfield='hills'/>").replace(
            "<worldbody>", f"<asset><hfield name='hills' nrow='17' ncol='17' size='1 1 .1 .1' elevation='{heights}'/></asset><worldbody>")
        found = self.document(self.file("hills.xml", robot), "--floor", "none", "--law", "routh")
        self.assertIn("ground", [c["first"] for c in found["contacts"]])
        self.assertAlmostEqual(min(c["gap"] for c in found["contacts"]), 0, delta=1e-9)
        self.assertTrue(all(c["n"][2] > 0 for c in found["contacts"]))
        shapes = self.document(level, "--law", "routh", "--shapes")["shapes"]
        (ground,) = [s for s in shapes if s["kind"] == "height-field"]
        self.assertEqual((len(ground["vertices"]), len(ground["faces"])), (31 * 21 + 4, 2 * 30 * 20))
        for face in ground["faces"]:  # each is half a cell, 0.2 m by 0.2 m, against the clock
            (ax, ay, _), (bx, by, _), (cx, cy, _) = (ground["vertices"][k] for k in face)
            self.assertAlmostEqual((bx - ax) * (cy - ay) - (by - ay) * (cx - ax), 0.04, places=12)

    def test_csv_of_contacts_together_is_the_json_by_rows(self):
        self.assertIn("contact", self.compare_csv(ROBOT, "--law", "routh"))
        self.assertIn("contact", self.compare_csv(ROBOT, "--law", "all"))

    def test_quadruped_lands_on_all_feet(self):
        for model in (ROBOT, MODELS / "quadruped.urdf"):
            found = self.document(model)
            self.assertEqual(len(found["struck"]), 4, model)
            self.assertEqual([a["law"] for a in found["answers"]], LAWS)
            answered = [a for a in found["answers"] if "error" not in a]
            self.assertGreaterEqual(len(answered), 6)
            for a in answered:
                self.assertAlmostEqual(a["energy"], found["energy"] + a["energy_change"], delta=1e-10 * found["energy"])
                for contact, hit in zip(found["contacts"], a["contacts"]):
                    self.assertGreaterEqual(sum(x * y for x, y in zip(hit["V"], contact["n"])), -1e-9)
        table = run("impact", ROBOT, "--law", "routh", "--ensemble", "20")
        self.assertEqual(table.returncode, 0, table.stderr)
        for word in ("4 contacts close", "as a sequence", "tie", "assumed: e = 0.5, mu = 0.5", "lands at 1 m/s", "--describe",
                     "ensemble of 20", "distinct outcome", "branches of weights", "floor:foot_rr", "knee_rr"):
            self.assertIn(word, table.stdout)
        several = self.document(ROBOT, "--law", "routh", "--ensemble", "20")["ensemble"]
        self.assertEqual(several["spread"], "branching")
        self.assertEqual(sum(b["members"] for b in several["branches"]) + several["unexamined"], 20)

    def test_speed_height_floor_and_key(self):
        crate = self.file("crate.xml", BOX)
        fall = self.document(crate, "--height", "0.5")
        self.assertAlmostEqual(fall["u"][2], -math.sqrt(2 * 9.81 * 0.5), places=12)
        self.assertAlmostEqual(self.document(crate, "--drop", "3")["u"][2], -3, places=12)
        self.assertEqual(self.document(crate, "--key", "high", "--list")["landing"]["pose"], "keyframe high")
        raised = self.document(crate, "--floor", "1.25", "--list")
        self.assertAlmostEqual(raised["q"][2], 1.35, places=12)
        self.refused(run("impact", crate, "--floor", "none"), "--floor", "nothing is below")
        self.refused(run("impact", crate, "--floor", "low"), "--floor", "height")
        self.refused(run("impact", crate, "--drop", "-1"), "--drop", "positive")
        self.refused(run("impact", crate, "--drop", "1", "--height", "1"), "--height", "--drop")
        self.refused(run("impact", crate, "--key", "hihg"), "--key", "did you mean high?")
        self.refused(run("impact", "double-pendulum", "--drop", "1"), "--drop", "robot files")

    def test_several_speeds_at_once(self):
        found = self.document(ROBOT, "--u", "knee_fl=1,knee_fr=-2", "--u", "root=0,0,-2,0,0,0", "--law", "frictionless")
        joints = {j["name"]: j["u"] for j in found["joints"]}
        self.assertEqual(found["u"][joints["knee_fl"]], 1)
        self.assertEqual(found["u"][joints["knee_fr"]], -2)
        self.assertEqual(found["u"][joints["root"] + 2], -2)
        self.assertEqual(found["landing"]["speed"], 2)
        raised = self.document(ROBOT, "--q", "root=0,0,3,1,0,0,0", "--list")
        self.assertEqual((raised["q"][2], raised["landing"]["lowered"]), (3, 0))

    def test_options_of_many_contacts_are_not_ignored(self):
        for option in (["--ensemble", "5"], ["--method", "lcp"], ["--contacts", "all"]):
            self.refused(run("impact", ROBOT, "--law", "routh", "--contact", "1", *option), option[0], "picked")
        arm = self.file("arm.xml", ARM)
        self.assertEqual(self.document(arm, "--law", "routh", "--ensemble", "5")["ensemble"]["members"], 5)

    def test_quaternions_as_people_write_them(self):
        crate = self.file("crate.xml", BOX)
        found = self.document(crate, "--q", "root=0,0,1,0.7071,0.7071,0,0", "--list")
        self.assertAlmostEqual(found["q"][3], math.sqrt(0.5), places=15)
        self.refused(run("impact", crate, "--q", "root=0,0,1,0.71,0.72,0,0"), "quaternion", "unit length")

    def test_arm_taps_with_the_least_energy(self):
        arm = self.file("arm.xml", ARM)
        found = self.document(arm, "--law", "frictionless", "--set", "e=1")
        self.assertTrue(found["landing"]["swings"])
        (contact,) = found["contacts"]
        self.assertAlmostEqual(contact["approach_speed"], 1, places=12)
        self.assertEqual(contact["second"], "b")
        # Elastic along the only way on which it moves: everything reverses.
        for before, after in zip(found["u"], found["answers"][0]["u"]):
            self.assertAlmostEqual(after, -before, places=12)
        self.assertIn("taps at 1 m/s", run("impact", arm).stdout)

    def test_methods_all_at_once(self):
        crate = self.file("crate.xml", BOX)
        done = run("impact", crate, "--law", "frictionless", "--set", "e=0", "--method", "lcp", "--format", "json")
        if "Siconos" in done.stderr:
            self.skipTest("built without Siconos")
        found = json.loads(done.stdout)
        self.assertEqual(found["method"], "lcp")
        for speed in found["answers"][0]["u"]:
            self.assertAlmostEqual(speed, 0, places=9)

    def test_describe(self):
        done = run("impact", ROBOT, "--describe")
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("joint", "knee_rr", "hinge", "range", "keyframes: nothing", "loops: nothing", "armature", "foot_fl", "sphere"):
            self.assertIn(word, done.stdout)
        found = self.document(ROBOT, "--describe")
        self.assertEqual(found["format"], "MJCF")
        self.assertEqual(sum(j["speeds"] for j in found["joints"]), 18)
        self.refused(run("impact", "double-pendulum", "--describe"), "--describe", "--systems")

    def test_shapes_are_where_the_joints_put_them(self):
        """Against the composition of rotations by hand: the crate yaws by a, its lid turns by b about its own y."""
        a, b = 0.4, 0.7
        lid = """<body name='lid' pos='.3 0 .1'><joint name='hinge' axis='0 1 0'/>
          <geom name='flap' type='box' pos='.2 .05 0' size='.2 .1 .01' mass='1'/></body></body>"""
        crate = self.file("lid.xml", BOX.replace("</body>", lid).split("<keyframe>")[0] + "</mujoco>")
        root = f"root=1,2,3,{math.cos(a / 2)},0,0,{math.sin(a / 2)}"
        found = self.document(crate, "--q", root, "--q", f"hinge={-b}", "--list", "--shapes")
        box, flap = found["shapes"]
        self.assertEqual((box["kind"], box["body"], box["size"], box["margin"]), ("box", "crate", [0.3, 0.2, 0.1], 0))
        self.assertEqual((flap["name"], flap["body"], flap["fixed"], flap["collides"]), ("flap", "lid", False, True))
        self.assertEqual(box["position"], [1, 2, 3])
        yaw = [[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]]
        pitch = [[math.cos(b), 0, -math.sin(b)], [0, 1, 0], [math.sin(b), 0, math.cos(b)]]

        def times(A, v):
            return [sum(x * y for x, y in zip(row, v)) for row in A]

        columns = [times(yaw, column) for column in zip(*pitch)]
        at = [x + y for x, y in zip((0.3, 0, 0.1), times(pitch, (0.2, 0.05, 0)))]
        at = [x + y for x, y in zip(box["position"], times(yaw, at))]
        for x, y in zip(flap["position"], at):
            self.assertAlmostEqual(x, y, places=12)
        for row, expected in zip(flap["rotation"], zip(*columns)):
            for x, y in zip(row, expected):
                self.assertAlmostEqual(x, y, places=12)
        self.refused(run("impact", crate, "--shapes"), "--shapes", "json")
        self.refused(run("impact", crate, "--describe", "--shapes", "--format", "json"), "--shapes", "--describe")
        self.assertNotIn("shapes", self.document(crate, "--list"))

    def test_hull_is_where_it_landed(self):
        """A tetrahedron of alternate corners of a cube of edge 2 comes down on one of its edges, in the file's axes."""
        corners = [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)]
        vertex = " ".join(str(x) for corner in corners for x in corner)
        rock = self.file("rock.xml", f"""<mujoco><asset><mesh name='m' vertex='{vertex}'/></asset><worldbody>
          <body name='rock' pos='0 0 9'><freejoint name='root'/><geom name='rock' type='mesh' mesh='m' mass='1'/></body>
          </worldbody></mujoco>""")
        (shape,) = self.document(rock, "--list", "--shapes")["shapes"]
        self.assertEqual(shape["kind"], "hull")
        self.assertEqual(sorted(map(sorted, shape["faces"])), [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]])
        world = [[p + sum(r * x for r, x in zip(row, v)) for p, row in zip(shape["position"], shape["rotation"])]
                 for v in shape["vertices"]]
        self.assertEqual(len(world), 4)
        for x, y, z in corners:
            self.assertLess(min(math.dist(at, (x, y, z + 1)) for at in world), 1e-6)

    def test_joint_far_out_of_its_range_gets_a_hint_and_an_answer(self):
        # knee_fl ranges from -2.6 to 2.6: a tenth of that beyond is 3.12.
        for value, hinted in ((2.5, False), (3.1, False), (3.2, True), (-3.2, True)):
            found = self.document(ROBOT, "--q", f"knee_fl={value}", "--law", "frictionless")
            self.assertTrue(found["contacts"])
            self.assertEqual("hints" in found, hinted, value)
        self.assertEqual(len(found["hints"]), 1)
        for word in ("knee_fl", "-3.2 rad", "-2.6 to 2.6", "--q knee_fl="):
            self.assertIn(word, found["hints"][0])
        self.assertNotIn("radians", found["hints"][0])
        done = run("impact", ROBOT, "--q", "knee_fl=60", "--law", "frictionless")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("hint: joint knee_fl is at 60 rad", done.stdout)
        self.assertIn("in radians", done.stdout)

    def test_stated_contact_far_from_its_body_gets_a_hint_and_an_answer(self):
        # A ball of 0.1 m at the origin: the point is 0.15 m and 1.5 m from its surface, straight below.
        ball = self.file("ball.xml", "<mujoco><worldbody><body name='ball'><freejoint name='root'/><geom size='.1'/></body>"
                                     "</worldbody></mujoco>")
        for z, hinted in ((-0.25, False), (-1.6, True)):
            found = self.document(ball, "--contact", f"world:ball@0,0,{z}/0,0,1", "--u", "root=0,0,-1,0,0,0", "--law",
                                  "frictionless", "--set", "e=0.5")
            self.assertAlmostEqual(found["answers"][0]["u"][2], 0.5, places=12)
            self.assertEqual("hints" in found, hinted, z)
        for word in ("1.5 m", "ball", "0.1 m"):
            self.assertIn(word, found["hints"][0])

    def test_bodies_of_one_file_that_nothing_connects_have_no_ties(self):
        balls = "".join(f"<body name='b{i}' pos='{i} 0 1'><freejoint/><geom size='.1' mass='{i + 1}'/></body>" for i in range(4))
        scene = self.file("balls.xml", f"<mujoco><worldbody>{balls}</worldbody></mujoco>")
        found = self.document(scene, "--law", "frictionless")
        (answer,) = found["answers"]
        self.assertEqual((answer["ties"], answer["collisions"]), (0, 4))
        for i in range(4):
            self.assertAlmostEqual(answer["u"][6 * i + 2], 0.5, places=12)
        # Two that touch, one of which stands on the floor: the blow passes through both.
        stack = self.file("stack.xml", """<mujoco><worldbody><geom name='ground' type='plane' size='1 1 1'/>
          <body name='low' pos='0 0 .1'><freejoint name='low'/><geom size='.1' mass='1'/></body>
          <body name='high' pos='0 0 .3'><freejoint name='high'/><geom size='.1' mass='1'/></body></worldbody></mujoco>""")
        state = self.file("blow.toml", "[u]\nhigh = [0, 0, -1, 0, 0, 0]\n")
        (answer,) = self.document(stack, "--state", state, "--law", "frictionless", "--set", "e=1")["answers"]
        # Equal elastic balls exchange their velocities; the lower one returns from the floor and gives it back.
        self.assertAlmostEqual(answer["u"][2], 0, places=12)
        self.assertAlmostEqual(answer["u"][8], 1, places=12)

    def test_names_of_bodies_and_shapes_choose(self):
        crate = self.file("crate.xml", BOX.replace("size='.3 .2 .1'", "size='.3 .2 .1' euler='10 20 0'"))
        by_shape = self.document(crate, "--contact", "floor:box", "--law", "frictionless")
        by_body = self.document(crate, "--contact", "crate:floor", "--law", "frictionless")
        self.assertEqual(by_shape["chosen"], by_body["chosen"])

    def test_nothing_closes_says_why_and_what_to_type(self):
        state = self.file("rest.toml", "[q]\nroot = [0, 0, 0.1, 1, 0, 0, 0]\n")
        crate = self.file("crate.xml", BOX.replace("<worldbody>", "<worldbody><geom name='ground' type='plane' size='1 1 1'/>"))
        self.refused(run("impact", crate, "--state", state), "at rest", "--u", "--drop")
        self.refused(run("impact", crate, "--state", state, "--u", "root=0,0,1,0,0,0"), "separates at 1", "--u")
        self.refused(run("impact", crate, "--state", state, "--u", "root=1,0,0,0,0,0"), "slides")
        self.refused(run("impact", crate, "--state", state, "--q", "root=0,0,9,1,0,0,0"), "within reach", "--reach")

    def test_files_that_are_no_robots(self):
        self.refused(run("impact", self.file("a.stl", "solid x\nendsolid x\n")), "a.stl", "mesh")
        self.refused(run("impact", self.file("a.toml", "[q]\nknee = 1\n")), "a.toml:1", "--state")
        self.refused(run("impact", self.file("b.toml", "robt = 1\n")), "b.toml:1", "did you mean robot?")
        self.refused(run("impact", self.file("a.xml", "<html/>")), "<html>", "<mujoco>")
        self.refused(run("impact", self.file("a.urdf", "")), "empty")
        self.refused(run("impact", str(self.path) + "/"), "folder")
        typo = self.file("typo.urdf", "<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j' type='revolut'>"
                                      "<parent link='a'/><child link='b'/></joint></robot>")
        self.refused(run("impact", typo), "typo.urdf", "line 2", "did you mean revolute?")


if __name__ == "__main__":
    unittest.main()
