"""ricochet sweep contract: no promise is broken, and parts of a range add up to the whole."""

import json
import unittest

from program import LAWS, ProgramTest, run


class Contract(ProgramTest):
    def sweep(self, *arguments):
        done = run("sweep", "contract", *arguments, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_every_law_keeps_its_promises(self):
        found = self.sweep("--count", "2000", "--seed", "5")
        self.assertEqual(sorted(law["law"] for law in found["laws"]), sorted(LAWS))
        for law in found["laws"]:
            self.assertEqual(law["drawn"], 2000)
            self.assertGreater(law["answered"], 1500, law)
            self.assertEqual(law["violations"], 0, law)
            self.assertEqual(law["promises"]["equation"]["checked"], law["answered"])

    def test_parts_add_up_to_the_whole(self):
        law = ["--law", "routh", "--law", "brach"]
        whole = self.sweep(*law, "--count", "9000")["laws"]
        parts = [self.sweep(*law, "--first", first, "--count", count, "--threads", "1")["laws"]
                 for first, count in (("0", "5000"), ("5000", "4000"))]
        for i, one in enumerate(whole):
            self.assertEqual(one["answered"], sum(part[i]["answered"] for part in parts))
            for name, promise in one["promises"].items():
                self.assertEqual(promise["worst"], min(part[i]["promises"][name]["worst"] for part in parts))

    def test_errors_name_the_option(self):
        for arguments, words in ((["contract", "--law", "rout"], ["--law", "routh"]), (["contracts"], ["contract"]),
                                 (["contract", "--count", "0"], ["--count"])):
            done = run("sweep", *arguments)
            self.assertEqual(done.returncode, 2)
            for word in words:
                self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
