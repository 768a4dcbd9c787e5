"""ricochet laws, --version and the helps."""

import csv
import io
import json
import sys
import unittest

from program import LAWS, PLANAR_CLOSED_FORMS, SCENES, ProgramTest, run

sys.path.insert(0, str(SCENES.parent / "tools"))
import law_tables  # noqa: E402


def number(x):
    return float(x) if isinstance(x, str) else x


class Laws(ProgramTest):
    def all(self):
        return json.loads(run("laws", "--format", "json").stdout)

    def test_table_lists_every_law_in_order(self):
        done = run("laws")
        self.assertEqual(done.returncode, 0)
        of_contacts, of_mechanisms = done.stdout.split("\n\n")[:2]
        named = lambda table: [line.split()[0] for line in table.splitlines()[1:]]
        self.assertEqual(named(of_contacts), LAWS)
        self.assertEqual(named(of_mechanisms), PLANAR_CLOSED_FORMS)

    def test_json_is_typed(self):
        laws = self.all()
        self.assertEqual([law["name"] for law in laws if law["acts_on"] == "contact"], LAWS)
        self.assertEqual([law["name"] for law in laws if law["acts_on"] == "planar mechanism"], PLANAR_CLOSED_FORMS)
        for law in laws:
            self.assertTrue(law["source"])
            self.assertEqual(list(law["guarantees"]), ["energy", "separation", "friction"])
            names = [parameter["name"] for parameter in law["parameters"]]
            self.assertTrue(law["cone"] is None or law["cone"] in names)
            for p in law["parameters"]:
                self.assertTrue(p["range"] and p["meaning"])
                self.assertEqual(p["needed"], "default" not in p)
                self.assertIsInstance(p["unit"], str)
                match p["kind"]:
                    case "number":
                        self.assertLess(number(p["low"]), number(p["high"]))
                        self.assertIn(p["low_open"], (True, False))
                        default = p.get("default", 0.5)
                        if isinstance(default, dict):
                            self.assertEqual(list(default), ["parameter"])
                        else:
                            self.assertTrue(number(p["low"]) <= number(default) <= number(p["high"]))
                    case "word":
                        self.assertIn(p["default"], p["choices"])
                    case "vector":
                        self.assertEqual((p["low"], p["low_open"]), ("-inf", True))

    def test_what_the_json_says_of_a_range_is_what_collide_takes(self):
        path = SCENES / "planar.toml"
        tried = 0
        for law in self.all():
            if law["acts_on"] != "contact" or law["name"] == "composite":
                continue
            for p in law["parameters"]:
                if p["kind"] != "number":
                    continue
                for end, open_ in ((p["low"], p["low_open"]), (p["high"], p["high_open"])):
                    if "not_below" in p and end == p["low"]:
                        continue
                    done = run("collide", path, "--law", law["name"], "--set", f"{p['name']}={end}",
                               *(["--set", "mu_s=inf"] if p["name"] == "mu" and law["cone"] == "mu_s" else []))
                    refused = f"{p['name']} = " in done.stderr and "must be" in done.stderr
                    self.assertEqual(refused, open_, (law["name"], p["name"], end, done.stderr))
                    tried += 1
        self.assertGreater(tried, 50)

    def test_one_law_in_detail(self):
        done = run("laws", "routh")
        for word in ("mu_s", "mu to inf", "newton", "cone: mu_s"):
            self.assertIn(word, done.stdout)
        self.assertEqual(json.loads(run("laws", "routh", "--format", "json").stdout)["name"], "routh")
        self.assertIn("ST98", run("laws", "shen-townsend").stdout)

    def test_csv_has_a_line_for_each_parameter(self):
        rows = list(csv.DictReader(io.StringIO(run("laws", "--format", "csv").stdout)))
        listed = [(law["name"], p["name"]) for law in self.all() for p in law["parameters"]]
        self.assertEqual([(row["law"], row["parameter"]) for row in rows], listed)
        mu_s = next(row for row in rows if row["law"] == "routh" and row["parameter"] == "mu_s")
        self.assertEqual((mu_s["not_below"], mu_s["default"], mu_s["cone"], mu_s["high"]), ("mu", "mu", "true", "inf"))

    def test_output_goes_to_a_file(self):
        path = self.path / "laws.json"
        done = run("laws", "--format", "json", "-o", path)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertEqual(json.loads(path.read_text()), self.all())
        self.assertEqual(run("laws", "-o", "-").stdout, run("laws").stdout)

    def test_unknown_law(self):
        self.refused(run("laws", "ruth"), "ruth", "did you mean routh?")

    def test_a_closed_form_for_mechanisms_is_not_asked_about_a_contact(self):
        self.refused(run("collide", "--law", "morgan"), "--law: ", "morgan", "ricochet impact")

    def test_tables_of_the_docs_are_those_of_the_program(self):
        laws = {law["name"]: law for law in self.all()}
        seen = []
        for page in law_tables.pages():
            text = page.read_text(encoding="utf-8")
            self.assertEqual(law_tables.written(text, laws), text, f"{page}: run tools/law_tables.py PROGRAM")
            seen += [match[1] for match in law_tables.BLOCK.finditer(text)]
        self.assertEqual(sorted(seen), sorted(LAWS + PLANAR_CLOSED_FORMS[:1]))


class CommandLine(ProgramTest):
    def test_version(self):
        self.assertRegex(run("--version").stdout, r"^ricochet \d+\.\d+\.\d+\n$")

    def test_helps_have_examples(self):
        for command in ([], ["collide"], ["laws"], ["realize"], ["inspect"], ["reproduce"]):
            done = run(*command, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn("Example", done.stdout)

    def test_usage_errors_exit_2(self):
        for arguments in (["bounce"], ["collide", "--format", "xml"], ["collide", "--speed"], ["collide", "a", "b"],
                          ["collide", "--law"], ["realize", "a.toml", "--M", "1"]):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertTrue(done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
