"""One table of commands: the help, the documentation and ./run agree with apps/ricochet/command_table.txt."""

import os
import pathlib
import subprocess
import unittest

from program import PROGRAM

ROOT = pathlib.Path(__file__).resolve().parents[2]


def table():
    rows = []
    for line in (ROOT / "apps/ricochet/command_table.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            rows.append([cell.strip() for cell in line.split("|")])
    return rows


def needs(*arguments):
    """What ./run would build and install for these arguments."""
    script = ('root=$1; shift; source "$root/tools/command_table.sh"; read_command "$1" "$@" || exit 3; '
              'printf "%s" "$target"; for p in "${packages[@]}"; do printf " %s" "$p"; done')
    done = subprocess.run(["bash", "-c", script, "bash", str(ROOT), *arguments], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


class CommandTable(unittest.TestCase):
    def test_help_lists_every_command_with_its_line(self):
        shown = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
        for name, _, _, text in table():
            self.assertRegex(shown, rf"(?m)^\s+{name}\s", name)
            self.assertIn(text.split()[0], shown)

    def test_each_command_says_its_line_in_its_own_help(self):
        for name, program, _, text in table():
            if not (pathlib.Path(PROGRAM).parent / program).exists():
                continue
            done = subprocess.run([PROGRAM, name, "--help"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, name)
            self.assertIn(text, " ".join(done.stdout.split()), name)

    def test_documentation_lists_the_same_commands(self):
        page = (ROOT / "docs/command-line.md").read_text(encoding="utf-8")
        for name, _, _, text in table():
            self.assertIn(f"ricochet {name:<14} {text}\n", page)

    def test_run_installs_only_what_the_arguments_call_for(self):
        self.assertEqual(needs("collide", "collide", "a.toml"), "ricochet")
        self.assertEqual(needs("impact", "impact", "double-pendulum"), "ricochet-impact")
        self.assertEqual(needs("impact", "impact", "robot.urdf"), "ricochet-impact libmujoco-dev libtinyxml2-dev liburdfdom-dev libassimp-dev libqhull-dev libfcl-dev")
        self.assertEqual(needs("impact", "impact", "double-pendulum", "--method", "lcp"),
                         "ricochet-impact libsiconos-numerics-dev")
        self.assertEqual(needs("simultaneous", "simultaneous", "pile", "--method=lcp"),
                         "ricochet-simultaneous libsiconos-numerics-dev")
        self.assertEqual(needs("report", "report", "a.xml", "--all-at-once"),
                         "ricochet-report libmujoco-dev libtinyxml2-dev liburdfdom-dev libassimp-dev libqhull-dev libfcl-dev libsiconos-numerics-dev")
        self.assertEqual(needs("figure", "figure"), "ricochet-figure libcairo2-dev pkg-config")
        self.assertIsNone(needs("collid", "collid"))


if __name__ == "__main__":
    unittest.main()
