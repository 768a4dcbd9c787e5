#!/usr/bin/env python3
"""Lands every robot file of some folders and writes what came of it as a table: docs/robots.md.

    tools/zoo.py [--program RICOCHET] [--docs FILE] [--law NAME] FOLDER...

A folder is a clone of a repository of models. Files that others include are left out, and others that are no robots. With
--docs the table replaces the one between the marks of that page.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import time

BEGIN, END = "<!-- zoo -->\n", "<!-- end of zoo -->\n"


INCLUDED = re.compile(r"""<include\s+file\s*=\s*["']([^"']+)["']""")


def robot_files(folder):
    """URDF files, and of each folder of MJCF the scene, or else the files that no other includes."""
    files = sorted(folder.rglob("*.urdf"))
    texts = {path: path.read_text(errors="replace") for path in sorted(folder.rglob("*.xml"))}
    parts = {pathlib.Path(name).name for text in texts.values() for name in INCLUDED.findall(text)}
    whole = [path for path, text in texts.items() if "<mujoco" in text and "<worldbody" in text and path.name not in parts]
    for place in sorted({path.parent for path in whole}):
        here = [path for path in whole if path.parent == place]
        files += [path for path in here if path.stem.startswith("scene")][:1] or here
    return files


def revision(folder):
    """The commit of a clone, shortened; of an unpacked folder nothing."""
    done = subprocess.run(["git", "-C", str(folder), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else ""


def land(program, path, law):
    """The answer as a dictionary, or the first line of the refusal, and the seconds it took."""
    begin = time.perf_counter()
    try:
        done = subprocess.run([program, "impact", str(path), "--law", law, "--format", "json"], capture_output=True,
                              text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "no answer in 60 s", 60.0
    seconds = time.perf_counter() - begin
    if done.returncode != 0:
        return (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[0], seconds
    return json.loads(done.stdout), seconds


def described(program, path):
    done = subprocess.run([program, "impact", str(path), "--describe", "--format", "json"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def row(name, source, found, robot, seconds):
    answer = found["answers"][0]
    struck = found.get("struck", [found.get("chosen")])
    how = "taps" if found["landing"]["swings"] else "lands"
    loss = f"{100 * answer['energy_change'] / found['energy']:.3g} %" if "energy_change" in answer else "no answer"
    contacts = f"{len(struck)} contact" + ("s" if len(struck) > 1 else "")
    return (f"| {name} | {source} | {robot['format']} | {len(found['u'])} | {len(robot['loops'])} | {how}, {contacts} | {loss} "
            f"| {seconds:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--program", default=str(pathlib.Path(__file__).resolve().parent.parent / "run"))
    parser.add_argument("--law", default="routh")
    parser.add_argument("--docs", type=pathlib.Path)
    options = parser.parse_args()
    rows, refused, files = [], [], 0
    for folder in options.folders:
        source = " ".join(filter(None, (folder.name, revision(folder))))
        for path in robot_files(folder):
            robot = described(options.program, path)
            files += 1
            if sys.stderr.isatty():
                print(f"\r{files} {path.relative_to(folder)}\033[K", end="", file=sys.stderr)
            found, seconds = land(options.program, path, options.law)
            name = str(path.relative_to(folder))
            if isinstance(found, str) and "at least one joint" in found:
                files -= 1  # an obstacle, or a part
            elif isinstance(found, str):
                refused.append((name, found.replace(str(path) + ": ", "").replace(str(folder) + "/", "")))
            else:
                rows.append(row(name, source, found, robot, seconds))
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    out = [f"{len(rows)} of {files} files answer; law `{options.law}`.", "",
           "| model | source | format | speeds | loops | what it does | energy | time [s] |",
           "| --- | --- | --- | --- | --- | --- | --- | --- |", *rows]
    if refused:
        out += ["", "Refused:", "", *(f"- {name}: {why[:200]}" for name, why in refused)]
    text = "\n".join(out) + "\n"
    if options.docs is None:
        print(text, end="")
        return
    page = options.docs.read_text(encoding="utf-8")
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    options.docs.write_text(page[:begin] + text + page[end:], encoding="utf-8")


if __name__ == "__main__":
    main()
