"""tools/cassie_landings.py: its skip where data are absent; and, where the environment names data and model, that a rigid impact explains
part of the measured joint speeds."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from program import PROGRAM

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "cassie_landings.py"
DATA, MODEL = (os.environ.get(name) for name in ("RICOCHET_CASSIE_DATA", "RICOCHET_CASSIE_MODEL"))


def run(*arguments):
    return subprocess.run([sys.executable, str(TOOL), *arguments, "--program", PROGRAM], capture_output=True, text=True)


class CassieLandings(unittest.TestCase):
    def test_absent_data_are_named_and_skipped(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run(folder, "scene.xml")
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertIn("mjcf_states.csv is not there", done.stdout)

    @unittest.skipUnless(DATA and MODEL, "RICOCHET_CASSIE_DATA and RICOCHET_CASSIE_MODEL name no data and model")
    def test_a_rigid_impact_explains_part_of_the_joint_speeds(self):
        done = run(DATA, MODEL, "--landings", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        missed = {line.split()[0]: float(re.findall(r"\d+\.\d+", line)[0]) for line in done.stdout.splitlines()
                  if line.startswith(("(nothing", "routh "))}
        self.assertLess(missed["routh"], missed["(nothing"])


if __name__ == "__main__":
    unittest.main()
