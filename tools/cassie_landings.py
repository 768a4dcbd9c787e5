#!/usr/bin/env python3
"""Measured landings of the robot Cassie against `ricochet impact`: joint speeds after touchdown, by law.

    tools/cassie_landings.py DATA MODEL [--program RICOCHET] [--landings N] [--csv FILE]

DATA is a folder with mjcf_states.csv (full states of the model at 2 kHz) and touchdowns.csv (samples at which the feet touch);
MODEL is the MJCF file of the robot with a floor, agility_cassie/scene.xml of mujoco_menagerie. Neither is part of this project: where
one is absent the tool says so and exits with 77. docs/experiments.md has what it printed, and the caveats.

Of each landing the foot that touches first is struck, at the lower of its points. The state before is that of 3 ms before the sample at
which the downward speed has halved. Compared are the changes of the seven measured joint speeds of that leg, up to the median of a
window of time after that sample. e and mu of a law are the pair of a grid that is best on the other landings.
"""

import argparse
import concurrent.futures
import csv
import json
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile

ABSENT = 77
BEFORE = 6  # samples of 0.5 ms
WINDOWS = {"1 to 3 ms": (2, 6), "3 to 6 ms": (6, 12), "6 to 15 ms": (12, 30)}
JOINTS = ("hip-roll", "hip-yaw", "hip-pitch", "knee", "shin", "tarsus", "foot")
HINGES = JOINTS + ("heel-spring", "foot-crank", "plantar-rod")
LAWS = ("frictionless", "routh", "chatterjee-ruina", "whittaker", "smith", "anitescu-potra")
GRID = [(e, mu) for e in (0, 0.2, 0.4, 0.6) for mu in (0.1, 0.3, 0.6, 1)]


def table(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file))


def column(side, joint):
    return f"{side}_{joint.replace('-', '_')}"


def state(row):
    """The state of a sample as a state file of `ricochet impact`."""
    q = {"joint0": [row[f"base_{k}"] for k in ("x", "y", "z", "qw", "qx", "qy", "qz")]}
    u = {"joint0": [row[f"base_{k}"] for k in ("vx", "vy", "vz", "wx", "wy", "wz")]}
    for side in ("left", "right"):
        rod = column(side, "achilles-rod")
        q[f"{side}-achilles-rod"] = [row[f"{rod}_q{k}"] for k in "wxyz"]
        u[f"{side}-achilles-rod"] = [row[f"{rod}_w{k}"] for k in "xyz"]
        for joint in HINGES:
            q[f"{side}-{joint}"], u[f"{side}-{joint}"] = row[column(side, joint)], row[column(side, joint) + "_dot"]

    def written(value):
        return f"[{', '.join(written(x) for x in value)}]" if isinstance(value, list) else repr(float(value))

    return "\n".join([f"[{name}]\n" + "\n".join(f'"{joint}" = {written(x)}' for joint, x in values.items())
                      for name, values in (("q", q), ("u", u))]) + "\n"


def ask(program, *arguments):
    done = subprocess.run([program, "impact", *map(str, arguments), "--format", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return json.loads(done.stdout)


class Landing:
    """One landing: the foot that touches first, what was measured of its leg, and what each law predicts."""

    def __init__(self, program, model, touchdown, samples, folder):
        self.number = int(touchdown["landing"])
        self.side = min(("left", "right"), key=lambda side: int(touchdown[f"{side}_sample_touch"]))
        touch = int(touchdown[f"{self.side}_sample_touch"])
        before = samples[touch - BEFORE]
        speeds = [column(self.side, joint) + "_dot" for joint in JOINTS]
        self.measured = {name: [statistics.median(float(row[speed]) for row in samples[touch + low:touch + high + 1]) -
                                float(before[speed]) for speed in speeds] for name, (low, high) in WINDOWS.items()}
        path = pathlib.Path(folder) / f"{self.number}.toml"
        path.write_text(state(before), encoding="utf-8")
        self.arguments = [model, "--state", path, "--assemble", "--reach", 0.1]
        self.program = program
        contacts = ask(program, *self.arguments, "--list")["contacts"]
        own = [i for i, contact in enumerate(contacts) if contact["second"] == f"{self.side}-foot" and contact["closes"]]
        self.contact = min(own, key=lambda i: contacts[i]["gap"]) + 1
        self.gap, self.approach = (contacts[self.contact - 1][name] for name in ("gap", "approach_speed"))
        self.changes = {}  # (law, e, mu): of the joint speeds

    def predict(self, e, mu):
        answer = ask(self.program, *self.arguments, "--contact", self.contact, "--law", "all", "--set", f"e={e}", "--set",
                     f"mu={mu}", "--set", "e_t=0")
        at = {joint["name"]: joint["u"] for joint in answer["joints"]}
        for one in answer["answers"]:
            if one["law"] in LAWS and "u" in one:
                self.changes[one["law"], e, mu] = [one["u"][at[f"{self.side}-{joint}"]] - answer["u"][at[f"{self.side}-{joint}"]]
                                                   for joint in JOINTS]


def rms(numbers):
    numbers = list(numbers)
    return math.sqrt(sum(x * x for x in numbers) / len(numbers))


def missed(landing, key, window):
    return [p - m for p, m in zip(landing.changes[key], landing.measured[window])]


def held_out(landings, law, window):
    """What a law misses on each landing with the e and mu that are best on the others, and how often each pair was."""
    pairs = [pair for pair in GRID if all((law, *pair) in landing.changes for landing in landings)]
    out, chosen = [], {}
    for landing in landings:
        others = [other for other in landings if other is not landing]
        best = min(pairs, key=lambda pair: rms(x for other in others for x in missed(other, (law, *pair), window)))
        chosen[best] = chosen.get(best, 0) + 1
        out.append(missed(landing, (law, *best), window))
    return out, max(chosen, key=chosen.get)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--program", default="ricochet")
    parser.add_argument("--landings", type=int, default=0, help="only the first N")
    parser.add_argument("--csv", help="file for every joint of every landing")
    given = parser.parse_args()
    for path in (given.data / "mjcf_states.csv", given.data / "touchdowns.csv", given.model):
        if not path.exists():
            print(f"skipped: {path} is not there")
            return ABSENT
    samples = {}
    for row in table(given.data / "mjcf_states.csv"):
        samples.setdefault(row["landing"], []).append(row)
    touchdowns = table(given.data / "touchdowns.csv")
    known = [row for row in touchdowns if row["left_sample_touch"] and row["right_sample_touch"]]
    for row in touchdowns:
        if row not in known:
            print(f"landing {row['landing']} has no touchdown, left out")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        landings = list(pool.map(lambda row: Landing(given.program, given.model, row, samples[row["landing"]], folder),
                                 known[:given.landings or None]))
        list(pool.map(lambda task: task[0].predict(*task[1]), [(landing, pair) for landing in landings for pair in GRID]))
    print(f"{len(landings)} landings; approach {min(x.approach for x in landings):.2f} to {max(x.approach for x in landings):.2f} m/s, "
          f"gap {1e3 * min(x.gap for x in landings):.1f} to {1e3 * max(x.gap for x in landings):.1f} mm\n")
    print("changes of joint speeds missed, rms over landings and joints [rad/s]; e and mu from the other landings\n")
    print(f"{'law':18}" + "".join(f"{name:>26}" for name in WINDOWS))
    print(f"{'(nothing changes)':18}" + "".join(f"{rms(x for landing in landings for x in landing.measured[name]):26.2f}" for name in WINDOWS))
    for law in LAWS:
        line = f"{law:18}"
        for name in WINDOWS:
            errors, (e, mu) = held_out(landings, law, name)
            line += f"{rms(x for one in errors for x in one):10.2f} (e {e:g}, mu {mu:g})".rjust(26)
        print(line)
    print("\nby joint, 3 to 6 ms: rms of the measured change, and missed by routh; correlation of measured and predicted")
    errors, pair = held_out(landings, "routh", "3 to 6 ms")
    for k, joint in enumerate(JOINTS):
        measured = [landing.measured["3 to 6 ms"][k] for landing in landings]
        predicted = [landing.changes["routh", *pair][k] for landing in landings]
        same = statistics.correlation(measured, predicted) if len(landings) > 2 else math.nan
        print(f"{joint:12}{rms(measured):10.2f}{rms(one[k] for one in errors):10.2f}{same:10.2f}"
              f"   mean {statistics.fmean(measured):7.2f} measured, {statistics.fmean(predicted):7.2f} predicted")
    if given.csv:
        with open(given.csv, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["landing", "side", "window", "joint", "measured", "law", "e", "mu", "predicted"])
            for landing in landings:
                for name, measured in landing.measured.items():
                    for (law, e, mu), changes in landing.changes.items():
                        for joint, seen, told in zip(JOINTS, measured, changes):
                            writer.writerow([landing.number, landing.side, name, joint, seen, law, e, mu, told])
    return 0


if __name__ == "__main__":
    sys.exit(main())
