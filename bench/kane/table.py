#!/usr/bin/env python3
"""Turns the answers of the kane programs into tables, on the terminal and between the marks in docs/kane.md."""

import argparse
import json
import math
import pathlib

BEGIN, END = "<!-- tables of bench/kane/run -->", "<!-- end of tables -->"
SAME = 1e-3  # of the speed before: two answers that are closer count as one


def table(head, rows):
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]

    def line(cells):
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"

    return "\n".join([line(head), line(["-" * width for width in widths]), *map(line, rows)])


def title(row):
    return f"{row['e']:g}, {row['mu']:g}"


def minus(x):
    return f"{x:.4f}".replace("-", "−")


def number(row, key, gain=False):
    if key not in row:
        return "–"
    x = row[key]
    text = f"{x:+.4f}".replace("-", "−")
    if text.strip("+−") == "0.0000":
        text = "0.0000"
    if gain and x > 5e-5:
        text = f"**{text}**"
    return text + ("" if row["settled"] else " ?")


def quantity(variants, key, gain=False):
    head = ["e, μ", *(title(row) for row in variants[0]["rows"])]
    return table(head, [[v["name"], *(number(row, key, gain) for row in v["rows"])] for v in variants])


def apart(a, b, speed):
    return math.hypot(a["v_n"] - b["v_n"], a["v_t"] - b["v_t"]) / speed


def likeness(variants, laws, speed):
    """For each case, the laws that give an engine's answer."""
    rows = []
    for v in variants:
        cells = [v["name"]]
        for i, row in enumerate(v["rows"]):
            if "v_n" not in row:
                cells.append("–")
                continue
            same = [law["short"] for law in laws if "v_n" in law["rows"][i] and
                    apart(row, law["rows"][i], speed) <= SAME]
            cells.append(" ".join(same) or "none")
        rows.append(cells)
    return table(["e, μ", *(title(row) for row in variants[0]["rows"])], rows)


def steps(variants):
    rows = []
    for v in variants:
        a = v["agreement"]
        answered = [row for row in v["rows"] if "step" in row]
        smallest = min((row["step"] for row in answered), default=0)
        change = max((row["last_change"] for row in answered), default=0)
        rows.append([v["name"], *(f"{a[key]:.0e}" for key in ("mass", "W", "V", "energy")), f"{smallest:.0e} s" if smallest else "",
                     f"{change:.0e}"])
    return table(["", "mass matrix", "W", "tip velocity", "energy", "smallest step", "last change"], rows)


LETTERS = {"M11, closed form (e energetic)": "M", "ST98, closed form (e kinetic)": "S",
           "conventional, against the initial slip": "I", "conventional, against the reversed slip": "R",
           "frictionless": "F", "chatterjee-ruina": "C", "routh, newton": "N", "whittaker": "W", "smith": "D", "anitescu-potra": "A"}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("json", type=pathlib.Path, nargs="+")
    parser.add_argument("--docs", type=pathlib.Path, help="write between the marks of this page")
    arguments = parser.parse_args()
    engines = [json.loads(path.read_text(encoding="utf-8")) for path in arguments.json]
    ours = [v for e in engines if e["engine"] == "ricochet" for v in e["variants"]
            if any("v_n" in row for row in v["rows"])]
    others = [v for e in engines if e["engine"] != "ricochet" for v in e["variants"]]
    everyone = ours + others
    laws = [dict(v, short=LETTERS[v["name"]]) for v in ours if v["name"] in LETTERS]
    v_t, v_n = engines[0]["v_t"], engines[0]["v_n"]
    speed = math.hypot(v_t, v_n)
    versions = ", ".join(f"{e['engine']} {e['version']}" for e in engines if e["version"])
    key = "; ".join(f"{law['short']}: {law['name']}" for law in laws)
    sections = [
        ("Change of energy [J]", "Gains are in bold.", quantity(everyone, "energy_change", gain=True)),
        ("Slip after the impact [m/s]", f"Before it, {minus(v_t)}. A tip that sticks has 0.", quantity(everyone, "v_t")),
        ("Rebound [m/s]", f"Normal velocity after; before it, {minus(v_n)}.", quantity(everyone, "v_n")),
        ("Whose answer it is", f"Our laws that give the same velocity, to {SAME:g} of the speed before. {key}.", likeness(others, laws, speed))
        if others else None,
        ("The same mechanism", "Relative difference from ours before the impact; the smallest time step used, and the "
         "change of the tip's velocity after the impact, relative to its speed before, at the last refinement.",
         steps(others)) if others else None,
    ]
    body = f"Versions: {versions}.\n" if versions else ""
    for section in filter(None, sections):
        name, note, text = section
        body += f"\n### {name}\n\n{note}\n\n{text}\n"
    refused = [f"- {v['name']}, {title(row)}: {row['why']}" for v in everyone for row in v["rows"] if "why" in row]
    if refused:
        body += "\nNo answer (–):\n\n" + "\n".join(refused) + "\n"
    if any(not row.get("settled", True) for v in everyone for row in v["rows"]):
        body += "\nA question mark: the answer had not settled at the smallest step.\n"
    print(body)
    if arguments.docs:
        page = arguments.docs.read_text(encoding="utf-8")
        before, rest = page.split(BEGIN)
        arguments.docs.write_text(before + BEGIN + "\n\n" + body + "\n" + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
