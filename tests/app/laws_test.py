"""ricochet laws, --version and the helps."""

import json
import unittest

from program import LAWS, ProgramTest, run


class Laws(ProgramTest):
    def test_table_lists_every_law_in_order(self):
        done = run("laws")
        self.assertEqual(done.returncode, 0)
        table = done.stdout.split("\n\n")[0]
        named = [line.split()[0] for line in table.splitlines()[1:]]
        self.assertEqual(named, LAWS)

    def test_json_has_parameters_ranges_guarantees_and_source(self):
        laws = json.loads(run("laws", "--format", "json").stdout)
        self.assertEqual([law["name"] for law in laws], LAWS)
        for law in laws:
            self.assertTrue(law["source"])
            self.assertEqual(list(law["guarantees"]), ["energy", "separation", "friction"])
            for parameter in law["parameters"]:
                self.assertTrue(parameter["range"] and parameter["meaning"])
                self.assertEqual(parameter["needed"], "default" not in parameter)

    def test_one_law_in_detail(self):
        done = run("laws", "routh")
        self.assertIn("mu_s", done.stdout)
        self.assertIn("newton", done.stdout)
        self.assertEqual(json.loads(run("laws", "routh", "--format", "json").stdout)["name"], "routh")

    def test_unknown_law(self):
        self.refused(run("laws", "ruth"), "ruth", "did you mean routh?")


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
