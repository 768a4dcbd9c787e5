"""Many contacts at once, from the command line: scenes, closed forms, ensembles, pictures, and scenes that are wrong."""

import csv
import json
import math
import unittest
import xml.dom.minidom

from many_contacts import BETWEEN_WALLS, STICKING, TWO_BALLS
from program import SCENES, ProgramTest, run

BUNDLED = ["cradle", "three-spheres", "falling-rod", "pool-break", "hinged-pendulum", "linkage", "rocking-block", "tower",
           "pile"]

# Three bricks hinged corner to corner in space; the last strikes a floor and the first a wall.
CHAIN = """
[law]
name = "routh"
e = 0.4
mu = 0.3
[[body]]
name = "ground"
fixed = true
[[body]]
name = "first"
mass = 2
inertia = [0.02, 0.03, 0.04]
position = [0.2, 0.1, 1]
orientation = [0.7, 0.1, 0.7, 0.1]
velocity = [0.3, -0.1, -1]
[[body]]
name = "second"
mass = 1
inertia = [0.01, 0.02, 0.015]
position = [0.5, 0.2, 0.7]
velocity = [0.3, -0.1, -1]
[[body]]
name = "third"
mass = 3
inertia = [0.05, 0.06, 0.02]
position = [0.7, -0.1, 0.2]
velocity = [0.3, -0.1, -1]
[[hinge]]
bodies = ["first", "second"]
point = [0.35, 0.2, 0.85]
[[hinge]]
bodies = ["third", "second"]
point = [0.6, 0.05, 0.5]
[[contact]]
bodies = ["ground", "third"]
point = [0.75, -0.15, 0]
normal = [0, 0, 1]
[[contact]]
bodies = ["ground", "first"]
point = [0.25, 0, 0.95]
normal = [0, 0.6, 0.8]
"""
# A door on two hinges: what each of them gets along their line is anybody's guess.
DOOR = """
[law]
name = "chatterjee-ruina"
e = 0.5
mu = 0.3
[[body]]
name = "frame"
fixed = true
[[body]]
name = "door"
mass = 20
inertia = [7, 8, 1.2]
position = [0.4, 0, 1]
velocity = [0, 0.4, 0]
angular_velocity = [0, 0, 1]
[[hinge]]
bodies = ["frame", "door"]
point = [0, 0, 0.2]
[[hinge]]
bodies = ["frame", "door"]
point = [0, 0, 1.8]
[[contact]]
bodies = ["frame", "door"]
point = [0.8, 0, 0.3]
normal = [0, -1, 0.1]
"""
PENDULUM = """
[law]
name = "frictionless"
e = 0.5
[[body]]
name = "frame"
fixed = true
[[body]]
name = "rod"
mass = 1
inertia = [0.08333333333333333, 0.08333333333333333, 0]
position = [0, 0, -0.5]
velocity = [-0.5, 0, 0]
angular_velocity = [0, 1, 0]
[[hinge]]
bodies = ["frame", "rod"]
point = [0, 0, 0]
[[contact]]
bodies = ["frame", "rod"]
point = POINT
normal = [1, 0, 0]
"""

ONE_BALL = """
[law]
name = "frictionless"
e = 0.5
[[body]]
name = "floor"
fixed = true
[[body]]
name = "ball"
shape = "sphere"
radius = 0.03
mass = 0.1
inertia = [3.6e-5, 3.6e-5, 3.6e-5]
position = [1, 2, 3]
velocity = [0, 0, -1]
[[contact]]
bodies = ["floor", "ball"]
point = POINT
normal = [0, 0, 1]
"""


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def inertia_times(body, omega):
    """The body's inertia, which is given in its own axes, times a vector in world axes."""
    w, *q = body["orientation"]
    size = w * w + sum(x * x for x in q)

    def turn(v, sign):  # v + 2 w (q x v) + 2 q x (q x v)
        t = [sign * x for x in cross(q, v)]
        return [x + 2 * (w * a + sign * b) / size for x, a, b in zip(v, t, cross(q, t))]

    own = turn(omega, -1)
    return turn([sum(a * x for a, x in zip(row, own)) for row in body["inertia"]], 1)


class Scenes(ProgramTest):
    def json(self, *arguments, text=None):
        done = run("simultaneous", *arguments, "--format", "json", text=text)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_every_bundled_scene_settles_by_name_and_by_file_alike(self):
        for name in BUNDLED:
            with self.subTest(name):
                by_name = self.json(name)
                self.assertEqual(by_name, self.json(SCENES / f"{name}.toml"))
                self.assertIn(by_name["status"], ["settled", "extrapolated", "truncated"])
                self.assertLessEqual(by_name["energy_change"], 1e-12)
                for contact in by_name["contacts"]:
                    self.assertGreaterEqual(contact["separation_speed_after"], -1e-10)
                    self.assertEqual(len(contact["impulse"]), 3)

    def test_keys_are_those_of_the_format(self):
        answer = self.json("three-spheres")
        self.assertEqual(list(answer), ["input", "status", "collisions", "ties", "energy_change", "permissible",
                                        "violated", "margins", "bodies", "contacts", "first_tie"])
        self.assertEqual(list(answer["bodies"][0]), ["name", "velocity", "angular_velocity"])
        self.assertEqual(list(answer["contacts"][0]), ["impulse", "separation_speed_before", "separation_speed_after",
                                                       "permissible", "violated", "margins"])

    def test_input_is_echoed_with_its_defaults(self):
        asked = self.json("-", text=STICKING.replace("mu_s = 1.0\n", ""))["input"]
        self.assertEqual(asked["contacts"], [{
            "bodies": ["floor", "leaning"], "point": [0, 0, 0], "normal": [0, 0, 1], "law": "routh",
            "parameters": {"e": 0.5, "mu": 0.2, "mu_s": 0.2, "restitution": "poisson"}}])
        self.assertEqual([asked[key] for key in ("method", "ties", "seed", "uncertainty", "tolerance", "extrapolation",
                                                 "max_collisions")],
                         ["sequence", "direction", 0, 1e-9, 1e-12, True, 10000100])
        body = asked["bodies"][1]
        self.assertEqual([body["name"], body["mass"], body["velocity"]], ["leaning", 1, [0, 0, -1]])
        self.assertTrue(asked["bodies"][0]["fixed"])

    def test_speeds_along_the_normal_are_of_separation(self):
        contact = self.json("-", text=TWO_BALLS)["contacts"][0]
        self.assertEqual(contact["separation_speed_before"], -1)
        self.assertAlmostEqual(contact["separation_speed_after"], 0.5, places=14)

    def test_routh_that_sticks_is_judged_by_its_static_friction(self):
        answer = self.json("-", text=STICKING)
        impulse = answer["contacts"][0]["impulse"]
        self.assertAlmostEqual(math.hypot(impulse[0], impulse[1]) / impulse[2], 0.6, places=12)
        self.assertTrue(answer["permissible"])
        self.assertEqual(answer["violated"], [])
        self.assertAlmostEqual(answer["margins"]["friction"], 0.4 * impulse[2], places=12)
        table = run("simultaneous", "-", text=STICKING).stdout
        self.assertIn("permissible: yes", table)
        # Brach's ratio of the same size is held to mu.
        gains = run("simultaneous", "-", "--law", "brach", "--set", "mu_2=0.6", "--set", "mu_3=0", text=STICKING)
        self.assertIn("no: ", gains.stdout)

    def test_ties_that_were_broken_are_said(self):
        answer = self.json("three-spheres")
        self.assertEqual(answer["ties"], 1)
        self.assertEqual(answer["first_tie"]["collision"], 1)
        self.assertEqual(sorted([answer["first_tie"]["chosen"], answer["first_tie"]["other"]]), [1, 2])
        table = run("simultaneous", "three-spheres").stdout
        self.assertIn("1 tie broken, the first at collision 1", table)
        self.assertIn("--ensemble", table)
        self.assertNotIn("--ensemble shows", run("simultaneous", "three-spheres", "--ensemble", 10).stdout)
        self.assertEqual(self.json("cradle:2")["ties"], 0)
        self.assertNotIn("tie", run("simultaneous", "cradle:2").stdout)

    def test_one_contact_is_not_several(self):
        self.assertIn(": 1 contact, 2 bodies\n", run("simultaneous", "-", text=TWO_BALLS).stdout)
        self.assertIn("2 contacts, 3 bodies", run("simultaneous", "three-spheres").stdout)
        self.assertIn("1 hinge ", run("simultaneous", "hinged-pendulum").stdout)

    def test_law_and_parameters_from_the_command_line(self):
        by_option = self.json("-", "--law", "smith", "--set", "mu=0.3", "--set", "e=0.25", text=TWO_BALLS)
        by_file = self.json("-", text=TWO_BALLS.replace("chatterjee-ruina", "smith").replace("mu = 0.1", "mu = 0.3")
                            .replace("e = 0.5", "e = 0.25"))
        self.assertEqual(by_option, by_file)
        self.assertEqual(by_option["input"]["contacts"][0]["parameters"], {"e": 0.25, "mu": 0.3})
        self.assertAlmostEqual(self.json("-", "--set", "e=1", text=TWO_BALLS)["bodies"][1]["velocity"][0], 1, places=14)
        self.refused(run("simultaneous", "cradle", "--law", "smyth"), "--law", "did you mean smith?")
        self.refused(run("simultaneous", "cradle", "--set", "e=2"), "--set", "between 0 and 1")
        self.refused(run("simultaneous", "cradle", "--law", "smith", "--set", "mu=-1"), "--set", "at least 0")
        self.refused(run("simultaneous", "cradle", "--set", "ee=1"), "--set", "unknown parameter")

    def test_csv_has_the_numbers_of_json(self):
        rows = list(csv.DictReader(run("simultaneous", "linkage", "--hinges", "both", "--format", "csv").stdout.splitlines()))
        answer = self.json("linkage", "--hinges", "both")
        for way, part in (("in sequence", answer), ("intact", answer["intact"])):
            mine = [row for row in rows if row["hinges"] == way]
            bodies = [row for row in mine if row["kind"] == "body"]
            self.assertEqual([row["name"] for row in bodies], [body["name"] for body in part["bodies"]])
            for row, body in zip(bodies, part["bodies"]):
                self.assertEqual([float(row[f"v_{k}"]) for k in "xyz"], body["velocity"])
                self.assertEqual([float(row[f"omega_{k}"]) for k in "xyz"], body["angular_velocity"])
            contacts = [row for row in mine if row["kind"] == "contact"]
            self.assertEqual(len(contacts), len(part["contacts"]))
            for row, contact in zip(contacts, part["contacts"]):
                self.assertEqual([float(row[f"P_{k}"]) for k in "xyz"], contact["impulse"])
                self.assertEqual(float(row["separation_speed_after"]), contact["separation_speed_after"])
                self.assertEqual(row["permissible"], "true")
            hinges = [row for row in mine if row["kind"] == "hinge"]
            self.assertEqual([[float(row[f"P_{k}"]) for k in "xyz"] for row in hinges],
                             [hinge["impulse"] for hinge in part["hinge_impulses"]])
        self.refused(run("simultaneous", "cradle", "--format", "csv", "--ensemble", 3), "--format", "csv")

    def test_scene_without_contacts_is_answered_with_a_hint(self):
        text = TWO_BALLS[:TWO_BALLS.index("[[contact]]")]
        answer = self.json("-", text=text)
        self.assertEqual(answer["contacts"], [])
        self.assertEqual(len(answer["hints"]), 1)
        for word in ("no contact", "[[contact]]", "bodies", "point", "normal"):
            self.assertIn(word, answer["hints"][0])
        self.assertIn("hint: " + answer["hints"][0], run("simultaneous", "-", text=text).stdout)
        csv_form = run("simultaneous", "-", "--format", "csv", text=text)
        self.assertEqual(csv_form.returncode, 0)
        self.assertEqual(csv_form.stderr, f"hint: {answer['hints'][0]}\n")
        self.assertNotIn("hint", csv_form.stdout)

    def test_contact_point_far_from_a_body_gets_a_hint(self):
        for name in [*BUNDLED, "crystal:4"]:
            self.assertNotIn("hints", self.json(name))
        # A ball of 30 mm: its surface, nine radii and eleven radii away, along the line of the impact.
        for away, hinted in ((0.03, False), (0.27, False), (0.33, True)):
            text = ONE_BALL.replace("POINT", f"[1, 2, {3 - away}]")
            answer = self.json("-", text=text)
            self.assertAlmostEqual(answer["bodies"][1]["velocity"][2], 0.5, places=12)  # central, and answered alike
            self.assertEqual("hints" in answer, hinted, away)
        for word in ("contact[1].point", "0.33 m", "ball", "0.03 m"):
            self.assertIn(word, answer["hints"][0])
        self.assertIn("hint: contact[1].point", run("simultaneous", "-", text=text).stdout)

    def test_output_goes_to_a_file(self):
        for kind in ("table", "json", "csv"):
            path = self.path / f"answer.{kind}"
            done = run("simultaneous", "cradle", "--format", kind, "-o", path)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            printed = run("simultaneous", "cradle", "--format", kind).stdout
            self.assertEqual(path.read_text(), printed)
            self.assertEqual(run("simultaneous", "cradle", "--format", kind, "-o", "-").stdout, printed)

    def test_which_body_the_impulse_acts_on_is_said(self):
        self.assertIn("acts on the second body", run("simultaneous", "--help").stdout)
        self.assertIn("acts on the second body", run("simultaneous", "cradle").stdout)

    def test_pile_is_thirty_contacts_of_eight_bodies_and_the_floor(self):
        answer = self.json("pile")
        self.assertEqual(len(answer["contacts"]), 30)
        self.assertEqual(len(answer["bodies"]), 9)
        self.assertEqual(len(self.json("pool-break")["contacts"]), 31)

    def test_cradle_of_n(self):
        for arguments in (["cradle:7"], ["cradle", "--balls", "7"]):
            answer = self.json(*arguments)
            speeds = [b["velocity"][0] for b in answer["bodies"]]
            self.assertEqual(len(speeds), 7)
            for got, expected in zip(speeds, [0] * 6 + [1]):
                self.assertAlmostEqual(got, expected, places=14)
        # Points that are computed differ in rounding from those that a file states.
        for counted, file in (("cradle:5", "cradle"), ("tower:5", "tower")):
            one, other = self.json(counted), self.json(file)
            self.assertEqual([one.pop("input")["contacts"][0]["law"]], [other.pop("input")["contacts"][0]["law"]])
            self.assertEqual(one, other)

    def test_falling_rod_has_its_closed_form(self):
        # a_{k+1} = (1+e)/2 a_k - e a_{k-1} with a_1 = 1, a_2 = (3+e)/2, until it is negative.
        e, a = 0.5, [1.0, 1.75]
        while a[-1] > 0:
            a.append((1 + e) / 2 * a[-1] - e * a[-2])
        answer = self.json("falling-rod")
        self.assertEqual(answer["collisions"], len(a) - 1)
        self.assertAlmostEqual(answer["bodies"][1]["velocity"][2], (e * a[-2] - a[-1]) / 2, places=12)

    def test_momentum_of_the_pool_break(self):
        answer = self.json("pool-break")
        for k, expected in enumerate([8, 0, 0]):
            self.assertAlmostEqual(math.fsum(b["velocity"][k] for b in answer["bodies"]), expected, places=12)

    def test_hinges_both_ways(self):
        answer = self.json("hinged-pendulum", "--hinges", "both")
        self.assertEqual(answer["hinges"], "in sequence")
        self.assertEqual(answer["intact"]["hinges"], "intact")
        self.assertEqual(answer["intact"]["collisions"], 1)
        # Sticking, so that the intact rod turns back at e times its speed; in sequence it comes to rest.
        self.assertAlmostEqual(answer["intact"]["bodies"][1]["angular_velocity"][1], -0.5, places=12)
        self.assertAlmostEqual(answer["bodies"][1]["angular_velocity"][1], 0, places=10)
        table = run("simultaneous", "linkage", "--hinges", "both").stdout
        self.assertIn("in sequence against the mechanism intact", table)

    def momentum_is_balanced(self, answer, part):
        """Of every free body: what it gained is what its contacts and hinges gave it."""
        asked = answer["input"]
        blows = ([(one["bodies"], one["point"], contact["impulse"]) for one, contact in zip(asked["contacts"], part["contacts"])]
                 + [(one["bodies"], one["point"], hinge["impulse"]) for one, hinge in zip(asked["hinges"], part["hinge_impulses"])])
        self.assertEqual(len(part["hinge_impulses"]), len(asked["hinges"]))
        scale = max(abs(x) for _, _, P in blows for x in P)
        self.assertGreater(scale, 0)
        for before, after in zip(asked["bodies"], part["bodies"]):
            if before["fixed"]:
                continue
            gained = [before["mass"] * (v - w) for v, w in zip(after["velocity"], before["velocity"])]
            turned = inertia_times(before, [v - w for v, w in zip(after["angular_velocity"], before["angular_velocity"])])
            for (first, second), point, P in blows:
                if before["name"] not in (first, second):
                    continue
                sign = 1 if before["name"] == second else -1
                arm = [x - c for x, c in zip(point, before["position"])]
                gained = [g - sign * p for g, p in zip(gained, P)]
                turned = [t - sign * m for t, m in zip(turned, cross(arm, P))]
            for left in gained + turned:
                self.assertAlmostEqual(left / scale, 0, delta=1e-11)

    def test_hinge_impulses_balance_the_momentum_of_every_link_in_sequence_and_intact(self):
        for scene, text in (("linkage", None), ("hinged-pendulum", None), ("-", CHAIN), ("-", DOOR)):
            with self.subTest(scene, text=text):
                answer = self.json(scene, "--hinges", "both", text=text)
                self.momentum_is_balanced(answer, answer)
                self.momentum_is_balanced(answer, answer["intact"])
                table = run("simultaneous", scene, "--hinges", "intact", text=text)
                self.assertIn("h1", table.stdout)
                self.assertEqual("not unique" in table.stdout, text == DOOR)
                self.assertEqual([hinge["unique"] for hinge in answer["intact"]["hinge_impulses"]],
                                 [text != DOOR] * len(answer["input"]["hinges"]))

    def test_hinge_of_a_pendulum_intact_has_its_closed_form(self):
        # A rod of 1 m and 1 kg that hangs from the origin, struck across at a distance s below it: the hinge gives
        # P (3 s / 2 - 1), nothing at the centre of percussion s = 2/3.
        for s in (0.25, 2 / 3, 1):
            text = PENDULUM.replace("POINT", f"[0, 0, {-s}]")
            answer = self.json("-", "--hinges", "intact", text=text)
            P = answer["contacts"][0]["impulse"]
            Q = answer["hinge_impulses"][0]["impulse"]
            self.assertGreater(P[0], 0.1)
            self.assertAlmostEqual(Q[0], P[0] * (1.5 * s - 1), places=12)
            self.assertAlmostEqual(math.hypot(Q[1], Q[2]), 0, places=12)

    def test_elastic_cycle_has_no_answer(self):
        answer = self.json("-", text=BETWEEN_WALLS)
        self.assertEqual(answer["status"], "does-not-settle")
        self.assertEqual(sorted(answer["cycle"]), [1, 2])
        self.assertIsNone(answer["bodies"][1]["velocity"])
        self.assertIn("cycle", answer["why"])
        self.assertIn("contacts 1 2", run("simultaneous", "-", text=BETWEEN_WALLS).stdout.replace("contacts 2 1", "contacts 1 2"))
        damped = self.json("-", text=BETWEEN_WALLS.replace("e = 1", "e = 0.75"))
        self.assertEqual(damped["status"], "extrapolated")
        self.assertAlmostEqual(damped["contacts"][0]["impulse"][0], -4, places=10)
        self.assertAlmostEqual(damped["contacts"][1]["impulse"][0], 3, places=10)

    def test_per_contact_law_and_parameters(self):
        own = TWO_BALLS + 'law = "frictionless"\ne = 1\n'
        self.assertAlmostEqual(self.json("-", text=own)["bodies"][1]["velocity"][0], 1, places=14)
        self.assertAlmostEqual(self.json("-", text=TWO_BALLS)["bodies"][1]["velocity"][0], 0.75, places=14)

    def test_seed_reproduces_and_threads_do_not_matter(self):
        for ties in ("random", "perturb"):
            one = run("simultaneous", "three-spheres", "--ties", ties, "--seed", 5, "--format", "json").stdout
            self.assertEqual(one, run("simultaneous", "three-spheres", "--ties", ties, "--seed", 5, "--format", "json").stdout)
            outcomes = {run("simultaneous", "three-spheres", "--ties", ties, "--seed", s).stdout for s in range(12)}
            self.assertGreater(len(outcomes), 1)
        wide = ["simultaneous", "pool-break", "--ensemble", 64, "--uncertainty", 1e-3, "--format", "json"]
        self.assertEqual(run(*wide, "--threads", 1).stdout, run(*wide, "--threads", 5).stdout)

    def test_ensemble_tells_determinate_from_not(self):
        both = self.json("three-spheres", "--ensemble", 400)["ensemble"]
        self.assertFalse(both["determinate"])
        self.assertEqual(both["distinct"], 2)
        self.assertAlmostEqual(sum(o["weight"] for o in both["outcomes"]), 1)
        self.assertEqual(both["members"], 400)
        self.assertTrue(self.json("cradle:2", "--ensemble", 20)["ensemble"]["determinate"])
        # The struck ball of two leaves at (1 + e)/2: with e between 0.9 and 1, between 0.95 and 1.
        spread = self.json("cradle:2", "--ensemble", 400, "--uncertainty-e", 0.1)["ensemble"]
        self.assertEqual(spread["contact_uncertainty"], {"e": 0.1, "mu": 0, "normal": 0, "point": 0})
        velocity = spread["bodies"][1]["velocity"]
        self.assertTrue(0.95 <= velocity["low"][0] < 0.951 and 0.999 < velocity["high"][0] <= 1.0001)
        table = run("simultaneous", "pool-break", "--ensemble", 100).stdout
        self.assertIn("2 distinct outcomes in 2 branches", table)
        self.assertIn("the answer is not determinate", table)

    def test_ensemble_tells_continuous_spread_from_branching(self):
        # A ball struck from both sides: whichever contact is first, there is a branch, and the uncertainty spreads both.
        for uncertainty in (1e-9, 0.02):
            both = self.json("three-spheres", "--ensemble", 400, "--uncertainty", uncertainty)["ensemble"]
            self.assertEqual((both["spread"], both["unexamined"]), ("branching", 0))
            self.assertEqual(len(both["branches"]), 2)
            self.assertEqual(sum(b["members"] for b in both["branches"]), 400)
            for branch in both["branches"]:
                self.assertAlmostEqual(branch["weight"], 0.5, delta=0.11)  # 4.5 standard deviations
            # The first contact names the branch, and the middle ball leaves to the side of the one that struck last.
            self.assertEqual(sorted(b["order"][0] for b in both["branches"]), [1, 2])
            for outcome in both["outcomes"]:
                self.assertEqual(outcome["order"][0], both["branches"][outcome["branch"] - 1]["order"][0])
        self.assertGreater(both["distinct"], 100)
        # One contact of two balls leaves at (1 + e)/2, whatever e is: no jump.
        smooth = self.json("cradle:2", "--ensemble", 400, "--uncertainty-e", 0.1)["ensemble"]
        self.assertGreater(smooth["distinct"], 100)
        self.assertEqual(smooth["spread"], "continuous")
        self.assertEqual([(b["members"], b["weight"]) for b in smooth["branches"]], [(400, 1)])
        self.assertIn("in one branch, a continuous spread",
                      run("simultaneous", "cradle:2", "--ensemble", 50, "--uncertainty-e", 0.1).stdout)
        self.assertEqual(self.json("cradle:2", "--ensemble", 20)["ensemble"]["spread"], "none")

    def test_picture(self):
        for name in BUNDLED:
            path = self.path / f"{name}.svg"
            done = run("simultaneous", name, "--svg", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            picture = xml.dom.minidom.parse(str(path))
            texts = [t.firstChild.data for t in picture.getElementsByTagName("text")]
            self.assertIn("before", texts)
            self.assertIn("after", texts)
            self.assertNotIn("nan", path.read_text())
        balls = xml.dom.minidom.parse(str(self.path / "pool-break.svg")).getElementsByTagName("circle")
        self.assertEqual(len(balls), 2 * (16 + 31))

    def test_list_and_help(self):
        self.assertIn("pool-break", run("simultaneous").stdout)
        self.assertIn("Examples:", run("simultaneous", "--help").stdout)


class BadScenes(ProgramTest):
    CASES = {
        # name: (what is replaced, by what, parts of the message)
        "missing body": ('["cue", "one"]', '["cue", "two"]', [":16:", "contact[1].bodies", '"two"', "no body has this name"]),
        "mistyped body": ('["cue", "one"]', '["cue", "onne"]', [":16:", "did you mean one?"]),
        "a body twice": ('["cue", "one"]', '["cue", "cue"]', [":16:", "contact[1].bodies", "two different bodies"]),
        "numbers for names": ('["cue", "one"]', "[0, 1]", [":16:", "must be the names of two bodies"]),
        "three bodies": ('["cue", "one"]', '["cue", "one", "cue"]', [":16:", "two bodies"]),
        "no bodies": ('bodies = ["cue", "one"]\n', "", [":15:", "contact[1].bodies", "missing"]),
        "zero normal": ("normal = [1, 0, 0]", "normal = [0, 0, 0]", [":18:", "contact[1].normal", "zero"]),
        "no normal": ("normal = [1, 0, 0]", "", [":15:", "contact[1].normal", "missing"]),
        "normal of two": ("normal = [1, 0, 0]", "normal = [1, 0]", [":18:", "contact[1].normal", "three numbers"]),
        "infinite point": ("[0.028, 0, 0]", "[inf, 0, 0]", [":17:", "contact[1].point", "finite"]),
        "unknown key": ("normal =", "nromal =", ["contact[1].normal", "missing"]),
        "unknown contact key": ("normal = [1, 0, 0]", "normal = [1, 0, 0]\nnu_2 = 3", [":19:", "nu_2", "did you mean"]),
        "unknown body key": ("position =", "positoin =", [":14:", "positoin", "did you mean position?"]),
        "unknown top key": ("[law]", "tittle = 1\n[law]", [":1:", "tittle", "did you mean title?"]),
        "duplicate name": ('name = "one"', 'name = "cue"', [":11:", "body[2].name", "taken by body 1"]),
        "empty name": ('name = "one"', 'name = ""', [":11:", "must not be empty"]),
        "negative mass": ("mass = 0.17", "mass = -0.17", [":7:", "body[1].mass", "-0.17"]),
        "no mass": ("mass = 0.17\n", "", [":5:", "body[1].mass", "missing"]),
        "impossible inertia": ("[4.6e-5, 4.6e-5, 4.6e-5]", "[1, 1, 5]", [":8:", "body[1].inertia", "larger than the sum"]),
        "unknown law": ("chatterjee-ruina", "chaterjee-ruina", [":2:", "contact[1].law", "did you mean chatterjee-ruina?"]),
        "law out of range": ("e = 0.5", "e = 1.5", [":3:", "contact[1].e", "1.5", "between 0 and 1"]),
        "law needs more": ("mu = 0.1", "", ["contact[1].mu", "needed by chatterjee-ruina"]),
        "no law": ('name = "chatterjee-ruina"', "", ["contact[1].law", "missing"]),
        "law parameter of its own": ("normal = [1, 0, 0]", "normal = [1, 0, 0]\nmu = -1", [":19:", "contact[1].mu", "-1"]),
        "both fixed": ("mass = 0.17", "fixed = true\nmass = 0.17", ["contact[1].bodies", "both fixed"]),
        "not TOML": ("[[contact]]", "[[contact", ["not valid TOML"]),
        "contact is no table": ("[[contact]]", "[contact]", ["contact", "must be tables [[contact]]"]),
        "shape": ('name = "cue"', 'name = "cue"\nshape = "cone"', [":7:", "body[1].shape", "sphere, box, rod, plane, capsule, cylinder, disc, wheel, ellipsoid, mesh or height-field"]),
        "radius without shape": ('name = "cue"', 'name = "cue"\nradius = 1', [":7:", "body[1].radius", "belongs to a shape"]),
        "sphere without radius": ('name = "cue"', 'name = "cue"\nshape = "sphere"', ["body[1].radius", "missing"]),
        "hinge to nobody": ("[[contact]]", '[[hinge]]\nbodies = ["cue", "x"]\npoint = [0, 0, 0]\n[[contact]]',
                            [":16:", "hinge[1].bodies", "no body has this name"]),
    }

    def test_each_is_refused_with_its_line(self):
        for name, (old, new, parts) in self.CASES.items():
            with self.subTest(name):
                text = TWO_BALLS.replace(old, new) if name == "both fixed" else TWO_BALLS.replace(old, new, 1)
                self.assertNotEqual(text, TWO_BALLS)
                path = self.file("scene.toml", text)
                self.refused(run("simultaneous", path), "scene.toml", *parts)

    def test_scenes_and_options_that_are_not_there(self):
        self.refused(run("simultaneous", "cradel"), "did you mean cradle?")
        self.refused(run("simultaneous", "nothing.toml"), "cannot be opened")
        self.refused(run("simultaneous", "cradle:x"), "cradle:n")
        self.refused(run("simultaneous", "pile:3"), "takes no number")
        self.refused(run("simultaneous", "pile", "--balls", 3), "--balls")
        self.refused(run("simultaneous", "-", text=""), "is empty")
        self.refused(run("simultaneous", "cradle", "--tolerance", 5), "--tolerance", "between 0 and 0.1")
        self.refused(run("simultaneous", "cradle", "--ensemble", 5, "--uncertainty", 5), "--uncertainty")
        self.assertEqual(run("simultaneous", "cradle", "--ties", "coin").returncode, 2)
        self.refused(run("simultaneous", "cradle", "--ensemble", 5, "--uncertainty-normal", 5), "--uncertainty-normal")
        self.refused(run("simultaneous", "cradle", "--uncertainty-e", 0.1), "goes with --ensemble")
        self.assertEqual(run("simultaneous", "cradle", "--ensemble", 0).returncode, 2)
        for seed in (-1, 2**64, 1.5, "x"):
            done = run("simultaneous", "cradle", "--seed", seed)
            self.assertEqual(done.returncode, 2, seed)
            self.assertIn("--seed", done.stderr)
        self.assertEqual(run("simultaneous", "cradle", "--seed", 2**64 - 1).returncode, 0)

    def test_speeds_beyond_double_precision_are_no_answer(self):
        for method in ("sequence", "lcp"):
            done = run("simultaneous", "-", "--method", method, text=TWO_BALLS.replace("[1, 0, 0]", "[1e200, 0, 0]", 1))
            self.refused(done, "contact[1].V", "double precision")

    def test_hinge_that_is_already_broken_cannot_be_intact(self):
        text = (SCENES / "hinged-pendulum.toml").read_text().replace("velocity = [-0.4", "velocity = [-0.5", 1)
        path = self.file("broken.toml", text)
        self.refused(run("simultaneous", path, "--hinges", "intact"), "broken.toml:25:", "hinge[1]", "move apart")
        self.assertEqual(run("simultaneous", path).returncode, 0)


if __name__ == "__main__":
    unittest.main()
