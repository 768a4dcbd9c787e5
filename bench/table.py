#!/usr/bin/env python3
"""Turns the JSON of bench_laws, bench_mechanisms and bench_contacts into tables, on the terminal or in docs/benchmarks.md.

A number is the median of the repetitions in CPU time: on a shared machine wall time measures the neighbours. Of the
page only those sections are written anew that were measured.
"""

import argparse
import datetime
import json
import pathlib
import re
import statistics

PEER_REFERENCES = {"chatterjee-ruina": "law/chatterjee-ruina/call", "routh": "law/routh (poisson)/call"}


class Result:
    def __init__(self, entries):
        times = sorted(entry["cpu_time"] for entry in entries)
        self.ns = statistics.median(times)
        quarters = statistics.quantiles(times, n=4) if len(times) > 1 else [self.ns] * 3
        self.spread = (quarters[2] - quarters[0]) / self.ns
        self.label = entries[0].get("label", "")
        known = {"name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions",
                 "repetition_index", "threads", "iterations", "real_time", "cpu_time", "time_unit", "label"}
        self.counters = {key: value for key, value in entries[0].items() if key not in known}


def read(path):
    text = path.read_text(encoding="utf-8")
    if not text.strip():
        return {}, {}  # a filter that leaves nothing
    data = json.loads(text)
    groups = {}
    for entry in data["benchmarks"]:
        if entry["run_type"] == "iteration" and "error_occurred" not in entry:
            groups.setdefault(entry["run_name"], []).append(entry)
    # The program runs them in random order; the families are numbered as they were written down.
    ordered = sorted(groups.items(), key=lambda item: item[1][0]["family_index"])
    return data["context"], {name: Result(entries) for name, entries in ordered}


def duration(ns):
    for unit, size in (("ns", 1), ("µs", 1e3), ("ms", 1e6)):
        if ns < 999.5 * size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns / 1e9:.3g} s"


def ratio(x):
    return f"{x:.2g}" if x < 0.995 else f"{x:.1f}" if x < 10 else f"{x:.0f}"


def table(head, rows):
    """Markdown that also reads well on a terminal."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]

    def line(cells):
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"

    return "\n".join([line(head), line(["-" * width for width in widths]), *map(line, rows)])


def law_table(results):
    rows, seen = [], []
    for name in results:
        match = re.fullmatch(r"law/(.+)/(kernel|call)", name)
        if match and match.group(1) not in seen:
            seen.append(match.group(1))
    for law in seen:
        kernel, call = results.get(f"law/{law}/kernel"), results.get(f"law/{law}/call")
        refused = int(call.counters.get("refused", 0)) if call else 0
        rows.append([law + (f" ({refused} of 1024 refused)" if refused else ""), duration(kernel.ns) if kernel else "",
                     duration(call.ns) if call else ""])
    return table(["law", "kernel and certificate", "whole call"], rows) if rows else ""


def part_table(results):
    rows = [[name.removeprefix("part/"), duration(result.ns)]
            for name, result in results.items() if name.startswith("part/")]
    return table(["part", "time"], rows) if rows else ""


def batch_table(results):
    """Times of one collision; from memory also the bandwidth as a share of the triad's."""
    def entry(law, how):
        result = results.get(f"batch/{law}/{how}") or results.get(f"batch/{law}/{how}/real_time")
        return result and (result.ns / result.counters["collisions"], result.counters.get("bytes", 0))

    def share(law, how):
        ours, triad = entry(law, how), entry("triad", how)
        if not ours:
            return ""
        bandwidth = ours[1] / ours[0] / (triad[1] / triad[0]) if triad else 0
        return duration(ours[0]) + (f" ({100 * bandwidth:.0f} %)" if triad else "")

    names = dict.fromkeys(name.split("/")[1] for name in results if name.startswith("batch/"))
    head = ["law", "one by one", "SSE2", "AVX2", "AVX-512", "float", "from memory"]
    threads = any(entry(law, "threads") for law in names)
    if threads:
        head.append("all threads")
    rows = []
    for law in names:
        if law != "triad":
            cache = [entry(law, how) for how in ("one by one", "SSE2", "AVX2", "AVX-512", "float")]
            rows.append([law, *(duration(one[0]) if one else "" for one in cache), share(law, "memory"),
                         *([share(law, "threads")] if threads else [])])
    for how, text in (("memory", "one thread"), ("threads", "all threads")):
        if one := entry("triad", how):
            rows.append([f"triad, {text}", "", "", "", "", "", f"{one[1] / one[0]:.3g} GB/s",
                         *([""] if threads else [])])
    return table(head, rows) if rows else ""


def remarks(counters):
    out = []
    if "of" in counters:
        for key, value in counters.items():
            if key != "of":
                out.append(f"{key}: {value:.0f} of {counters['of']:.0f}")
    else:
        for key, value in counters.items():
            out.append(f"{key}: {value:.2g}" if value and abs(value) < 1 else f"{key}: {value:.0f}")
    return "; ".join(out)


def peer_table(results):
    references = {short: results[name].ns for short, name in PEER_REFERENCES.items() if name in results}
    rows = []
    for name, result in results.items():
        if name.startswith("peer/"):
            ratios = [ratio(result.ns / ns) for ns in references.values()]
            rows.append([name.removeprefix("peer/"), duration(result.ns), *ratios, remarks(result.counters),
                         result.label])
    head = ["library", "time", *(f"over {short}" for short in references), "checked", "what it computes"]
    return table(head, rows) if rows else ""


def routh_table(results):
    rows = []
    for name, result in results.items():
        match = re.fullmatch(r"routh/(.+)/(.+)", name)
        if not match:
            continue
        own = results.get(f"routh/{match.group(1)}/ricochet")
        rows.append([match.group(1), match.group(2), duration(result.ns), ratio(result.ns / own.ns) if own else "",
                     f"{result.counters['median error']:.1e}", f"{result.counters['largest error']:.1e}",
                     f"{result.counters['failed']:.0f}"])
    return table(["restitution", "by", "time", "over ricochet", "median error", "largest error", "failed"],
                 rows) if rows else ""


def mechanism_table(results):
    """Rows: who and what; columns: degrees of freedom, with the ratio to our impact in linear time."""
    found = {}
    for name, result in results.items():
        match = re.fullmatch(r"mechanism/(\d+)/(.+)", name)
        if match:
            found.setdefault(match.group(2), {})[int(match.group(1))] = result
    sizes = sorted({dof for row in found.values() for dof in row})
    own = {"L and W": found.get("ricochet, linear time, L and W", {}),
           "impact": found.get("ricochet, linear time, impact", {})}
    rows = []
    for who, row in found.items():
        base = own["L and W" if who.endswith("L and W") else "impact"]
        cells = [f"{duration(row[dof].ns)} ({ratio(row[dof].ns / base[dof].ns)})" if dof in row and dof in base else "–"
                 for dof in sizes]
        off = max((result.counters.get("W off by", 0) for result in row.values()), default=0)
        rows.append([who, *cells, f"{off:.0e}" if off else "", f"{max(r.spread for r in row.values()):.0%}"])
    return table(["degrees of freedom", *map(str, sizes), "W off by", "spread"], rows) if rows else ""


def feet_table(results):
    """Rows: who and what, with the ratio to our L and W, or to our impact by chatterjee-ruina, in linear time."""
    rows = []
    for name, result in results.items():
        if not name.startswith("feet/"):
            continue
        who = name.removeprefix("feet/")
        what = "L and W" if who.endswith("L and W") else "chatterjee-ruina"
        own = results.get(f"feet/ricochet, linear time, {what}")
        off = [f"{key[0]}: {value:.0e}" for key, value in result.counters.items() if key.endswith("off by")]
        rows.append([who, duration(result.ns), ratio(result.ns / own.ns) if own else "",
                     *(f"{result.counters[key]:.0f}" if key in result.counters else "" for key in
                       ("contacts", "collisions")), "; ".join(off), f"{result.spread:.0%}"])
    return table(["by", "time", "over ricochet", "contacts", "collisions", "off by", "spread"], rows) if rows else ""


def sledge_table(results):
    rows = []
    for name, result in results.items():
        match = re.fullmatch(r"sledge/(.+?)/(.+)", name)
        if not match:
            continue
        own = results.get(f"sledge/{match.group(1)}/ricochet")
        rows.append([match.group(1), match.group(2), duration(result.ns), ratio(result.ns / own.ns) if own else "",
                     f"{result.counters['median error']:.1e}", f"{result.counters['largest error']:.1e}",
                     f"{result.counters['failed']:.0f}"])
    return table(["contacts", "by", "time", "over ricochet", "median error", "largest error", "failed"],
                 rows) if rows else ""


def crossing_table(results):
    rows = []
    for name, result in results.items():
        match = re.fullmatch(r"crossing/(.+?)/(.+)", name)
        if match:
            counts = [f"{result.counters[key]:.0f}" for key in ("events", "missed", "late", "invented", "failed")]
            rows.append([match.group(1), match.group(2), duration(result.ns), *counts])
    order = list(dict.fromkeys(row[0] for row in rows))
    rows.sort(key=lambda row: order.index(row[0]))
    return table(["gaps", "by", "time", "events", "missed", "late", "invented", "failed"], rows) if rows else ""


REFERENCE = "ricochet, sequence"


def contacts_tables(data):
    """Rows: solvers; columns: contacts. One table for each of what is measured, and why a solver goes no further."""
    found, sizes, ends = {}, {}, []
    for entry in data["results"]:
        scene, solver, contacts = entry["scene"], entry["solver"], entry["contacts"]
        found.setdefault((scene, solver), {})[contacts] = entry
        sizes[contacts] = True
        if entry["seconds"] is None and scene == "rough":
            ends.append(f"- {solver} at {contacts}: {entry['note']}")
    solvers = list(dict.fromkeys(entry["solver"] for entry in data["results"]))
    own = found[("rough", REFERENCE)]

    def one(title, scene, cell):
        rows = []
        for solver in solvers:
            row = found.get((scene, solver), {})
            rows.append([solver, *(cell(row[k]) if k in row and row[k]["seconds"] is not None else "–" for k in sizes)])
        return f"{title}\n\n" + table(["contacts", *map(str, sizes)], rows)

    def time(entry):
        base = own.get(entry["contacts"], {}).get("seconds")
        return duration(1e9 * entry["seconds"]) + (f" ({ratio(entry['seconds'] / base)})" if base else "")

    def tiny(x):
        return "0" if x == 0 else f"{x:.1e}"

    return "\n\n".join([
        one("Time; in parentheses, relative to our sequence:", "rough", time),
        one("Largest remaining approach speed [m/s]:", "rough", lambda entry: tiny(max(0, entry["approach"]))),
        one("Energy after the impact, relative to the energy before:", "rough", lambda entry: f"{entry['energy']:.4f}"),
        one("Relative error of the energy where it is conserved (e = 1, μ = 0):", "elastic",
            lambda entry: tiny(abs(entry["energy"] - 1))),
        "Where each solver stops:\n\n" + "\n".join(ends) if ends else ""]).rstrip()


def measured_on(date, cores, data, more=""):
    lines = [f"Measured {date} on {processor()}, {cores} cores, compiler {data['compiler']}, flags "
             f"`{data['flags']}`{more}."]
    if data["absent"]:
        lines.append(f"Not installed, not measured: {data['absent']}.")
    return " ".join(lines)


def contacts_machine(data, date):
    return measured_on(date, data["cores"], data, f"; limit {data['limit']:g} s")


def feet_machine(context):
    return measured_on(context["date"][:10], context["num_cpus"], context)


def processor():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
        return re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE).group(1)
    except (OSError, AttributeError):
        return "unknown processor"


def machine(context):
    lines = [f"- processor: {processor()}, {context['num_cpus']} cores in use",
             f"- compiler: {context.get('compiler', 'unknown')}, flags `{context.get('flags', '')}`",
             f"- date: {context['date'][:10]}"]
    if context.get("absent"):
        lines.append(f"- not installed, not measured: {context['absent']}")
    return "\n".join(lines)


INTRODUCTION = """\
# Benchmarks

`bench/run` measures and `bench/run --update-docs` writes this page. Every number is the CPU time of one collision: the
median of several repetitions in random order, taken in one run on one machine. Ratios are more meaningful than times.

The contacts are 1024 random ones from a fixed seed: cond(M) ≤ 10, friction 0.1 to 1, restitution 0 to 1, all with
initial slip. `bilinear` has its own set with diagonal M, `pfeiffer-glocker` a planar one. *Hard* contacts have cond(M)
up to 1e4.
"""

LAW_NOTE = """\
*Kernel and certificate* starts from a contact in its own axes and ends with the outcome in input axes, including
certificate and path, all in double precision. *Whole call* is `collide(law, contact)`: range checks, axes and, for
`routh`, extended precision where the conditioning requires it. Constructing the contact from M, V and n precedes both
and is listed under Parts. `composite` has no kernel of its own; here it combines `chatterjee-ruina` and `routh`.
"""

BATCH_NOTE = """\
Collisions in columns ([batch.md](batch.md)), from M, V and n as numbers to certified answers, including checks, in double
unless stated otherwise. Times are per collision. *One by one* is `contact_from_mass` and `collide`. The next columns are
packs of each width on one thread, from cache (1024 collisions); *float* uses the widest. *From memory* uses 2¹⁹
collisions; the bandwidth in parentheses is relative to a STREAM triad in the same run. Inputs are six entries of M, V, n,
e and μ; outputs are P, V⁺, the energy change, four margins and two bytes. *All threads* is wall time.
"""

PEER_NOTE = """\
The same contacts are solved by other libraries; ratios are relative to the whole call of `chatterjee-ruina` and of
`routh`, and below 1 the other library is faster. None of them solves exactly the same problem, so read the ratio
together with the last column:

- Siconos works in the same contact space from a prepared W, and its answer is one of Whittaker's law, so the kernel of
  `whittaker` above is the direct comparison. The residual is checked here, in units of ‖M V‖, because a success status
  does not imply a small residual.
- Bullet, ODE and MuJoCo use bodies, not contact space. They get a pair of bodies with the same mass matrix (`realize`),
  and a step also integrates positions and, with Bullet and MuJoCo, detects the contact. The time includes resetting the
  bodies to their initial state. They run on the first 64 contacts.
- Bullet's `resolveSingleCollision` ignores friction and restitution: it is `frictionless` with e = 0.
- MuJoCo has no impact law: its contact is soft, and one step is a small part of an impact.
"""

ROUTH_NOTE = """\
Routh's law in three dimensions, kernel without certificate, is compared with Boost.odeint's Runge–Kutta–Fehlberg 7(8) and
SUNDIALS CVODE (Adams, with its root finding). The library integrates only the slip; sticking, resumed slip and the end of
a vanishing slip use closed forms there as well. *As stated* uses the normal impulse as the variable (CR98 Eq. 7). The
*regular form* is a change of variable that removes the singularity at zero slip, which the library cannot find by itself.
The tolerance is the largest that keeps the maximum error near 1e-12, the guaranteed accuracy of `routh`; the table shows
the error achieved. Errors are relative to the law in extended precision, on the first 256 contacts, in units of ‖M V‖.
The library's version does not detect friction that drives the bodies back into compression, and returns no path.
"""

MECHANISM_NOTE = """\
Four mechanisms, the same for all libraries: two links hinged to the world; a free trunk with 2 limbs of 3 hinges; one
with 5 limbs of 6; a chain of 1,000 hinged links. The sole of the last link strikes a floor. Before timing, each library's
W is compared with that of our mass matrix; the column *W off by* shows the largest difference.

- *L and W*: from a new configuration to 𝓜⁻¹Jᵀ and J𝓜⁻¹Jᵀ for three directions at one point; in parentheses, relative to
  ours in linear time. DART applies three unit impulses, as its contacts do; Simbody uses its operators for Jᵀ and 𝓜⁻¹;
  MuJoCo uses composite inertias and its sparse factor.
- *Impact*: the same, plus the law `routh` with `stronge` and the speeds after the impact. *Step* is what an engine does
  instead: detect the contact, solve it (DART as a boxed complementarity problem with restitution, MuJoCo as a small part
  of a soft impact), and integrate positions; in parentheses, relative to our impact in linear time.

*Spread*: the middle half of the repetitions lies within this fraction of their median, in the worst column.
"""

FEET_NOTE = """\
The trunk with 5 limbs of 6 hinges, 36 degrees of freedom, falls upright onto a floor. All five soles touch it at once,
each with a different approach speed.

- *chatterjee-ruina* and *routh* (with `stronge`), e = 0.5 and μ = 0.4: from configuration and speeds to the speeds after
  the impact. This includes kinematics, inertias, L and W of every sole, the sequence of collisions
  ([simultaneous.md](simultaneous.md)) and its certificate. The velocities of all soles after the impact are compared with
  those of a plain loop over the dense W.
- *L and W*: from a new configuration to 𝓜⁻¹Jᵀ and all 25 blocks of J𝓜⁻¹Jᵀ. Each library's results are compared with ours
  by the mass matrix.
- *Step*: as above, with the same five contacts, which the engine detects itself; ours are given.

Ratios are relative to ours in linear time: *L and W* to *L and W*, all others to *chatterjee-ruina*.
"""

SLEDGE_NOTE = """\
One impact of `spring-sledge` from first touch to separation (hysteretic spring, stiffness ratio 14/17, restitution at
least 0.1) is compared with SUNDIALS CVODE with its root finding, and with the time-stepping of particle codes:
semi-implicit Euler, with the tangential spring projected onto the cone after every step and the stated number of steps
in the duration of a frictionless impact. Planar contacts are solved by modes and exact roots; sliding in space is
integrated implicitly. Errors are relative to the law in extended precision, in units of ‖M V‖, on 256 contacts.
"""

CROSSING_NOTE = """\
The first time at which a quartic gap becomes negative ([motion.md](motion.md)), on 1024 gaps of each kind: coefficients
of equal magnitude; the squared distance of two spheres; starts at zero or within rounding of it (*parted*); two zeros
with a relative distance of 1e-2 to 1e-16; an obstacle that lasts 1e-9 of the time; a double zero with one coefficient
moved to a neighbouring double; two dips of which the first is shallow; the square of a quadratic, which only touches
zero. *Events* are those of the stored coefficients, by exact arithmetic. *Missed*: no event was reported. *Late*: a later
crossing was reported. *Invented*: an event was reported where there is none, or more than 1e-6 of the interval too early.
*Sign changes* evaluates the polynomial at equal steps and bisects the first step that ends below zero. CVODE integrates
the gap and its derivatives (Adams, tolerances 1e-10 and 1e-12) with its root finding.
"""


CONTACTS_NOTE = """\
`bench/run --contacts --update-docs` writes this section. A heavier ball strikes a crystal of n × n × n touching balls
at 5 m/s, off its axes: 13 to 95 233 contacts, e = 0.5 and μ = 0.2, the same graph for all. Contacts are given to the
solver, except for MuJoCo, whose step detects them. A time is the median of as many runs as fit into 0.3 s, excluding
the construction of bodies, W or constraint rows. A solver that exceeds the time limit on one graph is stopped and not
run on larger ones. The solvers do not solve the same problem, so read the times together with the other tables:

- *ricochet, sequence*: CR98 6.4, `chatterjee-ruina` at every collision. The impulse propagates from ball to ball and
  energy is lost at each, so more contacts mean less final energy: a difference of models, not of accuracy.
- *ricochet, anitescu-potra* and *weighted*: all contacts at once ([complementarity.md](complementarity.md)), to
  rounding, with certificates. *Siconos, NSGS* is the iteration used inside the first of them, alone, with Newton's e,
  to its own tolerance of 1e-8.
- *Simbody, PLUS* (Uchida, Sherman and Delp 2015): dense matrices (W alone would be 6.4 GB at 9451 contacts), one
  factorisation for each change of the active set, and e only at contacts that approach initially. Debian's build
  includes its self-checks (output, a Jacobian by differences), which count towards the time.
- *Bullet*: sequential impulses in single precision, the stated number of iterations, Newton's e; its default is 10.
- *MuJoCo*: one step of 1 ms, with collision detection, through soft contacts that have no e: a small part of an impact,
  hence the remaining approach speed. Its Newton solver uses a dense Hessian; CG, conjugate gradients, does not.
"""


def sections_of(page):
    """Title and text of each part that begins with ##; what comes before them has the title None."""
    out, title, lines = {}, None, []
    for line in page.splitlines():
        if line.startswith("## "):
            out[title] = "\n".join(lines).strip("\n")
            title, lines = line[3:], []
        else:
            lines.append(line)
    out[title] = "\n".join(lines).strip("\n")
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("json", type=pathlib.Path, nargs="*")
    parser.add_argument("--contacts", type=pathlib.Path, help="the JSON of bench_contacts")
    parser.add_argument("--docs", type=pathlib.Path, help="write what was measured into this page")
    arguments = parser.parse_args()
    context, results, absent = {}, {}, []
    for path in arguments.json:
        one_context, one_results = read(path)
        absent += filter(None, one_context.get("absent", "").split(", "))
        context = one_context | context
        results |= one_results
    if not results and not arguments.contacts:
        parser.error("nothing was measured")
    context["absent"] = ", ".join(dict.fromkeys(absent))
    contacts = json.loads(arguments.contacts.read_text(encoding="utf-8")) if arguments.contacts else None
    today = datetime.date.today().isoformat()
    feet = feet_table(results)
    of_one_machine = any(not name.startswith("feet/") for name in results)
    sections = [("Machine", machine(context) if of_one_machine else "", ""), ("Laws", law_table(results), LAW_NOTE),
                ("Derivatives", "", ""),  # kept as it is: both calls run alternately, which this program does not do
                ("Parts", part_table(results), ""), ("Batches", batch_table(results), BATCH_NOTE),
                ("On a CUDA device", "", ""),  # kept as it is: bench_device prints it where there is a device
                ("Promises in bulk", "", ""),
                ("Other libraries", peer_table(results), PEER_NOTE),
                ("Routh's law by an ODE library", routh_table(results), ROUTH_NOTE),
                ("Mechanisms", mechanism_table(results), MECHANISM_NOTE),
                ("All feet at once", feet, FEET_NOTE + "\n" + feet_machine(context) + "\n" if feet else ""),
                ("A compliant impact by other methods", sledge_table(results), SLEDGE_NOTE),
                ("First crossings", crossing_table(results), CROSSING_NOTE),
                ("Many contacts", contacts_tables(contacts) if contacts else "",
                 CONTACTS_NOTE + "\n" + contacts_machine(contacts, today) + "\n" if contacts else ""),
                ("Simulations", "", "")]  # kept as bench/simulate/run wrote it
    for title, body, _ in sections:
        if body:
            print(f"{title}\n\n{body}\n")
    if arguments.docs:
        old = sections_of(arguments.docs.read_text(encoding="utf-8")) if arguments.docs.exists() else {}
        page = INTRODUCTION
        for title, body, note in sections:
            text = (note + "\n" if note else "") + body if body else old.get(title, "")
            if text:
                page += f"\n## {title}\n\n{text}\n"
        arguments.docs.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
