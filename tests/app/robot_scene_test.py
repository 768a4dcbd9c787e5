"""Scenes with robots and bodies: docs/robots.md."""

import json
import math
import os
import unittest
from pathlib import Path

from program import ProgramTest, run

MODELS = Path(os.environ["RICOCHET_MODELS"])
HAVE_MODELS = os.environ["RICOCHET_HAVE_MODELS"] == "ON"
needs_distances = unittest.skipUnless(os.environ["RICOCHET_HAVE_FCL"] == "ON", "built without FCL, which finds balls on boxes")

FLOOR = "[[body]]\nname = 'floor'\nfixed = true\nshape = 'plane'\n"
# The same brick as a body and as a robot file.
BRICK = """[[body]]
name = 'brick'
shape = 'box'
size = [0.6, 0.4, 0.2]
mass = 3
position = [0.1, 0.2, 0.5]
velocity = [0.3, -0.2, -1]
angular_velocity = [0.5, 1, -0.7]
"""
BRICK_FILE = """<mujoco><worldbody><body name='brick'><freejoint name='root'/>
  <geom name='box' type='box' size='.3 .2 .1' mass='3'/></body></worldbody></mujoco>"""
BRICK_ROBOT = """[[robot]]
name = 'r'
file = 'brick.xml'
position = [0.1, 0.2, 0.5]
velocity = [0.3, -0.2, -1]
angular_velocity = [0.5, 1, -0.7]
"""
# Touches the brick from above, off its centre.
BALL = """[[body]]
name = 'ball'
shape = 'sphere'
radius = 0.1
mass = 0.7
position = [0.2, 0.25, 0.7]
velocity = [0, 0.1, -3]
angular_velocity = [2, 0, 1]
"""
CONTACT = "[[contact]]\nbodies = ['brick', 'ball']\npoint = [0.2, 0.25, 0.6]\nnormal = [0, 0, 1]\n"
LAW = "[law]\ne = 0.6\nmu = 0.3\n"


class RobotSceneTest(ProgramTest):
    def document(self, command, *arguments):
        done = run(command, *arguments, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def speeds(self, document, answer, name):
        for joint in document["joints"]:
            if joint["name"] == name:
                return answer["u"][joint["u"]:joint["u"] + joint["speeds"]]
        self.fail(name)

    def assert_near(self, found, expected, tolerance=1e-12):
        self.assertEqual(len(found), len(expected))
        for a, b in zip(found, expected):
            self.assertAlmostEqual(a, b, delta=tolerance)


class Bodies(RobotSceneTest):
    @needs_distances
    def test_contacts_are_found_and_answers_are_those_of_stated_ones(self):
        found = self.file("found.toml", LAW + BRICK + BALL)
        stated = self.file("stated.toml", LAW + "name = 'routh'\n" + BRICK + BALL + CONTACT)
        for law in ("frictionless", "chatterjee-ruina", "routh", "smith"):
            ours = self.document("impact", found, "--law", law, "--contacts", "all")
            theirs = self.document("simultaneous", stated, "--law", law)
            (contact,) = ours["contacts"]
            self.assert_near(contact["point"], [0.2, 0.25, 0.6])
            (answer,) = ours["answers"]
            for body in theirs["bodies"]:
                self.assert_near(self.speeds(ours, answer, body["name"]), body["velocity"] + body["angular_velocity"])
            self.assertAlmostEqual(answer["energy_change"], theirs["energy_change"], delta=1e-12)
            # Stated contacts in a scene for impact: the same again.
            again = self.document("impact", stated, "--law", law, "--contacts", "all")
            self.assert_near(again["answers"][0]["u"], answer["u"])

    def test_a_contact_has_its_own_law_unless_one_is_asked(self):
        own = self.file("own.toml", LAW + BRICK + BALL + CONTACT + "law = 'routh'\nmu = 0\n")
        (answer,) = self.document("impact", own)["answers"]
        self.assertEqual(answer["law"], "routh")
        self.assert_near(answer["P"][:2], [0, 0])
        (asked,) = self.document("impact", own, "--law", "frictionless")["answers"]
        self.assertEqual(asked["law"], "frictionless")
        together = self.document("impact", own, "--contacts", "all", "--law", "routh", "--set", "e=0")
        self.assert_near(together["answers"][0]["contacts"][0]["P"][:2], [0, 0])

    @needs_distances
    def test_what_is_hit_presses_on_the_floor(self):
        # A ball falls on the middle of a slab that lies on the floor: plastic, everything stops.
        slab = "[[body]]\nname = 'slab'\nshape = 'box'\nsize = [1, 1, 0.1]\nmass = 2\nposition = [0, 0, 0.05]\n"
        ball = "[[body]]\nname = 'ball'\nshape = 'sphere'\nradius = 0.1\nmass = 1\nposition = [0, 0, 0.2]\nvelocity = [0, 0, -2]\n"
        scene = self.file("slab.toml", "[law]\ne = 0\nmu = 0.5\n" + FLOOR + slab + ball)
        found = self.document("impact", scene, "--law", "frictionless")
        self.assertEqual(len(found["struck"]), 5)
        (answer,) = found["answers"]
        self.assert_near(answer["u"], [0] * 12, 1e-9)
        self.assertAlmostEqual(answer["energy_change"], -2, delta=1e-9)
        normal = sum(abs(c["P"][2]) for c in answer["contacts"])
        self.assertAlmostEqual(normal, 4, delta=1e-9)  # 2 N s through the ball's contact, 2 N s through the corners

    def test_at_rest_a_scene_lands(self):
        scene = self.file("drop.toml", LAW + FLOOR + BRICK.replace("velocity = [0.3, -0.2, -1]\n", "")
                          .replace("angular_velocity = [0.5, 1, -0.7]\n", "").replace("angular_", ""))
        found = self.document("impact", scene, "--law", "frictionless", "--height", "0.5")
        self.assertAlmostEqual(found["landing"]["lowered"], 0.4, delta=1e-12)
        self.assertAlmostEqual(found["u"][2], -math.sqrt(9.81), delta=1e-12)
        self.assertEqual(len(found["struck"]), 4)
        moon = self.file("moon.toml", "gravity = [0, 0, -1.62]\n" + scene.read_text())
        self.assertAlmostEqual(self.document("impact", moon, "--height", "0.5", "--law", "frictionless")["u"][2],
                               -math.sqrt(1.62), delta=1e-12)

    def test_mistakes_are_named(self):
        def refused(text, *parts):
            self.refused(run("impact", self.file("bad.toml", text)), "bad.toml", *parts)

        refused("", "empty")
        refused("title = 'nothing'\n", "[[robot]] or [[body]]")
        refused(BRICK + BRICK, "body[2].name", "is taken by body 1")
        refused(BRICK + "[[robot]]\nname = 'brick'\nfile = 'a.xml'\n", "is taken by a robot")
        refused(BRICK + BALL + CONTACT.replace("ball", "bal"), "contact[1]", "bal", "did you mean ball?")
        refused(BRICK + BALL + CONTACT.replace("[0, 0, 1]", "[0, 0, 0]"), "contact[1].normal", "not zero")
        refused(BRICK + BALL + CONTACT + "law = 'ruth'\n", "contact[1]", "did you mean routh?")
        refused("[[robot]]\nname = 'r'\n", "bad.toml:1", "robot[1].file", "missing")
        refused("[[robot]]\nfile = 'absent.urdf'\n", "bad.toml:1", "robot[1].file", "absent.urdf")
        refused("[[robot]]\nfile = 'a.xml'\nbase = 'loose'\n", "bad.toml:3", "free or fixed")
        refused("[[robot]]\nfile = 'a.xml'\npositon = [0, 0, 1]\n", "bad.toml:3", "did you mean position?")
        refused("[[robot]]\nfile = 'a.xml'\nvelocity = [0, 0, nan]\n", "robot[1].velocity", "finite")
        refused(BRICK + "[[hinge]]\nbodies = ['brick', 'ball']\npoint = [0, 0, 0]\n", "hinge", "whose contacts are stated")
        refused(BRICK + FLOOR.replace("fixed = true", "fixed = true\nvelocity = [1, 0, 0]"), "body[2].velocity", "fixed")
        scene = self.file("fine.toml", LAW + BRICK + BALL)
        self.refused(run("impact", scene, "--state", scene), "--state", "a scene states it")
        self.refused(run("impact", scene, "--key", "home"), "--key")


@unittest.skipUnless(HAVE_MODELS, "built without MuJoCo")
class Robots(RobotSceneTest):
    @needs_distances
    def test_a_body_and_a_robot_file_of_it_are_the_same(self):
        self.file("brick.xml", BRICK_FILE)
        as_body = self.file("body.toml", LAW + BRICK + BALL)
        as_robot = self.file("robot.toml", LAW + BRICK_ROBOT + BALL)
        for law in ("frictionless", "chatterjee-ruina", "routh", "smith"):
            body = self.document("impact", as_body, "--law", law)
            robot = self.document("impact", as_robot, "--law", law)
            # Here the brick is turned as the world is, so that both kinds of angular velocity are the same.
            self.assert_near(self.speeds(robot, robot["answers"][0], "r/root"),
                             self.speeds(body, body["answers"][0], "brick"))
            self.assert_near(self.speeds(robot, robot["answers"][0], "ball"),
                             self.speeds(body, body["answers"][0], "ball"))

    @needs_distances
    def test_a_turned_scene_has_the_turned_answer(self):
        # A quarter turn about x, then about z: x to y, y to z, z to x. Bodies, robot and velocities together.
        def turned(text):
            out = []
            for line in text.splitlines():
                key = line.split("=")[0].strip()
                if key in ("position", "velocity", "angular_velocity"):
                    x, y, z = json.loads(line.split("=")[1])
                    line = f"{key} = [{z}, {x}, {y}]"
                out.append(line)
            return "\n".join(out) + "\norientation = [0.5, 0.5, 0.5, 0.5]\n"

        self.file("brick.xml", BRICK_FILE)
        plain = self.document("impact", self.file("a.toml", LAW + BRICK_ROBOT + BALL), "--law", "routh")
        other = self.document("impact", self.file("b.toml", LAW + turned(BRICK_ROBOT) + turned(BALL)), "--law", "routh")
        before, after = (self.speeds(d, d["answers"][0], "ball") for d in (plain, other))
        turn = lambda v: [v[2], v[0], v[1]]
        self.assert_near(after, turn(before[:3]) + turn(before[3:]))
        before, after = (self.speeds(d, d["answers"][0], "r/root") for d in (plain, other))
        self.assert_near(after, turn(before[:3]) + before[3:])  # a robot's angular velocity is in axes of its root

    def test_two_robots_apart_land_as_each_alone(self):
        for first, second in (("quadruped.xml", "quadruped.xml"), ("quadruped.xml", "quadruped.urdf")):
            scene = self.file("two.toml", f"[law]\ne = 0.5\nmu = 0.5\n[[robot]]\nname = 'a'\nfile = '{MODELS / first}'\n"
                              f"[[robot]]\nname = 'b'\nfile = '{MODELS / second}'\nposition = [0, 3, 0]\n")
            both = self.document("impact", scene, "--law", "routh")
            self.assertEqual(len(both["struck"]), 8)
            u, energy = [], 0
            for model in (first, second):
                alone = self.document("impact", MODELS / model, "--law", "routh")
                u += alone["answers"][0]["u"]
                energy += alone["answers"][0]["energy_change"]
            self.assert_near(both["answers"][0]["u"], u, 1e-11)
            self.assertAlmostEqual(both["answers"][0]["energy_change"], energy, delta=1e-11)

    @needs_distances
    def test_one_foot_on_a_crate(self):
        found = self.document("simultaneous", MODELS / "step.toml", "--law", "routh")
        self.assertEqual(found["contacts"][-1]["second"], "crate")
        self.assertEqual(len(found["struck"]), 5)
        (answer,) = found["answers"]
        # The crate gets what the foot gives and what the floor gives; P acts on the second body.
        P = [sum(c["P"][k] for c in answer["contacts"]) for k in range(3)]
        self.assert_near([2 * v for v in self.speeds(found, answer, "crate")[:3]], P, 1e-10)
        self.assertLess(answer["energy_change"], 0)
        shown = run("impact", MODELS / "step.toml", "--law", "routh")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        for word in ("5 contacts touch, of which 1 closes, and are resolved together", "dog/foot_fl:crate", "dog/knee_rr"):
            self.assertIn(word, shown.stdout)
        described = self.document("impact", MODELS / "step.toml", "--describe")
        self.assertIn({"name": "crate", "parent": "world", "mass": 2}, described["bodies"])
        self.assertEqual([s["kind"] for s in described["shapes"] if s["name"] == "crate"], ["box"])
        self.assertEqual(sum(j["speeds"] for j in described["joints"]), 24)
        self.refused(run("simultaneous", MODELS / "step.toml", "--svg", self.path / "x.svg"), "--svg", "robots")

    def test_an_arm_is_mounted_where_the_scene_says(self):
        # Turned by half a turn about z and raised, with the contact turned and raised too.
        arm = f"[law]\ne = 0.5\nmu = 0.3\n[[robot]]\nname = 'arm'\nfile = '{MODELS / 'double_pendulum.xml'}'\n" \
              "q = { shoulder = 0.5, elbow = -0.8 }\nu = { shoulder = -1 }\n"
        contact = "[[contact]]\nbodies = ['world', 'arm/lower']\nnormal = [0, 0, 1]\n"
        plain = self.document("impact", self.file("a.toml", arm + contact + "point = [0.183905, 0, -1.832919]\n"))
        moved = self.document("impact", self.file("b.toml", arm + "position = [1, 2, 3]\norientation = [0, 0, 0, 1]\n" + contact
                                                  + "point = [0.816095, 2, 1.167081]\n"))
        single = self.document("impact", MODELS / "double_pendulum.xml", "--q", "shoulder=0.5,elbow=-0.8", "--u", "shoulder=-1",
                               "--contact", "world:lower@0.183905,0,-1.832919/0,0,1", "--set", "e=0.5", "--set", "mu=0.3")
        for a, b, c in zip(plain["answers"], moved["answers"], single["answers"]):
            self.assertEqual("error" in a, "error" in b)
            self.assertEqual("error" in a, "error" in c)
            if "error" in a:
                continue
            self.assert_near(a["u"], c["u"], 1e-10)
            self.assert_near(b["u"], c["u"], 1e-10)
        self.refused(run("impact", self.file("c.toml", arm + "velocity = [0, 0, 1]\n")), "robot[1].velocity", "floating root")


if __name__ == "__main__":
    unittest.main()
