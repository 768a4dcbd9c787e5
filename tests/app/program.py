"""Runs the program under test. Its path and that of the scenes come from the environment (see CMakeLists.txt)."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["RICOCHET_PROGRAM"]
SCENES = Path(os.environ["RICOCHET_SCENES"])
# One collision each; the others are scenes of many contacts.
COLLISIONS = [path for path in sorted(SCENES.glob("*.toml")) if "[[contact]]" not in path.read_text()]

LAWS = [
    "frictionless", "chatterjee-ruina", "bilinear", "routh", "whittaker", "smith", "brach", "pfeiffer-glocker",
    "anitescu-potra", "permissible-point", "projected", "spring-sledge", "graded-sledge", "graded-region",
    "composite",
]

# Listed beside the laws, and asked by `impact` only.
PLANAR_CLOSED_FORMS = ["morgan", "shen-townsend", "conventional", "conventional-reversed"]

GOOD = {
    "M": [[2.0, 0.7, 0.2], [0.7, 1.5, -0.3], [0.2, -0.3, 1.1]],
    "V": [-1.0, -1.4, 0.3],
    "n": [1, 0, 0],
    "law": "chatterjee-ruina",
    "mu": 0.3,
    "e": 0.5,
    "e_t": 0,
}

OUTCOME_KEYS = ["P", "V", "energy_change", "normal_work", "friction_work", "mode", "permissible", "margins", "why"]


def good(**changes):
    """A good line with some keys changed; None takes a key away."""
    line = {**GOOD, **changes}
    return {key: value for key, value in line.items() if value is not None}


def run(*arguments, text=None, raw=None):
    """The finished process, with stdout and stderr as text."""
    given = raw if raw is not None else (text or "").encode()
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=given, capture_output=True, timeout=120)
    done.stdout = done.stdout.decode()
    done.stderr = done.stderr.decode()
    return done


def lines(*objects):
    return "".join(json.dumps(o) + "\n" for o in objects)


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def file(self, name, text):
        path = self.path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def answers(self, *arguments, text=None, code=0):
        done = run(*arguments, text=text)
        self.assertEqual(done.returncode, code, done.stderr)
        return [json.loads(line) for line in done.stdout.split("\n")[:-1]]

    def refused(self, done, *parts):
        """Exit code 2 and one line on stderr that has all the parts."""
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
