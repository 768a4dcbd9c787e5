"""Error against CPU time, a panel for each scene, as SVG."""

import math

COLOURS = {"ricochet": "#d55e00", "Bullet": "#0072b2", "ODE": "#009e73", "DART": "#cc79a7", "MuJoCo": "#e69f00"}
FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
WIDTH, PANEL, LEFT, TOP, GAP, FOOT = 920, (370, 250), 72, 34, (84, 78), 72
MARKS = ("circle", "square", "triangle")  # dt = 1e-2, 1e-3, 1e-4
SMALLEST = -32  # decade at which an error of 0 is drawn


def decades(values):
    logs = [math.log10(value) for value in values]
    return math.floor(min(logs)), max(math.ceil(max(logs)), math.floor(min(logs)) + 1)


def superscript(n):
    return f"10<tspan dy=\"-4\" font-size=\"9\">{str(n).replace('-', '−')}</tspan>"


def mark(kind, x, y, colour, hollow):
    style = f'fill="{"#ffffff" if hollow else colour}" stroke="{colour}" stroke-width="1.4"'
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" {style}/>'
    if kind == "square":
        return f'<rect x="{x - 3.6:.1f}" y="{y - 3.6:.1f}" width="7.2" height="7.2" {style}/>'
    return f'<polygon points="{x:.1f},{y - 4.8:.1f} {x - 4.4:.1f},{y + 3.4:.1f} {x + 4.4:.1f},{y + 3.4:.1f}" {style}/>'


def dash(variant, variants):
    """Several ways of one engine: solid, dashed, dotted."""
    family = [name for name in variants if engine(name) == engine(variant)]
    return ("", ' stroke-dasharray="6 3"', ' stroke-dasharray="2 3"')[min(family.index(variant), 2)]


def engine(variant):
    return variant.split(",")[0]


def panel(scene, rows, origin, times, variants, steps):
    points = [row for row in rows if row["scene"] == scene and "error" in row]
    positive = [row["error"] for row in points if row["error"] > 0]
    low, high = decades(positive or [1e-16, 1])
    if any(row["error"] == 0 for row in points):
        low = min(low, SMALLEST) if low <= SMALLEST else low - 2
    left, top = origin
    width, height = PANEL

    def at(row):
        x = (math.log10(row["seconds"]) - times[0]) / (times[1] - times[0])
        y = (math.log10(row["error"]) if row["error"] > 0 else low) - low
        return left + x * width, top + height - y / (high - low) * height

    out = [f'<text x="{left + width / 2:.1f}" y="{top - 10}" font-size="14" text-anchor="middle">{scene}</text>']
    for n in range(times[0], times[1] + 1):
        x = left + (n - times[0]) / (times[1] - times[0]) * width
        out.append(f'<line x1="{x:.1f}" y1="{top}" x2="{x:.1f}" y2="{top + height}" stroke="#e4e4e4"/>')
        out.append(f'<text x="{x:.1f}" y="{top + height + 17}" font-size="11" text-anchor="middle">{superscript(n)}</text>')
    every = max(1, math.ceil((high - low) / 9))
    for n in range(low, high + 1):
        if n % every == 0:
            y = top + height - (n - low) / (high - low) * height
            out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{left + width}" y2="{y:.1f}" stroke="#e4e4e4"/>')
            out.append(f'<text x="{left - 7}" y="{y + 4:.1f}" font-size="11" text-anchor="end">{superscript(n)}</text>')
    out.append(f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#555555"/>')
    unit = next(row["unit"] for row in rows if row["scene"] == scene)
    out.append(f'<text x="{left + width / 2:.1f}" y="{top + height + 34}" font-size="12" text-anchor="middle">CPU time [s]</text>')
    out.append(f'<text transform="translate({left - 48},{top + height / 2:.1f}) rotate(-90)" font-size="12" '
               f'text-anchor="middle">error [{unit}]</text>')
    for variant in variants:
        mine = [row for row in points if row["by"] == variant]
        colour = COLOURS[engine(variant)]
        if len(mine) > 1:
            line = " ".join("{:.1f},{:.1f}".format(*at(row)) for row in mine)
            out.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.6"{dash(variant, variants)}/>')
        out += [mark(MARKS[steps.index(row["dt"])], *at(row), colour, row["error"] == 0) for row in mine]
    return out


def draw(rows):
    scenes = list(dict.fromkeys(row["scene"] for row in rows))
    variants = list(dict.fromkeys(row["by"] for row in rows))
    steps = sorted({row["dt"] for row in rows}, reverse=True)
    times = decades([row["seconds"] for row in rows if "seconds" in row])
    lines = math.ceil(len(scenes) / 2)
    foot = TOP + lines * PANEL[1] + (lines - 1) * GAP[1] + 56
    height = foot + FOOT
    title = "Error against CPU time: " + ", ".join(scenes)
    out = ['<?xml version="1.0" encoding="UTF-8"?>',
           f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
           f'font-family="{FONT}" role="img">', f"<title>{title}</title>",
           f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>']
    for i, scene in enumerate(scenes):
        origin = (LEFT + i % 2 * (PANEL[0] + GAP[0]), TOP + i // 2 * (PANEL[1] + GAP[1]))
        out += panel(scene, rows, origin, times, variants, steps)
    for i, variant in enumerate(variants):
        x, y = LEFT + i % 4 * 208, foot + i // 4 * 20
        out.append(f'<line x1="{x}" y1="{y}" x2="{x + 28}" y2="{y}" stroke="{COLOURS[engine(variant)]}" stroke-width="2"'
                   f'{dash(variant, variants)}/><text x="{x + 35}" y="{y + 4}" font-size="12">{variant}</text>')
    y = foot + math.ceil(len(variants) / 4) * 20 + 4
    for i, dt in enumerate(steps):
        out.append(mark(MARKS[i], LEFT + 14 + i * 104, y, "#444444", False))
        out.append(f'<text x="{LEFT + 26 + i * 104}" y="{y + 4}" font-size="12">dt = {1e3 * dt:g} ms</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"
