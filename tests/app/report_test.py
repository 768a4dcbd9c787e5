"""Reports: one HTML file that needs nothing else and says what the program says."""

import json
import re
import unittest
from html.parser import HTMLParser
from pathlib import Path

from program import COLLISIONS, LAWS, SCENES, ProgramTest, good, lines, run

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
                                 ([SCENES / "planar.toml", "--set", "e=2"], "must be between 0 and 1")):
            done = run("report", *arguments, "-o", self.file("report.html", "old"))
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
