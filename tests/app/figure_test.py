"""Figures: every named one is drawn, in both formats, and bad requests are refused."""

import os
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ET
from pathlib import Path

from program import COLLISIONS, PROGRAM, SCENES, ProgramTest, good, lines, run

HAVE_PDF = os.environ.get("RICOCHET_HAVE_CAIRO") == "TRUE"
SVG = "{http://www.w3.org/2000/svg}"


def check_svg(test, text):
    root = ET.fromstring(text)
    test.assertEqual(root.tag, SVG + "svg")
    test.assertIsNone(re.search(r"\b(nan|inf)\b", text))
    width, height = float(root.get("width")), float(root.get("height"))
    for circle in root.iter(SVG + "circle"):
        test.assertTrue(0 <= float(circle.get("cx")) <= width and 0 <= float(circle.get("cy")) <= height)
    test.assertTrue(root.find(SVG + "title").text)
    return root


NARROW, WIDE = set("ijl.,:;|!'()[]/ft- "), set("mwMW")


def width_of(text, size):
    """Of letters in a typeface like Helvetica, rather too little than too much."""
    return size * sum(0.25 if c in NARROW else 0.8 if c in WIDE else 0.65 if c.isupper() else 0.5 for c in text)


def text_boxes(root):
    """What is written on the page, turned texts left out: (text, left, top, right, bottom)."""
    for text in root.iter(SVG + "text"):
        if text.get("aria-hidden") or text.get("transform"):
            continue
        size = float(text.get("font-size"))
        wide = width_of(text.text or "", size)
        for part in text:
            wide += width_of(part.text or "", float(part.get("font-size", size))) + width_of(part.tail or "", size)
        left = float(text.get("x")) - {"start": 0, "middle": wide / 2, "end": wide}[text.get("text-anchor")]
        y = float(text.get("y"))
        yield "".join(text.itertext()), left, y - 0.7 * size, left + wide, y


def check_names_apart(test, root, what):
    boxes = [box for box in text_boxes(root) if box[0]]
    test.assertGreater(len(boxes), 2, what)
    for i, (text, left, top, right, bottom) in enumerate(boxes):
        test.assertTrue(left >= 0 and right <= float(root.get("width")), f"{what}: {text} leaves the page")
        for other, l, t, r, b in boxes[:i]:
            test.assertFalse(left < r and l < right and top < b and t < bottom, f"{what}: {text} on {other}")


class Figures(ProgramTest):
    def test_every_named_figure_is_drawn(self):
        names = [line.split()[0] for line in run("figure", "--list").stdout.splitlines()]
        wanted = {f"cr98-{i}" for i in range(1, 10)} | {f"m11-2.{i}" for i in (2, 3, 4, 5, 6, 7, 8, "9a", "9b")}
        wanted |= {"reg-3", "reg-convergence"}
        self.assertLessEqual(wanted, set(names))
        for name in names:
            path = self.file(f"{name}.svg", "")
            done = run("figure", name, "-o", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            root = check_svg(self, Path(path).read_text())
            self.assertGreater(len(list(root.iter(SVG + "path"))), 3, name)
            check_names_apart(self, root, name)

    @unittest.skipUnless(HAVE_PDF, "built without Cairo")
    def test_both_formats_without_output_option(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([PROGRAM, "figure", "cr98-4"], cwd=folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout, "cr98-4.svg\ncr98-4.pdf\n")
            self.assertTrue((Path(folder) / "cr98-4.pdf").read_bytes().startswith(b"%PDF-"))
            self.assertEqual(sorted(os.listdir(folder)), ["cr98-4.pdf", "cr98-4.svg"])

    def test_any_collision_in_every_kind(self):
        for scene in COLLISIONS:
            text = scene.read_text()
            if "[[contact]]" in text:
                continue
            for kind in ("impulse-plane", "energy", "velocity"):
                path = self.file("own.svg", "")
                done = run("figure", scene, "--kind", kind, "-o", path)
                self.assertEqual(done.returncode, 0, f"{scene} {kind}: {done.stderr}")
                check_names_apart(self, check_svg(self, Path(path).read_text()), f"{scene} {kind}")

    def test_process_of_planar_collisions_only(self):
        path = self.file("own.svg", "")
        for scene, *settings in (["bar"], ["diagonal"], ["planar"], ["superball"], ["bar", "--set", "mu=inf"],
                                 ["bar", "--set", "mu=0"], ["bar", "--set", "e=0"]):
            done = run("figure", SCENES / f"{scene}.toml", "--kind", "process", "-o", path, *settings)
            self.assertEqual(done.returncode, 0, done.stderr)
            check_svg(self, Path(path).read_text())
        for arguments, words in (
            ([SCENES / "generic.toml"], "planar"),
            ([SCENES / "bar.toml", "--law", "smith"], "spring-sledge and routh"),
            ([SCENES / "bar.toml", "--set", "mu=-1"], "--set: mu = -1"),
            ([SCENES / "bar.toml", "--set", "kappa=inf"], "--set: kappa = inf"),
        ):
            done = run("figure", *arguments, "--kind", "process", "-o", path)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)

    def test_a_point_stands_where_the_law_answers(self):
        # The only disc in the legend's colour of a single law is its answer; two settings must move it.
        places = set()
        for e in ("0.1", "0.9"):
            path = self.file("own.svg", "")
            run("figure", SCENES / "planar.toml", "--law", "frictionless", "--set", f"e={e}", "-o", path)
            places.add(Path(path).read_text())
        self.assertEqual(len(places), 2)

    def test_bad_requests(self):
        for arguments, words in (
            (["nowhere.toml"], "nowhere.toml"),
            (["cr98-4", "-o", "picture.png"], "must end in .svg or .pdf"),
            ([SCENES / "planar.toml", "--law", "nobody"], "nobody"),
            ([SCENES / "planar.toml", "--kind", "poster"], "poster"),
            ([SCENES / "pendulum.toml", "--kind", "impulse-solid"], "must be regular"),
            (["cr98-44"], "did you mean cr98-4?"),
            (["pendulum"], "--list"),
            (["cr98-4", "--set", "mu=3"], "--set: goes with a collision file"),
            (["cr98-4", "--law", "routh"], "--law: goes with a collision file"),
            (["cr98-4", "--kind", "energy"], "--kind: goes with a collision file"),
        ):
            done = run("figure", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 2 if "--kind" in arguments and "poster" in arguments else 1)

    def test_a_failure_leaves_what_was_there(self):
        with tempfile.TemporaryDirectory() as folder:
            old = Path(folder) / "old.svg"
            old.write_text("old")
            bad = Path(folder) / "bad.toml"
            bad.write_text("M = [[1, 0")
            for arguments, code in (([bad, "-o", old], 2), ([SCENES / "planar.toml", "--law", "bilinear", "-o", old], 2),
                                    (["cr98-4", "-o", f"{folder}/nowhere/new.svg"], 1)):
                done = run("figure", *arguments)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertEqual(done.stderr.count("nowhere"), 1 if code == 1 else 0)
                self.assertEqual(sorted(os.listdir(folder)), ["bad.toml", "old.svg"])
                self.assertEqual(old.read_text(), "old")

    def test_the_gallery_shows_what_its_commands_draw(self):
        docs = SCENES.parent / "docs"
        entries = re.findall(r"`ricochet figure ([^`]+)`\n\n!\[[^]]*\]\(([^)]+)\)", (docs / "gallery.md").read_text())
        self.assertGreaterEqual(len(entries), 25)
        shown = {Path(image).name for _, image in entries}
        self.assertEqual(shown, {path.name for path in (docs / "gallery").iterdir()})
        number = re.compile(r"-?\d+(?:\.\d+)?")
        for command, image in entries:
            path = self.file("own.svg", "")
            words = [str(SCENES / Path(word).name) if word.startswith("scenes/") else word for word in command.split()]
            done = run("figure", *words, "-o", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            drawn, kept = Path(path).read_text(), (docs / image).read_text()
            # Other compilers may round otherwise in the last place.
            self.assertEqual(number.sub("#", drawn), number.sub("#", kept), f"{image} is not what `{command}` draws")
            for a, b in zip(number.findall(drawn), number.findall(kept)):
                self.assertAlmostEqual(float(a), float(b), delta=0.05, msg=image)

    def test_highest_rebound_is_that_of_the_closed_form(self):
        # All energy of the slip into the rebound: e = sqrt(1 + M_t/M_n (s/k)^2), with M and V of scenes/central.toml.
        path = self.file("cr98-9.svg", "")
        run("figure", "cr98-9", "-o", path)
        words = ["".join(text.itertext()) for text in check_svg(self, Path(path).read_text()).iter(SVG + "text")]
        wanted = f"highest e = {(1 + 0.5 / 0.042**2) ** 0.5:.3g}"
        self.assertTrue(any(wanted in word for word in words), words)

    def test_swerving_slip_is_drawn_as_a_curve(self):
        path = self.file("own.svg", "")
        done = run("figure", SCENES / "default.toml", "--kind", "energy", "-o", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        root = check_svg(self, Path(path).read_text())
        ways = [p for p in root.iter(SVG + "path") if p.get("clip-path")]
        self.assertEqual(len(ways), 3)
        for way in ways:
            self.assertIsNone(way.get("stroke-dasharray"))
            self.assertGreater(way.get("d").count("L"), 60)

    def test_place_that_cannot_be_written(self):
        done = run("figure", "cr98-4", "-o", self.path / "no" / "such.svg")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("such.svg"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
