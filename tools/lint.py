#!/usr/bin/env python3
"""clang-tidy on every .cpp file of src and apps, many files at a time.

    lint.py BUILD [JOBS]

Most of clang-tidy's time goes into Eigen and the standard library, which it parses and matches in each unit anew. So the
files of src, and those of apps, are packed into a few units with the options of the build folder taken together, two files
with a helper of the same name into different ones. The files are written one after the other into one file, not
included in it: clang's analyzer follows paths in the main file only. Where a unit does not compile, each of its files is
looked at alone.
A unit that was found clean is not looked at again until one of its files, a header of the project, an option, .clang-tidy or
clang-tidy itself changes; BUILD/lint holds a mark for each.
"""

import bisect
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import unity_groups

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("src", "apps")
UNIT_SIZE = 110_000  # characters
INCLUDED = re.compile(r'^#include "(/.*\.cpp)"$', re.M)
INCLUDE = re.compile(r'^#include ["<](.*)[">]$', re.M)
# Of the analyzer: as many steps in a function as its own quick mode takes, a third of the default. Eigen's templates fill
# either, and what the last two thirds cost is most of the lint (docs/decisions/007-build-time.md).
ANALYZER = ["-Xclang", "-analyzer-config", "-Xclang", "max-nodes=75000"]
# From 22 on it passes over what lies in system headers, Eigen above all: two thirds of the time. 14 is Debian 12's own.
CLANG_TIDY = shutil.which("clang-tidy-22") or "clang-tidy"
COUNT = re.compile(r"^\d+ warnings? (?:and \d+ errors? )?generated\.\n", re.M)  # of what is kept back: says nothing


def options(command):
    """The options of a compile command, each with its argument: without compiler, input, output, precompiled header,
    GCC's own parameters, and instruction sets, which single files are compiled for."""
    words = shlex.split(command)
    while not re.search(r"(?:c|g|clang)\+\+(?:-\d+)?$", words[0]):
        words = words[1:]
    found, i = [], 1
    while i < len(words):
        if words[i] in ("-o", "-include", "-MF", "-MT"):
            i += 1
        elif words[i] == "-isystem":
            i += 1
            found.append(("-isystem", words[i]))
        elif not (words[i] in ("-c", "-MD", "-Winvalid-pch") or words[i].startswith(("-m", "--param="))
                  or re.search(r"\.c(?:pp|xx)$", words[i])):
            found.append((words[i],))
        i += 1
    return found


def options_of_folder(build, folder):
    """All options with which files of the folder are compiled, in the order of their first use."""
    together = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        unit = entry["file"]
        files = [unit] if "/Unity/" not in unit else INCLUDED.findall(pathlib.Path(unit).read_text(encoding="utf-8"))
        if any(ROOT / folder in pathlib.Path(file).parents for file in files):
            together.update(dict.fromkeys(options(entry["command"])))
    return [word for option in together for word in option]


def wider(build):
    """Files that are compiled for an instruction set of their own: repetitions of one that is not."""
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    return {pathlib.Path(entry["file"]) for entry in entries if " -mavx" in entry["command"]}


def units(folder, left_out):
    """Its files in groups without a common name."""
    groups = []  # [files, names, characters]
    for path in sorted(set((ROOT / folder).rglob("*.cpp")) - left_out):
        own, size = unity_groups.names(path)[0], path.stat().st_size
        group = next((g for g in groups if g[2] + size <= UNIT_SIZE and not own & g[1]), None)
        if not group:
            group = [[], set(), 0]
            groups.append(group)
        group[0].append(path)
        group[1] |= own
        group[2] += size
    return [files for files, _, _ in groups]


class Joined:
    """The text of several files as one, and the way back from its lines to theirs."""

    def __init__(self, files):
        self.starts, self.files, lines, seen = [], files, [], set()
        for path in files:
            self.starts.append(len(lines))
            here = {}

            def include(match, path=path, here=here):
                beside = path.parent / match[1]
                line = f'#include "{beside}"' if beside.exists() else match[0]
                here[line] = here.get(line, 0) + 1
                # A header that an earlier file includes is no duplicate in this one.
                return "" if line in seen and here[line] == 1 else line

            lines += INCLUDE.sub(include, path.read_text(encoding="utf-8")).split("\n")
            seen |= here.keys()
        self.text = "\n".join(lines)

    def origin(self, line):
        k = bisect.bisect_right(self.starts, line - 1) - 1
        return f"{self.files[k]}:{line - self.starts[k]}"


def tidy(files, flags, unit):
    """(whether clean, what clang-tidy says)"""
    joined = Joined(files)
    unit.write_text(joined.text, encoding="utf-8")
    command = [CLANG_TIDY, "--quiet", f"--config-file={ROOT}/.clang-tidy", str(unit), "--", *flags, *ANALYZER]
    done = subprocess.run([*command, "-Wno-unknown-warning-option"], capture_output=True, text=True, check=False)
    unit.unlink()
    text = COUNT.sub("", done.stdout + done.stderr)
    return done.returncode == 0, re.sub(re.escape(str(unit)) + r":(\d+)", lambda m: joined.origin(int(m[1])), text)


def lint(files, flags, mark):
    if mark.exists():
        return True, ""
    unit = mark.with_suffix(".cpp")
    clean, text = tidy(files, flags, unit)
    if "[clang-diagnostic-error]" in text and len(files) > 1:
        why = next(line for line in text.splitlines() if "[clang-diagnostic-error]" in line)
        each = [tidy([path], flags, unit) for path in files]
        clean = all(fine for fine, _ in each)
        names = ", ".join(str(path.relative_to(ROOT)) for path in files)
        text = f"note: these do not compile as one unit: {names}\n{why}\n" + "".join(said for _, said in each)
    if clean:
        mark.touch()
    return clean, text


def main():
    build, jobs = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count()
    marks = build / "lint"
    marks.mkdir(exist_ok=True)
    common = hashlib.sha256(subprocess.run([CLANG_TIDY, "--version"], check=True, capture_output=True).stdout)
    for path in sorted(p for folder in ("include", *FOLDERS) for p in (ROOT / folder).rglob("*.hpp")):
        common.update(str(path).encode() + path.read_bytes())
    common.update((ROOT / ".clang-tidy").read_bytes())
    tasks = []
    for folder in FOLDERS:
        flags = options_of_folder(build, folder)
        for files in units(folder, wider(build)):
            digest = common.copy()
            digest.update("\n".join(flags).encode())
            for path in files:
                digest.update(str(path).encode() + path.read_bytes())
            tasks.append((files, flags, marks / digest.hexdigest()))
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
