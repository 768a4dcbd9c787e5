"""What the pages of docs/ show of the program is what it prints: every block that begins with `$ ricochet`."""

import os
import re
import shlex
import subprocess
import unittest

from program import PROGRAM, SCENES

ROOT = SCENES.parent
NUMBER = re.compile(r"[-+−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def shown():
    """(page, command, lines of its output) of every session in the pages."""
    for page in sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]):
        for block in re.findall(r"^```\w*\n(.*?)^```", page.read_text(), re.S | re.M):
            for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
                command, *output = part.rstrip("\n").split("\n")
                if command.startswith("ricochet") and output:
                    yield page.relative_to(ROOT), command, output


def possible(command):
    """Whether the program was built with what the command needs, and the files that it names are in the repository."""
    if "models/" in command and os.environ["RICOCHET_HAVE_MODELS"] != "ON":
        return False
    files = re.findall(r"\S+\.(?:toml|jsonl|xml|urdf)\b", command)
    return all((ROOT / name).exists() for name in files)


def same(page, program):
    """Words alike, numbers alike but for rounding."""
    words = [NUMBER.split(" ".join(text.split())) for text in (page, program)]
    if words[0] != words[1]:
        return False
    pairs = zip(*([float(x.replace("−", "-")) for x in NUMBER.findall(text)] for text in (page, program)))
    return all(abs(a - b) <= 1e-6 * max(abs(a), abs(b)) + 1e-13 for a, b in pairs)


class Documented(unittest.TestCase):
    def test_pages_show_what_the_program_prints(self):
        tried = 0
        for page, command, output in shown():
            if not possible(command):
                continue
            tried += 1
            with self.subTest(page=str(page), command=command):
                pipe = command.replace("ricochet", shlex.quote(PROGRAM), 1)
                done = subprocess.run(pipe, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=200)
                printed = (done.stdout + done.stderr).rstrip("\n").split("\n")
                if output[-1] == "...":
                    output = output[:-1]
                    printed = printed[: len(output)]
                self.assertEqual(len(output), len(printed), "\n".join(printed))
                for expected, found in zip(output, printed):
                    self.assertTrue(same(expected, found), f"{expected}\n{found}")
        self.assertGreater(tried, 10)


if __name__ == "__main__":
    unittest.main()
