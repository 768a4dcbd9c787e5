"""ricochet reproduce: what the papers print, recomputed."""

import csv
import json
import unittest

from program import ProgramTest, run


class Reproduce(ProgramTest):
    def rows(self):
        done = run("reproduce", "--check", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_everything_agrees_but_for_two_known_misprints(self):
        found = self.rows()
        self.assertEqual(found["differs"], 0)
        self.assertEqual(found["print_is_wrong"], 2)
        self.assertEqual(found["agrees"] + 2, len(found["rows"]))
        wrong = {row["printed"]: row["remark"] for row in found["rows"] if row["verdict"] == "print is wrong"}
        self.assertEqual(wrong.keys(), {"-0.1034", "0.5971"})

    def test_every_source_is_there(self):
        sources = {row["source"] for row in self.rows()["rows"]}
        for part in ("ST98 Table 1", "ST98 Table 2", "ST98 Table 3", "ST98 Table 4", "ST98 section 6.1",
                     "ST98 Example 2", "M11 double pendulum", "CR98b: two bodies for any M"):
            self.assertIn(part, sources)

    def test_verdicts_are_those_of_the_digits(self):
        # Judged again from the two texts alone; the computed one has two digits more than the printed one.
        for row in self.rows()["rows"]:
            if "difference" not in row:
                continue
            decimals = len(row["printed"].partition(".")[2])
            off = abs(float(row["computed"]) - float(row["printed"]))
            self.assertEqual(off <= 0.5 * 10 ** -decimals * (1 + 1e-9), row["verdict"] == "agrees", row)

    def test_energy_is_gained_only_by_the_conventional_method(self):
        gains = [row for row in self.rows()["rows"] if "energy" in row["item"] and float(row["computed"]) > 0]
        self.assertEqual([row["computed"] for row in gains], ["0.1634", "0.4889", "0.1634", "0.5874"])
        for row in gains:
            self.assertTrue(row["source"] in ("ST98 Table 1", "ST98 Table 2") or "conventional" in row["item"], row)

    def test_table_lists_misprints_and_counts(self):
        done = run("reproduce")
        self.assertEqual(done.returncode, 0)
        for part in ("-0.1033 holds", "0.5972 holds", "M11 Eq. 3.1", "ST98 Eq. 30", "2 where the print is wrong, 0 differ"):
            self.assertIn(part, done.stdout)

    def test_csv_has_the_rows_of_the_json(self):
        done = run("reproduce", "--format", "csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        wanted = [{key: str(row.get(key, "")) for key in ("source", "item", "printed", "computed", "verdict", "remark")}
                  for row in self.rows()["rows"]]
        rows = list(csv.DictReader(done.stdout.splitlines()))
        for row, json_row in zip(rows, self.rows()["rows"], strict=True):
            difference = row.pop("difference")
            self.assertEqual(float(difference) if difference else None, json_row.get("difference"))
        self.assertEqual(rows, wanted)

    def test_usage(self):
        self.assertEqual(run("reproduce", "--format", "xml").returncode, 2)
        self.assertEqual(run("reproduce", "table1").returncode, 2)


if __name__ == "__main__":
    unittest.main()
