#!/usr/bin/env python3
"""clang-tidy on every .cpp file of src and apps, in the units of a build folder.

    lint.py BUILD [JOBS]

The files of a unit (a group of a unity build) are written one after the other into one file, so that what they include is
parsed and matched once. They are not included in it: clang's analyzer follows paths in the main file only.
A unit that was found clean is not looked at again until one of its files, a header of the project, its compile command,
.clang-tidy or clang-tidy itself changes; BUILD/lint holds a mark for each.
"""

import bisect
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDED = re.compile(r'^#include "(/.*\.cpp)"$', re.M)
INCLUDE = re.compile(r"^#include .*$", re.M)
COUNT = re.compile(r"^\d+ warnings? (?:and \d+ errors? )?generated\.\n", re.M)  # of what is kept back: says nothing


def sources(unit):
    """The project's own files that a unit compiles."""
    files = [unit] if "/Unity/" not in unit else INCLUDED.findall(pathlib.Path(unit).read_text(encoding="utf-8"))
    linted = (ROOT / "src", ROOT / "apps")
    return [pathlib.Path(f) for f in files if any(folder in pathlib.Path(f).parents for folder in linted)]


def arguments(command):
    """The options of a compile command: without compiler, input, output and precompiled header."""
    words = shlex.split(command)
    while not re.search(r"(?:c|g|clang)\+\+(?:-\d+)?$", words[0]):
        words = words[1:]
    options, i = [], 1
    while i < len(words):
        if words[i] in ("-o", "-include", "-MF", "-MT"):
            i += 1
        elif words[i] not in ("-c", "-MD", "-Winvalid-pch") and not re.search(r"\.c(?:pp|xx)$", words[i]):
            options.append(words[i])
        i += 1
    return options


class Joined:
    """The text of several files as one, and the way back from its lines to theirs."""

    def __init__(self, files):
        self.starts, self.files, lines, seen = [], files, [], set()
        for path in files:
            self.starts.append(len(lines))
            text = path.read_text(encoding="utf-8")
            # A header that an earlier file includes is no duplicate in this one.
            own = set(INCLUDE.findall(text))
            lines += INCLUDE.sub(lambda m: "" if m[0] in seen and text.count(m[0] + "\n") == 1 else m[0], text).split("\n")
            seen |= own
        self.text = "\n".join(lines)

    def origin(self, line):
        k = bisect.bisect_right(self.starts, line - 1) - 1
        return f"{self.files[k]}:{line - self.starts[k]}"


def lint(files, options, mark):
    """(whether clean, what clang-tidy says)"""
    if mark.exists():
        return True, ""
    joined, unit = Joined(files), mark.with_suffix(".cpp")
    unit.write_text(joined.text, encoding="utf-8")
    folders = [f"-I{folder}" for folder in sorted({path.parent for path in files})]
    command = ["clang-tidy", "--quiet", f"--config-file={ROOT}/.clang-tidy", str(unit), "--", *options, *folders]
    done = subprocess.run([*command, "-Wno-unknown-warning-option"], capture_output=True, text=True, check=False)
    unit.unlink()
    if done.returncode == 0:
        mark.touch()
    text = COUNT.sub("", done.stdout + done.stderr)
    return done.returncode == 0, re.sub(re.escape(str(unit)) + r":(\d+)", lambda m: joined.origin(int(m[1])), text)


def units(build):
    """(files, options) for each unit; files that this build leaves out, for want of a library, with another's options."""
    covered, found = set(), []
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        files = [path for path in sources(entry["file"]) if path not in covered]
        if files:
            covered.update(files)
            found.append((files, arguments(entry["command"])))
    left = sorted({path for folder in ("src", "apps") for path in (ROOT / folder).rglob("*.cpp")} - covered)
    return found + [([path], found[0][1]) for path in left]


def main():
    build, jobs = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count()
    marks = build / "lint"
    marks.mkdir(exist_ok=True)
    common = hashlib.sha256(subprocess.run(["clang-tidy", "--version"], check=True, capture_output=True).stdout)
    for path in sorted(p for folder in ("include", "src", "apps") for p in (ROOT / folder).rglob("*.hpp")):
        common.update(str(path).encode() + path.read_bytes())
    common.update((ROOT / ".clang-tidy").read_bytes())
    tasks = []
    for files, options in units(build):
        digest = common.copy()
        digest.update("\n".join(options).encode())
        for path in files:
            digest.update(str(path).encode() + path.read_bytes())
        tasks.append((files, options, marks / digest.hexdigest()))
    tasks.sort(reverse=True, key=lambda task: sum(path.stat().st_size for path in task[0]))  # the longest first
    clean = True
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for fine, text in pool.map(lambda task: lint(*task), tasks):
            clean = clean and fine
            sys.stdout.write(text)
    print(f"{sum(len(task[0]) for task in tasks)} files in {len(tasks)} units")
    return 0 if clean else 1


if __name__ == "__main__":
    sys.exit(main())
