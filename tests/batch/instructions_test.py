#!/usr/bin/env python3
"""Counts the instructions of one collision with callgrind and compares them with tests/batch/instructions.txt.

usage: instructions_test.py PROGRAM COMPILER [--update]

Counts do not depend on the load of the machine as times do. They do depend on the compiler: with another one than the table
names, and without valgrind, the test is skipped (exit code 77). A count that exceeds its entry by more than 5 % fails.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).with_name("instructions.txt")
COLLISIONS = 512
TOLERANCE = 1.05


def count(program):
    with tempfile.TemporaryDirectory() as place:
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={place}/out", program], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        counts = {}
        for path in pathlib.Path(place).iterdir():
            text = path.read_text(encoding="utf-8")
            name = re.search(r"^desc: Trigger: Client Request: (.+)$", text, re.MULTILINE)
            total = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
            if name and total:
                counts[name.group(1)] = round(int(total.group(1)) / COLLISIONS)
        return dict(sorted(counts.items()))


def main():
    program, compiler = sys.argv[1:3]
    if not shutil.which("valgrind"):
        print("valgrind is not installed: instructions are not counted")
        return 77
    lines = TABLE.read_text(encoding="utf-8").splitlines() if TABLE.exists() else [""]
    if "--update" in sys.argv:
        counts = count(program)
        TABLE.write_text("\n".join([compiler, *(f"{number} {name}" for name, number in counts.items())]) + "\n",
                         encoding="utf-8")
        return 0
    if lines[0] != compiler:
        print(f"the counts are those of {lines[0]}, this is {compiler}: not compared")
        return 77
    counts = count(program)
    kept = {name: int(number) for number, name in (line.split(" ", 1) for line in lines[1:])}
    wrong = 0
    for name in sorted(kept.keys() | counts.keys()):
        if name not in kept or name not in counts:
            print(f"{name}: {'not in the table' if name in counts else 'not counted'}")
            wrong += 1
        elif counts[name] > TOLERANCE * kept[name]:
            print(f"{name}: {counts[name]} instructions, {kept[name]} in the table")
            wrong += 1
    print(f"{len(counts)} counts, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
