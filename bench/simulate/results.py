#!/usr/bin/env python3
"""Turns the JSON of the simulate programs into tables, a section of docs/benchmarks.md and a figure."""

import argparse
import datetime
import json
import os
import pathlib
import sys

from figure import draw

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from table import duration, measured_on, ratio, sections_of, table  # noqa: E402 (bench/table.py)

TITLE, OURS = "Simulations", "ricochet"

NOTE = """\
`bench/simulate/run --update-docs` writes this section. The scenes, the errors and the timing follow SimBenchmark (Kang
and Hwangbo, github.com/leggedrobotics/SimBenchmark):

- `bouncing`: 49 spheres fall from 5 m onto a plane and rebound with e = 1, for 20 s. Error: the mean over the steps of
  (E_i − E)², with E_i the energy of all spheres before step i. E is 24034.5 J.
- `elastic666`: a crystal of 6 × 6 × 6 spheres, not quite regular, falls onto a plane; all impacts have e = 1; 10 s. Error
  as above. The motion is chaotic, so only the energy can be compared.
- `rolling`: a box of 10 kg is pulled over a rough plane with 150 N, and 25 spheres roll on it without slip; 4 s. Error:
  the mean squared difference between the velocities of the box and of the first sphere and the exact ones. The pull is
  along y, or between x and y. A box that never moves scores 3.145.

The error comes from one run. The CPU time is the median of up to five further runs without error evaluation, excluding
setup. ricochet takes no steps: dt is the interval at which its state is read, and its time includes the search for the
first events. The other engines start `rolling` with an overlap of 0.02 mm, without which they find no contact; ricochet
starts without it. All engines use double precision and do not correct positions. A few settings of each were tried, and
kept if they reduced the error or the time; this was not a search for the best settings. ricochet uses its defaults.

- Bullet: rebound at any speed; where e = 1, only bodies that overlap collide (`setContactProcessingThreshold(0)`). With
  its default, 98 % of the energy of `bouncing` is lost at 0.1 ms and 62 % of that of `elastic666` at 1 ms. The floor of
  `rolling` is a box instead of a plane, which makes the error smaller. Tried: solver modes, thresholds, floors.
- ODE: *direct* is `dWorldStep`, the others are `dWorldQuickStep`. Where e = 1 its softness (CFM) is 0. Its friction is a
  pyramid along the axes, which holds the box where the pull is oblique; so is DART's.
- DART: Dantzig's method; collisions of spheres by FCL, which is faster than its own detector. There is no rebound below
  0.1 m/s.
- MuJoCo has no coefficient of restitution: an impact is an undamped spring that lasts 8 steps (this number was not
  varied), and the energy stored in the spring counts as an error. In `rolling`, solvers, time constants and impedances
  were tried.
"""

SCALING_NOTE = """\
Cost of an event as the number of bodies grows: N elastic spheres of 0.1 m in a box of six planes, with 0.125 m³ per
sphere, without gravity. Events are impacts with spheres and with walls, found and resolved; the first 4 s of motion are
not counted.
"""


def number(x):
    return "0" if x == 0 else f"{x:.1e}"


def scene_table(scene, rows):
    mine = [row for row in rows if row["scene"] == scene]
    steps = sorted({row["dt"] for row in mine}, reverse=True)
    found = {(row["by"], row["dt"]): row for row in mine}
    own = found.get((OURS, 1e-3), {}).get("seconds")
    lines = []
    for by in dict.fromkeys(row["by"] for row in mine):
        cells = [by]
        for dt in steps:
            row = found.get((by, dt), {})
            error = number(row["error"]) if "error" in row else "–"
            cells.append(f"{error} / {duration(1e9 * row['seconds'])}" if "seconds" in row else "–")
        theirs = found.get((by, 1e-3), {}).get("seconds")
        cells.append(ratio(theirs / own) if own and theirs else "–")
        lines.append(cells)
    unit = mine[0]["unit"]
    head = [f"{scene} [{unit}]", *(f"dt = {1e3 * dt:g} ms" for dt in steps), "time at 1 ms, over ricochet"]
    return table(head, lines)


def left_out(rows):
    return [f"- {row['scene']}, {row['by']}, dt = {1e3 * row['dt']:g} ms: {row['note']}" for row in rows if "note" in row]


def scaling_table(rows):
    first = rows[0]["seconds_per_event"]
    return table(["spheres", "events", "events in a second of motion", "time of an event", "over one sphere", "energy changes by"],
                 [[str(row["bodies"]), f"{row['events']:.0f}", f"{row['events_per_second']:.3g}",
                   duration(1e9 * row["seconds_per_event"]), ratio(row["seconds_per_event"] / first),
                   number(row["energy_change"])] for row in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("json", type=pathlib.Path, nargs="+")
    parser.add_argument("--absent", default="", help="engines that are not there, with spaces between")
    parser.add_argument("--remark", default="", help="a sentence about this run")
    parser.add_argument("--docs", type=pathlib.Path, help="write the section of this page")
    parser.add_argument("--figure", type=pathlib.Path, help="write the figure here")
    arguments = parser.parse_args()
    data = [json.loads(path.read_text(encoding="utf-8")) for path in arguments.json]
    engines = [entry for entry in data if "rows" in entry]
    scaling = [row for entry in data for row in entry.get("scaling", [])]
    if not engines:
        parser.error("no engine was run")
    rows = [row for entry in engines for row in entry["rows"]]
    context = dict(engines[0], absent=", ".join(arguments.absent.split()))
    versions = ", ".join(f"{entry['engine']} {entry['version']}" for entry in engines)
    start = "given by RICOCHET_CASES" if engines[0]["start"] == "given" else "drawn by the program"
    machine = measured_on(datetime.date.today().isoformat(), os.cpu_count(), context,
                          f"; {versions}; start of `elastic666` {start}; limit {engines[0]['limit']:g} s")
    machine = " ".join(filter(None, [machine, arguments.remark]))
    parts = ["Error / CPU time; last column: CPU time at dt = 1 ms, relative to ours."]
    parts += [scene_table(scene, rows) for scene in dict.fromkeys(row["scene"] for row in rows)]
    if missing := left_out(rows):
        parts.append("Without a figure (–):\n\n" + "\n".join(missing))
    body = "\n\n".join(parts)
    cost = SCALING_NOTE + "\n" + scaling_table(scaling) if scaling else ""
    print(f"{TITLE}\n\n{machine}\n\n{body}\n\n{cost}")
    if arguments.figure:
        arguments.figure.write_text(draw(rows), encoding="utf-8")
    if arguments.docs:
        page = sections_of(arguments.docs.read_text(encoding="utf-8"))
        picture = "![Error against CPU time.](images/simulations.svg)"
        page[TITLE] = "\n\n".join(filter(None, [NOTE.strip(), machine, picture, body, cost.strip()]))
        text = page.pop(None) + "\n" + "".join(f"\n## {title}\n\n{part}\n" for title, part in page.items())
        arguments.docs.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
