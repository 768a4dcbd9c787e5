"""Reports: one HTML file that needs nothing else and says what the program says."""

import json
import os
import re
import unittest
from html.parser import HTMLParser
from pathlib import Path

from many_contacts import BETWEEN_WALLS, STICKING
from program import COLLISIONS, LAWS, SCENES, ProgramTest, run

MODELS = Path(os.environ["RICOCHET_MODELS"])
TRUE = {"ON", "TRUE", "1", "YES"}
HAVE_MODELS = os.environ.get("RICOCHET_HAVE_MODELS", "").upper() in TRUE
HAVE_SICONOS = os.environ.get("RICOCHET_HAVE_COMPLEMENTARITY", "").upper() in TRUE
SYSTEMS = ["single-pendulum", "double-pendulum", "double-pendulum-relative", "inclined-bar", "planar-body", "spatial-body",
           "two-spheres"]
BUNDLED = ["cradle", "three-spheres", "falling-rod", "pool-break", "hinged-pendulum", "linkage", "rocking-block", "tower",
           "pile"]

VOID = {"meta", "br", "hr", "img", "link", "input", "rect", "circle", "path"}


class Checker(HTMLParser):
    """Tags must close in order; nothing may be fetched; ids must be one of a kind."""

    def __init__(self):
        super().__init__()
        self.open, self.faults, self.ids, self.cells, self.text = [], [], [], [], ""

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        for key in ("src", "href"):
            if key in attributes and not attributes[key].startswith("#"):
                self.faults.append(f"{tag} fetches {attributes[key]}")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> out of order")

    def handle_data(self, data):
        self.text += data


def check(test, path):
    text = Path(path).read_text()
    checker = Checker()
    checker.feed(text)
    test.assertEqual(checker.faults, [])
    test.assertEqual(checker.open, [])
    test.assertEqual(len(checker.ids), len(set(checker.ids)))
    test.assertIsNone(re.search(r"[\s\"(>](nan|inf)[\s\")<]", text))
    test.assertNotIn("<script", text)
    return text


class Report(ProgramTest):
    def write(self, *arguments):
        path = self.file("report.html", "")
        done = run("report", *arguments, "-o", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"{path}\n")
        return check(self, path)

    def test_default_names_every_law(self):
        text = self.write()
        for law in LAWS:
            self.assertIn(f"<td>{law}</td>", text)
        self.assertIn("plank", text)
        self.assertGreaterEqual(text.count("<svg"), 6)

    def test_motion_is_added(self):
        document = {"ricochet": "motion", "version": 1, "title": "a <ball>",
                    "bodies": [{"name": "ball", "fixed": False, "shapes": [{"kind": "sphere", "radius": 0.1}]}],
                    "times": [0, 0.5, 2], "poses": [0, 0, 0, 1, 0, 0, 0] * 3,
                    "events": [{"time": 0.5, "kind": "impact", "body_a": 0, "body_b": 0, "point": [0, 0, 0],
                                "n": [0, 0, 1], "P": [0, 0, 1], "energy_change": -1}]}
        text = self.write("--motion", self.file("motion.json", json.dumps(document)))
        self.assertIn("Motion: a &lt;ball&gt;</h2>", text)
        self.assertIn("until 2 s: 1 event (1 impact)", text)
        self.assertEqual(text.count("<iframe"), 1)
        self.assertIn("plank", text)
        plain = self.write()
        self.assertNotIn("<iframe", plain)

    def test_scene_in_motion_is_named_as_such(self):
        for scene in sorted((SCENES / "motion").glob("*.toml")):
            done = run("report", scene, "-o", self.path / "r.html")
            self.refused(done, f"{scene.name}: states no contact: it is for ricochet simulate")

    def test_file_without_motion_is_refused(self):
        for text in ("", "[]", '{"ricochet": 3}', "not JSON"):
            done = run("report", "--motion", self.file("a.json", text), "-o", self.path / "r.html")
            self.refused(done, "a.json: is not a motion document; simulate --motion writes one")
        done = run("report", "--motion", self.file("a.json", '{"ricochet":"motion"}'), "-o", self.path / "r.html")
        self.refused(done, "a.json: times: must be")
        self.refused(run("report", "--motion", self.path / "none.json", "-o", self.path / "r.html"), "none.json")
        self.assertFalse((self.path / "r.html").exists())

    def test_every_collision_of_the_scenes(self):
        for scene in COLLISIONS:
            if "[[contact]]" not in scene.read_text():
                self.write(scene)

    def test_numbers_are_those_of_collide(self):
        scene = SCENES / "planar.toml"
        row = re.search(r"<td>routh</td>(.*?)</tr>", self.write(scene)).group(1)
        cells = re.findall(r"<td[^>]*>(.*?)</td>", row)
        answer = json.loads(run("collide", scene, "--law", "routh", "--format", "json").stdout)
        answer = answer["answers"][0] if "answers" in answer else answer
        self.assertEqual(cells[0], "yes")
        self.assertAlmostEqual(float(cells[5]), answer["energy_change"], delta=1e-4 * abs(answer["energy_change"]))
        self.assertAlmostEqual(float(cells[1]), answer["P"][0], delta=1e-4 * abs(answer["P"][0]))

    def test_text_of_others_is_escaped(self):
        scene = (SCENES / "planar.toml").read_text().replace('"generic planar collision"', '"<script>alert(1)</script> & \\"x\\""')
        text = self.write(self.file("odd.toml", scene))
        self.assertIn("&lt;script&gt;", text)

    def test_bad_requests(self):
        for arguments, words in ((["nowhere.toml"], "nowhere.toml"), ([SCENES / "planar.toml", "--law", "nobody"], "nobody"),
                                 ([SCENES / "planar.toml", "--set", "e=2"], "must be between 0 and 1"),
                                 ([SCENES / "planar.toml", "--law", "bilinear"], "must be diagonal")):
            path = self.file("report.html", "old")
            done = run("report", *arguments, "-o", path)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)
            self.assertEqual(Path(path).read_text(), "old")


def section(text, name):
    return re.search(rf'<section id="{name}">(.*?)</section>', text, re.S).group(1)


def rows(text):
    """Cells of each row of a table, by the first of them."""
    out = {}
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", text, re.S):
        cells = re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)
        if cells:
            out.setdefault(cells[0], cells)
    return out


def vector(cell):
    return [float(x) for x in cell.strip("()").split(",")]


class PageTest(ProgramTest):
    def write(self, *arguments):
        path = self.file("report.html", "")
        done = run("report", *arguments, "-o", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return check(self, path)

    def near(self, a, b, scale=1):
        self.assertAlmostEqual(a, b, delta=1e-4 * max(abs(b), 1e-9 * scale))

    def refused(self, words, *arguments):
        path = self.file("report.html", "old")
        done = run("report", *arguments, "-o", path)
        self.assertEqual(done.returncode, 2, arguments)
        self.assertIn(words, done.stderr)
        self.assertEqual(Path(path).read_text(), "old")


class Mechanisms(PageTest):
    def compare(self, text, arguments):
        answer = json.loads(run("impact", *arguments, "--format", "json").stdout)
        table = rows(section(text, "laws"))
        answered = 0
        for one in answer["answers"]:
            cells = table[one["law"]]
            if "error" in one:
                self.assertTrue(cells[1].startswith("no answer"), cells)
                continue
            answered += 1
            self.assertEqual(cells[1] == "yes", one["permissible"])
            self.near(float(cells[6]), one["energy_change"])
            self.assertEqual(cells[9], one["mode"])
        self.assertGreater(answered, 4)
        chosen = next(one for one in answer["answers"] if one["law"] == "routh")
        speeds = rows(section(text, "speeds"))
        for joint in answer["joints"]:
            for i in range(joint["speeds"]):
                name = joint["name"] if joint["name"] in speeds else f"{joint['name']}[{i}]"
                self.near(float(speeds[name][2]), answer["u"][joint["u"] + i], max(map(abs, answer["u"])))
                self.near(float(speeds[name][3]), chosen["u"][joint["u"] + i], max(map(abs, chosen["u"])))
            # A component of a quaternion stands beside no speed.
            positions = min([j["q"] for j in answer["joints"] if j["q"] > joint["q"]] + [len(answer["q"])]) - joint["q"]
            lengths = positions if positions == joint["speeds"] else positions - 4
            for i in range(joint["speeds"]):
                name = joint["name"] if joint["name"] in speeds else f"{joint['name']}[{i}]"
                if i < lengths:
                    self.near(float(speeds[name][1]), answer["q"][joint["q"] + i], max(map(abs, answer["q"])))
                else:
                    self.assertEqual(speeds[name][1], "")
            for i in range(lengths, positions):
                cells = speeds[f"{joint['name']}, quaternion {'wxyz'[i - lengths]}"]
                self.near(float(cells[1]), answer["q"][joint["q"] + i])
                self.assertEqual(cells[2:], ["", "", ""])
        for one in answer.get("planar", []):
            cells = rows(section(text, "planar"))[one["law"]]
            self.near(float(cells[2]), one["p_n"])
            self.near(float(cells[6]), one["energy_change"])

    def test_numbers_are_those_of_impact(self):
        for system in SYSTEMS:
            arguments = [system, "--set", "e=0.5", "--set", "mu=0.3"]
            text = self.write(*arguments)
            self.compare(text, arguments)
            self.assertGreaterEqual(text.count("<svg"), 4)
            self.assertIn("<figcaption>Just before the impact.", section(text, "bodies"))

    @unittest.skipUnless(HAVE_MODELS, "built without MuJoCo")
    def test_a_robot_and_its_state(self):
        arguments = [MODELS / "quadruped.xml", "--state", MODELS / "landing.toml"]
        text = self.write(*arguments)
        self.compare(text, arguments)
        self.assertIn("front left foot lands", text)
        bodies = section(text, "bodies")
        self.assertEqual(bodies.count("<title>foot_fl</title>"), 2)
        self.assertEqual(bodies.count("<title>shin_fl</title>"), 2)  # has no shape but the foot: a line
        self.assertEqual(bodies.count("<title>floor</title>"), 2)

    @unittest.skipUnless(HAVE_MODELS, "built without MuJoCo")
    def test_links_of_urdf_without_shapes_are_drawn_as_lines(self):
        bodies = section(self.write(MODELS / "quadruped.urdf"), "bodies")
        for link in ("thigh_fl", "shin_fl", "thigh_rr", "shin_rr"):
            self.assertEqual(bodies.count(f"<title>{link}</title>"), 2, link)

    @unittest.skipUnless(HAVE_MODELS, "built without MuJoCo")
    def test_robots_on_all_feet_and_in_a_scene(self):
        for model in ("quadruped.xml", "step.toml"):
            text = self.write(MODELS / model)
            answers = json.loads(run("impact", MODELS / model, "--format", "json").stdout)["answers"]
            table = section(text, "laws")
            for answer in answers:
                self.assertIn(answer["law"], table)
                if "error" not in answer:
                    self.assertIn(f"{answer['energy_change']:.5g}", table)
            self.assertEqual(section(text, "bodies").count("<svg"), 2)
            self.assertIn("foot_fl", section(text, "impulses"))
            self.assertIn("mu = 0.", section(text, "asked"))
        self.assertIn("assumed", section(self.write(MODELS / "quadruped.xml"), "asked"))

    @unittest.skipIf(HAVE_MODELS, "built with MuJoCo")
    def test_without_mujoco_a_robot_is_refused(self):
        self.refused("libmujoco-dev", MODELS / "quadruped.xml")

    def test_one_law_is_pictured(self):
        text = self.write("double-pendulum", "--set", "e=0.5", "--set", "mu=0.4", "--law", "morgan")
        self.assertIn("after, by morgan", text)
        answer = json.loads(run("impact", "double-pendulum", "--set", "e=0.5", "--set", "mu=0.4", "--law", "morgan",
                                "--format", "json").stdout)["answers"][0]
        speeds = rows(section(text, "speeds"))
        self.near(float(speeds["upper"][3]), answer["u"][0])
        self.near(float(speeds["lower"][3]), answer["u"][1])

    def test_bad_requests(self):
        self.refused("did you mean double-pendulum?", "dobule-pendulum")
        self.refused("must be between 0 and 1", "double-pendulum", "--set", "e=2", "--set", "mu=0.3")
        self.refused("--u", "double-pendulum", "--u", "elbow=1", "--set", "e=0.5")
        self.refused("must close", "single-pendulum", "--u", "angle=1", "--set", "e=0.5", "--contact", "1")
        self.refused("goes with a scene", "double-pendulum", "--set", "e=0.5", "--set", "mu=0.3", "--ensemble", "5")
        self.refused("goes with a mechanism", SCENES / "rod.toml", "--u", "angle=1")
        self.refused('landing.toml:4: q: ', MODELS / "landing.toml")


class Scenes(PageTest):
    def test_numbers_are_those_of_simultaneous(self):
        for scene in BUNDLED:
            text = self.write(scene)
            answer = json.loads(run("simultaneous", scene, "--format", "json").stdout)
            cells = rows(section(text, "laws"))["as stated, in sequence"]
            self.assertEqual(cells[2], answer["status"])
            self.assertEqual(int(cells[3]), answer["collisions"])
            self.near(float(cells[4]), answer["energy_change"])
            self.assertEqual(cells[1], "yes")
            outcome = rows(section(text, "outcome"))
            fastest = max(abs(x) for body in answer["bodies"] for x in body["velocity"])
            for body in answer["bodies"]:
                if body["name"] not in outcome:
                    continue  # it does not move
                for a, b in zip(vector(outcome[body["name"]][2]), body["velocity"]):
                    self.near(a, b, max(fastest, 1))
            self.assertGreater(len([name for name in outcome if name in {b["name"] for b in answer["bodies"]}]), 0)

    def test_every_law_has_its_row(self):
        text = section(self.write("pool-break"), "laws")
        for law in LAWS:
            self.assertIn(f"<td>{law}</td>", text)
        scene = (SCENES / "pool-break.toml").read_text()
        for law in ("routh", "smith"):
            path = self.file(f"{law}.toml", scene.replace("chatterjee-ruina", law))
            answer = json.loads(run("simultaneous", path, "--format", "json").stdout)
            cells = rows(text)[law]
            self.near(float(cells[4]), answer["energy_change"])
            self.assertEqual(int(cells[3]), answer["collisions"])

    @unittest.skipUnless(HAVE_SICONOS, "built without Siconos")
    def test_methods_that_take_all_contacts_at_once(self):
        table = rows(section(self.write("tower", "--all-at-once"), "laws"))
        for method in ("lcp", "anitescu-potra", "weighted"):
            answer = json.loads(run("simultaneous", "tower", "--method", method, "--format", "json").stdout)
            self.near(float(table[f"{method}, all at once"][4]), answer["energy_change"])

    @unittest.skipIf(HAVE_SICONOS, "built with Siconos")
    def test_without_siconos_they_are_named_as_missing(self):
        self.assertIn("need Siconos", section(self.write("tower"), "laws"))
        self.refused("libsiconos-numerics-dev", "tower", "--all-at-once")

    def test_ensemble(self):
        options = ["three-spheres", "--ensemble", "300", "--seed", "4"]
        text = section(self.write(*options), "ensemble")
        answer = json.loads(run("simultaneous", *options, "--format", "json").stdout)["ensemble"]
        self.assertIn(f"{answer['distinct']} distinct outcomes in 2 branches", text)
        table = rows(text)
        for i, outcome in enumerate(answer["outcomes"]):
            self.assertEqual(table[str(i + 1)][1], f"{outcome['weight']:.4f}")
        for body in answer["bodies"]:
            cells = table[f"{body['name']} v_x [m/s]"]
            for cell, key in zip(cells[1:], ("mean", "deviation", "low", "high")):
                self.near(float(cell), body["velocity"][key][0])
        self.assertIn("the answer is determinate", section(self.write("cradle:2", "--ensemble", "20"), "ensemble"))

    def test_one_contact_has_impulse_space(self):
        text = section(self.write("cradle:2"), "figures")
        self.assertIn("figure-impulse-plane", text)
        self.assertNotIn("figure-impulse-plane", self.write("cradle:3"))

    def test_parameters_and_hinges(self):
        table = rows(section(self.write("cradle:2", "--set", "e=0.5"), "laws"))
        self.near(float(table["frictionless"][4]), -0.25 * 0.26 * (1 - 0.25))  # ΔE = ½ m_red V² (1 − e²), m_red = m/2
        intact = rows(section(self.write("hinged-pendulum", "--hinges", "intact"), "laws"))["as stated, in sequence"]
        answer = json.loads(run("simultaneous", "hinged-pendulum", "--hinges", "intact", "--format", "json").stdout)
        self.near(float(intact[4]), answer["energy_change"])

    def test_names_of_others_are_escaped(self):
        scene = (SCENES / "pool-break.toml").read_text().replace('"cue"', '"<b>cue</b>"')
        self.assertIn("&lt;b&gt;cue", self.write(self.file("odd.toml", scene)))

    def test_routh_that_sticks_is_judged_by_its_static_friction(self):
        text = self.write(self.file("sticking.toml", STICKING))
        self.assertEqual(rows(section(text, "laws"))["routh"][1], "yes")

    def test_ties_that_were_broken_are_said(self):
        self.assertIn("1 tie broken, the first at collision 1", section(self.write("three-spheres"), "bodies"))

    def test_a_scene_that_does_not_settle_says_so(self):
        text = self.write(self.file("walls.toml", BETWEEN_WALLS))
        self.assertIn("does-not-settle", section(text, "laws"))
        self.assertNotIn('id="after', section(text, "bodies"))

    def test_bad_requests(self):
        scene = (SCENES / "pool-break.toml").read_text()
        wrong = self.file("wrong.toml", scene.replace('["cue", "ball 1"]', '["cue", "ball 99"]'))
        self.refused("no body has this name", wrong)
        self.refused("wrong.toml:", wrong)
        self.refused("must be between 0 and 1", "pool-break", "--set", "e=3")
        self.refused("cradle:n with n from 2", "cradle:1")
        self.refused("did you mean pool-break?", "pool-brake")
        self.refused("--tolerance", "pool-break", "--tolerance", "5")
        self.refused("goes with --ensemble", "pool-break", "--uncertainty-e", "0.1")
        self.refused("nobody", "pool-break", "--law", "nobody")


if __name__ == "__main__":
    unittest.main()
