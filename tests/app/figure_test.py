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
                check_svg(self, Path(path).read_text())

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
            ([SCENES / "bar.toml", "--set", "mu=-1"], "--set: field \"mu\": -1"),
            ([SCENES / "bar.toml", "--set", "kappa=inf"], "--set: field \"kappa\": inf"),
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
        ):
            done = run("figure", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)

    def test_place_that_cannot_be_written(self):
        done = run("figure", "cr98-4", "-o", self.path / "no" / "such.svg")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(done.stderr.count("such.svg"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
