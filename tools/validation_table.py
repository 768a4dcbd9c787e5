#!/usr/bin/env python3
"""Writes the deviations that the validation scenes recorded into the table of docs/motion.md.

    build/test/bin/test_motion --gtest_output=json:out.json
    tools/validation_table.py out.json

A row names its test in the last column; the third one is written anew: the largest deviation of each quantity, rounded up to
one digit, or "fails". A row whose test did not run stays as it is."""

import json
import math
import pathlib
import sys

BEGIN, END = "<!-- validation scenes -->", "<!-- end of validation scenes -->"
KNOWN = {"name", "file", "line", "status", "result", "timestamp", "time", "classname", "failures"}


def rounded_up(text):
    x = float(text)
    if x == 0 or not math.isfinite(x):
        return text
    exponent = math.floor(math.log10(x))
    digit = math.ceil(x / 10**exponent - 1e-9)
    return f"{digit}e{exponent}" if digit < 10 else f"1e{exponent + 1}"


def deviations(path):
    """Of each test that ran: the text for its row."""
    out = {}
    for suite in json.loads(path.read_text(encoding="utf-8"))["testsuites"]:
        for test in suite["testsuite"]:
            if test.get("result") != "COMPLETED":
                continue
            found = [f"{name.replace('_', ' ')} {rounded_up(value)}" for name, value in test.items() if name not in KNOWN]
            out[f"{suite['name']}.{test['name']}"] = "fails" if test.get("failures") else ", ".join(found) or "within its bounds"
    return out


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    seen = {}
    for name in sys.argv[1:]:
        seen.update(deviations(pathlib.Path(name)))
    page = pathlib.Path(__file__).resolve().parents[1] / "docs" / "motion.md"
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    table, after = rest.split(END)
    lines = []
    for line in table.split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        test = cells[-1].strip("`")
        if len(cells) == 4 and test in seen:
            line = f"| {cells[0]} | {cells[1]} | {seen[test]} | {cells[3]} |"
        lines.append(line)
    page.write_text(before + BEGIN + "\n".join(lines) + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
