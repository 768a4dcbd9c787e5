#!/usr/bin/env python3
"""Draws robots as they land, side by side on one floor and to one scale: docs/images/landings.svg.

    tools/zoo_picture.py [--program RICOCHET] [--law NAME] [--method NAME] [-o FILE] NAME[@TURN]=MODEL...

Each MODEL is landed by `ricochet impact --shapes`. Its collision shapes are drawn as solids, with the impulse at each contact
and the velocity of its centre of mass before and after. TURN [degrees] turns the robot about the vertical, which alters nothing
else. Needs python3-numpy.
"""

import argparse
import base64
import html
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import zlib

try:
    import numpy as np
except ImportError:
    sys.exit("zoo_picture.py: needs numpy: install python3-numpy")

WIDTH = 920  # of the picture [px]
FINE = 2  # pixels of the shading for one of the picture
STEP = 3  # of the 256 brightnesses, for a smaller file
SAMPLES = 2  # along each edge of such a pixel
ROOM, GAP = 0.80, 0.14  # the least width of a robot and its label, and between them [m]
BORDER = 0.20  # beside the outer robots [m]
ELEVATION = math.radians(15)
IMPULSE_LENGTH = 1.0  # of an arrow for an impulse that would stop the robot [m]
VELOCITY_LENGTH = 0.24  # of an arrow for 1 m/s [m]
TONES = np.array([[0.80, 0.845, 0.89], [0.60, 0.69, 0.785]])  # of links in turn along the tree
STRUCK = np.array([0.955, 0.72, 0.50])  # of links that are struck, except a base
INK = np.array([0.16, 0.20, 0.26])
IMPULSE, BEFORE, AFTER = "#d55e00", "#0072b2", "#56b4e9"

RIGHT = np.array([1.0, 0, 0])
UP = np.array([0, math.sin(ELEVATION), math.cos(ELEVATION)])
AWAY = np.array([0, math.cos(ELEVATION), -math.sin(ELEVATION)])  # from the camera
KEY = np.array([-0.36, -0.60, 0.71])  # towards the main light, a unit vector but for rounding


def ask(program, *arguments):
    done = subprocess.run([program, "impact", *arguments, "--format", "json"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return json.loads(done.stdout)


# Shapes as triangles with a normal for each corner, in their own axes.

def surface(points, normals, rows, columns):
    """Triangles of a grid of points that is closed in its columns."""
    i, j = np.meshgrid(np.arange(rows - 1), np.arange(columns), indexing="ij")
    a, b = (i * columns + j).ravel(), (i * columns + (j + 1) % columns).ravel()
    index = np.concatenate([np.stack([a, b, a + columns], 1), np.stack([b, b + columns, a + columns], 1)])
    return points[index], normals[index]


def ball(columns=48, rows=25):
    """Unit normals of a sphere, from pole to pole along z."""
    polar, around = np.meshgrid(np.linspace(np.pi, 0, rows), np.arange(columns) * 2 * np.pi / columns, indexing="ij")
    return np.stack([np.sin(polar) * np.cos(around), np.sin(polar) * np.sin(around), np.cos(polar)], -1).reshape(-1, 3)


def ellipsoid(half_axes):
    n = ball()
    normals = n / half_axes
    return surface(n * half_axes, normals / np.linalg.norm(normals, axis=1, keepdims=True), 25, 48)


def capsule(radius, half_length):
    n = np.concatenate([ball(rows=25)[:13 * 48], ball(rows=25)[12 * 48:]])
    shift = np.zeros_like(n)
    shift[:13 * 48, 2], shift[13 * 48:, 2] = -half_length, half_length
    return surface(radius * n + shift, n, 26, 48)


def cylinder(radius, half_length, columns=56):
    around = np.arange(columns) * 2 * np.pi / columns
    rim = np.stack([np.cos(around), np.sin(around), 0 * around], 1)
    end = np.array([0, 0, half_length])
    sides = surface(np.concatenate([radius * rim - end, radius * rim + end]), np.concatenate([rim, rim]), 2, columns)
    points, normals = [sides[0]], [sides[1]]
    for sign in (-1, 1):
        ring = radius * rim + sign * end
        fan = np.stack([np.broadcast_to(sign * end, ring.shape), ring, np.roll(ring, -1, 0)], 1)
        points.append(fan)
        normals.append(np.broadcast_to([0, 0, float(sign)], fan.shape))
    return np.concatenate(points), np.concatenate(normals)


def polyhedron(vertices, faces, crease=math.radians(32)):
    """Rounded where faces meet at less than the crease angle."""
    points = vertices[faces]
    flat = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    keep = np.linalg.norm(flat, axis=1) > 0
    points, flat, faces = points[keep], flat[keep], faces[keep]
    outward = np.einsum("ij,ij->i", flat, points.mean(1) - vertices.mean(0)) > 0
    flat[~outward] *= -1
    unit = flat / np.linalg.norm(flat, axis=1, keepdims=True)
    around = [[] for _ in vertices]
    for face, corners in enumerate(faces):
        for corner in corners:
            around[corner].append(face)
    normals = np.empty_like(points)
    for face, corners in enumerate(faces):
        for k, corner in enumerate(corners):
            near = np.array(around[corner])
            normals[face, k] = flat[near[unit[near] @ unit[face] > math.cos(crease)]].sum(0)
    return points, normals / np.linalg.norm(normals, axis=2, keepdims=True)


def box(half_edges):
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half_edges
    quads = np.array([[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]])
    return polyhedron(corners, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))


def triangles(shape):
    """Points and normals, (count, 3, 3), in the world."""
    size, margin = np.array(shape["size"]), shape["margin"]
    kind = shape["kind"]
    if kind == "sphere":
        points, normals = ellipsoid(np.full(3, margin))
    elif kind == "capsule":
        points, normals = capsule(margin, size[2])
    elif kind == "ellipsoid":
        points, normals = ellipsoid(size)
    elif kind == "cylinder":
        points, normals = cylinder(size[0], size[2])
    elif kind == "box":
        points, normals = box(size)
    elif kind == "hull" and shape["faces"]:
        points, normals = polyhedron(np.array(shape["vertices"]), np.array(shape["faces"]))
    else:
        sys.exit(f"zoo_picture.py: cannot draw the {kind} {shape['name']}")
    rotation = np.array(shape["rotation"]).T
    return points @ rotation + np.array(shape["position"]), normals @ rotation


class Robot:
    """A landed robot, turned, with its contacts on the floor z = 0."""

    def __init__(self, program, argument, law, method):
        self.name, turn, self.file = argument
        answer = ask(program, self.file, "--law", law, "--method", method, "--contacts", "all", "--shapes")
        described = ask(program, self.file, "--describe")
        result = answer["answers"][0]
        if "error" in result:
            sys.exit(f"{self.file}: {result['error']['message']}")
        if not answer["landing"]["floating"]:
            sys.exit(f"{self.file}: does not land: nothing floats")
        turn = math.radians(turn)
        self.R = np.array([[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1]])
        self.mass = sum(body["mass"] for body in described["bodies"])
        self.speeds, self.loops = len(answer["u"]), len(described["loops"])
        self.loss = 100 * result["energy_change"] / answer["energy"]
        struck = [answer["contacts"][i - 1] for i in answer["struck"]]
        contacts = np.array([c["point"] for c in struck]) @ self.R.T
        self.P = np.array([c["P"] for c in result["contacts"]]) @ self.R.T
        self.P *= np.array([1 if c["n"][2] > 0 else -1 for c in struck])[:, None]  # on the robot
        # All of it falls at one speed, and the momentum changes by the sum of the impulses.
        self.velocity = np.array([0, 0, -answer["landing"]["speed"]])
        self.rebound = self.velocity + self.P.sum(0) / self.mass

        bodies = {body["name"]: body for body in described["bodies"] if body["name"] != "world"}
        touched = {body for c in struck for body in (c["first_body"], c["second_body"])}
        numbers = {body: i + 1 for i, body in enumerate(bodies)}
        points, normals, links, colours = [], [], [], []
        for shape in answer["shapes"]:
            if shape["fixed"] or not shape["collides"]:
                continue
            depth, body = 0, shape["body"]
            while bodies[body]["parent"] in bodies:
                body, depth = bodies[body]["parent"], depth + 1
            p, n = triangles(shape)
            points.append(p @ self.R.T)
            normals.append(n @ self.R.T)
            links += [numbers[shape["body"]]] * len(p)
            colours += [STRUCK if shape["body"] in touched and depth > 0 else TONES[depth % 2]] * len(p)
        self.points, self.normals = np.concatenate(points), np.concatenate(normals)
        self.links, self.colours = np.array(links), np.array(colours)
        low, high = self.points.reshape(-1, 3).min(0), self.points.reshape(-1, 3).max(0)
        self.contacts = contacts
        self.width, self.height = high[0] - low[0], high[2] - contacts[:, 2].mean()
        self.move(-np.array([(low[0] + high[0]) / 2, contacts[:, 1].mean(), contacts[:, 2].mean()]))

    def move(self, way):
        self.points, self.contacts = self.points + way, self.contacts + way


class Camera:
    """Parallel projection onto pixels, counted from the upper left."""

    def __init__(self, left, top, scale, columns, rows):
        self.left, self.top, self.scale, self.columns, self.rows = left, top, scale, columns, rows

    def project(self, points):
        return np.stack([(points @ RIGHT - self.left) * self.scale, (self.top - points @ UP) * self.scale], -1)

    def finer(self, factor):
        return Camera(self.left, self.top, self.scale * factor, self.columns * factor, self.rows * factor)


def rasterize(robots, camera):
    """Depth, normal, link and colour of what each pixel shows; the depth of the floor where it shows no robot."""
    rows, columns = camera.rows, camera.columns
    y = camera.top - (np.arange(rows, dtype=np.float32) + 0.5) / camera.scale
    depth = np.repeat(y[:, None] / np.float32(math.tan(ELEVATION)), columns, 1)
    normal = np.zeros((rows, columns, 3), np.float32)
    normal[..., 2] = 1
    link = np.zeros((rows, columns), np.int32)
    colour = np.ones((rows, columns, 3), np.float32)
    for number, robot in enumerate(robots):
        page = camera.project(robot.points)
        away = robot.points @ AWAY
        for k in np.flatnonzero((robot.normals @ AWAY < 0).any(1)):
            a, b, c = page[k]
            low = np.maximum(np.floor(page[k].min(0) - 0.5).astype(int), 0)
            high = np.minimum(np.ceil(page[k].max(0) + 0.5).astype(int), [columns, rows])
            if (low >= high).any():
                continue
            x = np.arange(low[0], high[0]) + 0.5
            y = (np.arange(low[1], high[1]) + 0.5)[:, None]
            area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
            if area == 0:
                continue
            u = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area
            v = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area
            d = away[k, 0] + u * (away[k, 1] - away[k, 0]) + v * (away[k, 2] - away[k, 0])
            here = slice(low[1], high[1]), slice(low[0], high[0])
            seen = (u >= -1e-6) & (v >= -1e-6) & (u + v <= 1 + 1e-6) & (d < depth[here])
            if not seen.any():
                continue
            depth[here][seen] = d[seen]
            n = robot.normals[k]
            u, v = u[seen][:, None], v[seen][:, None]
            normal[here][seen] = n[0] + u * (n[1] - n[0]) + v * (n[2] - n[0])
            link[here][seen] = 1000 * (number + 1) + robot.links[k]
            colour[here][seen] = robot.colours[k]
    normal /= np.linalg.norm(normal, axis=2, keepdims=True)
    return depth, normal, link, colour


def scatter(points, spacing, random):
    """Points spread evenly over triangles."""
    area = np.linalg.norm(np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0]), axis=1) / 2
    count = random.poisson(area / spacing**2)
    chosen = np.repeat(np.arange(len(points)), count)
    u, v = random.random((2, len(chosen)))
    outside = u + v > 1
    u[outside], v[outside] = 1 - u[outside], 1 - v[outside]
    a, b, c = points[chosen].transpose(1, 0, 2)
    return (a + u[:, None] * (b - a) + v[:, None] * (c - a)).astype(np.float32)


def lights():
    """Directions towards small lights with their shares: a soft main light, and the sky."""
    across = np.cross(KEY, [0, 0, 1.0])
    across /= np.linalg.norm(across)
    other = np.cross(KEY, across)
    out = []
    for i in range(24):
        radius, angle = 0.13 * math.sqrt((i + 0.5) / 24), i * math.pi * (3 - math.sqrt(5))
        towards = KEY + radius * (math.cos(angle) * across + math.sin(angle) * other)
        out.append((towards / np.linalg.norm(towards), 0, 1 / 24))
    for i in range(72):
        z, angle = 1 - 0.94 * (i + 0.5) / 72, i * math.pi * (3 - math.sqrt(5))
        r = math.sqrt(1 - z * z)
        out.append((np.array([r * math.cos(angle), r * math.sin(angle), z]), 1, 1 / 72))
    return out


def illuminate(robots, place, normal):
    """Main light and sky that reach points, each 1 for an open floor."""
    random = np.random.default_rng(1)
    texel = 0.007
    cast = np.concatenate([scatter(robot.points, texel / 2.2, random) for robot in robots])
    sums = np.zeros((2, len(place)), np.float32)
    whole = np.zeros(2)
    for towards, which, share in lights():
        across = np.cross(towards, [0.3, 0.9, 0.1])
        across /= np.linalg.norm(across)
        frame = np.stack([across, np.cross(towards, across), towards], 1).astype(np.float32)
        thrown = cast @ frame
        low = thrown[:, :2].min(0)
        size = np.ceil((thrown[:, :2].max(0) - low) / texel).astype(int) + 1
        cell = ((thrown[:, :2] - low) / texel).astype(int)
        index = cell[:, 0] * size[1] + cell[:, 1]
        order = np.argsort(thrown[:, 2], kind="stable")
        nearest = np.full(size[0] * size[1], -np.inf, np.float32)
        nearest[index[order]] = thrown[order, 2]
        whole[which] += share * towards[2]
        step = 1 << 20
        for begin in range(0, len(place), step):
            part = slice(begin, begin + step)
            n = normal[part]
            cosine = n @ frame[:, 2]
            seen = (place[part] + 0.008 * n) @ frame
            cell = np.floor((seen[:, :2] - low) / texel).astype(int)
            inside = (cell >= 0).all(1) & (cell < size).all(1)
            blocker = np.full(len(cell), -np.inf, np.float32)
            blocker[inside] = nearest[cell[inside, 0] * size[1] + cell[inside, 1]]
            sums[which, part] += share * np.maximum(cosine, 0) * (seen[:, 2] + 0.006 > blocker)
    return sums / whole[:, None].astype(np.float32)


def smoothed(values, mask, reach):
    """Means over a square of pixels of the mask, where it is set."""
    mask = mask.astype(np.float32)
    for axis in (0, 1):
        sums = []
        for field in (values * mask, mask):
            whole = np.cumsum(np.pad(np.moveaxis(field, axis, 0), ((reach + 1, reach), (0, 0))), 0, dtype=np.float64)
            sums.append(np.moveaxis(whole[2 * reach + 1:] - whole[:-2 * reach - 1], 0, axis))
        values = np.where(mask > 0, sums[0] / np.maximum(sums[1], 1e-6), values).astype(np.float32)
    return values


def smoothstep(x, low, high):
    t = np.clip((x - low) / (high - low), 0, 1)
    return t * t * (3 - 2 * t)


def render(robots, camera, span):
    """The picture without arrows, (rows, columns, 3) in 0 to 1."""
    fine = camera.finer(SAMPLES)
    depth, normal, link, colour = rasterize(robots, fine)
    x = fine.left + (np.arange(fine.columns, dtype=np.float32) + 0.5) / fine.scale
    y = fine.top - (np.arange(fine.rows, dtype=np.float32) + 0.5) / fine.scale
    place = (x[None, :, None] * RIGHT.astype(np.float32) + y[:, None, None] * UP.astype(np.float32) +
             depth[..., None] * AWAY.astype(np.float32))
    solid = link > 0
    floor_y = place[..., 1]
    near = solid | (np.abs(floor_y) < 2.2)
    key, sky = (np.ones(link.shape, np.float32) for _ in range(2))
    key[near], sky[near] = illuminate(robots, place[near], normal[near])
    for _ in range(2):
        key, sky = (np.where(solid, light, smoothed(light, near & ~solid, 2 * SAMPLES)) for light in (key, sky))

    shaded = np.ones(colour.shape, np.float32)
    tint = np.array([0.90, 0.95, 1.03], np.float32)
    bounce = 0.13 * (1 - normal[..., 2])  # from the floor
    light = (0.50 * key[..., None] * np.array([1.05, 1.0, 0.95], np.float32) + (0.14 + 0.42 * sky + bounce)[..., None] * tint)
    facing = np.abs(normal @ AWAY.astype(np.float32))
    rim = 0.10 * (1 - facing) ** 3
    shaded[solid] = (colour * light + rim[..., None])[solid]

    # The floor fades into the page; its grid tells the scale.
    fade = (smoothstep(x, span[0], span[0] + 0.5) * (1 - smoothstep(x, span[1] - 0.5, span[1])))[None, :] * \
        smoothstep(floor_y, -0.85, -0.35) * (1 - smoothstep(floor_y, 0.45, 1.15))
    shadow = 0.52 * (1 - np.minimum(key, 1)) + 0.42 * (1 - np.minimum(sky, 1))
    base = 0.055
    line = np.zeros(link.shape, np.float32)
    for along, thin in ((place[..., 0], 0.0022), (floor_y, 0.0022 / math.sin(ELEVATION))):
        off = np.abs(along / 0.25 - np.round(along / 0.25)) * 0.25
        line = np.maximum(line, np.clip(1.5 - off / thin, 0, 1))
    dark = np.clip((base + shadow * 0.85 + 0.12 * line) * fade, 0, 1)[..., None]
    ground = 1 - dark * (1 - np.array([0.30, 0.36, 0.44], np.float32))
    shaded[~solid] = ground[~solid]

    # Outlines: where the link changes, or the surface bends sharply.
    ink = np.zeros(link.shape, np.float32)
    for axis in (0, 1):
        for step in (1, -1):
            other = np.roll(link, step, axis)
            differs = other != link
            bends = (normal * np.roll(normal, step, axis)).sum(2) < 0.80
            farther = np.roll(depth, step, axis) >= depth - 0.001
            ink = np.maximum(ink, np.where(differs & farther & solid, 0.75, np.where(bends & solid, 0.30, 0)))
    shaded = shaded * (1 - ink[..., None]) + ink[..., None] * INK.astype(np.float32)
    shaded = np.clip(shaded, 0, 1)
    return shaded.reshape(camera.rows, SAMPLES, camera.columns, SAMPLES, 3).mean((1, 3))


def png(picture):
    """8 bits a channel; each row with the filter that leaves the least."""
    data = np.minimum(np.rint(picture * 255 / STEP) * STEP, 255).astype(np.int16)
    rows = bytearray()
    before = np.zeros_like(data[0])
    for row in data:
        left = np.vstack([np.zeros((1, 3), np.int16), row[:-1]])
        corner = np.vstack([np.zeros((1, 3), np.int16), before[:-1]])
        guess = left + before - corner
        away = np.abs(np.stack([guess - left, guess - before, guess - corner]))
        paeth = np.where((away[0] <= away[1]) & (away[0] <= away[2]), left, np.where(away[1] <= away[2], before, corner))
        filtered = [(row - g).astype(np.uint8) for g in (0 * row, left, before, (left + before) // 2, paeth)]
        best = int(np.argmin([np.abs(f.astype(np.int8).astype(int)).sum() for f in filtered]))
        rows += bytes([best]) + filtered[best].tobytes()
        before = row

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", data.shape[1], data.shape[0], 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(bytes(rows), 9)) + chunk(b"IEND", b"")


def arrow(start, end, colour, width):
    """With a white halo; only a dot where it would be shorter than its head."""
    way = end - start
    length = np.hypot(*way)
    if length < 1.5:
        return ""
    along = way / length
    across = np.array([-along[1], along[0]])
    head = min(4.2 * width, 0.7 * length)
    neck = end - head * along
    tip = " ".join(f"{p[0]:.2f},{p[1]:.2f}" for p in (end, neck + 0.42 * head * across, neck - 0.42 * head * across))
    shaft = f'x1="{start[0]:.2f}" y1="{start[1]:.2f}" x2="{neck[0]:.2f}" y2="{neck[1]:.2f}"'
    halo = (f'<line {shaft} stroke="#ffffff" stroke-width="{width + 1.6:.2f}"/>'
            f'<polygon points="{tip}" fill="#ffffff" stroke="#ffffff" stroke-width="1.6" stroke-linejoin="round"/>')
    return halo + f'<line {shaft} stroke="{colour}" stroke-width="{width:.2f}"/><polygon points="{tip}" fill="{colour}"/>\n'


def hidden(robot, point, allowed=0.03):
    """Whether the ray from the point to the camera passes more than `allowed` [m] of the robot."""
    a, b, c = robot.points.transpose(1, 0, 2)
    normal = np.cross(b - a, c - a)
    slope = normal @ AWAY
    with np.errstate(divide="ignore", invalid="ignore"):
        way = np.einsum("ij,ij->i", normal, point - a) / slope  # towards the camera
        at = point - way[:, None] * AWAY
        inside = np.ones(len(a), bool)
        for p, q in ((a, b), (b, c), (c, a)):
            inside &= np.einsum("ij,ij->i", np.cross(q - p, at - p), normal) >= 0
    return bool((inside & (way > allowed)).any())


def overlay(robot, camera):
    out = []
    page = camera.project(robot.points.reshape(-1, 3))
    tips = camera.project(robot.contacts + IMPULSE_LENGTH * robot.P / robot.mass)
    middle, top = (page[:, 0].min() + page[:, 0].max()) / 2, min(page[:, 1].min(), tips[:, 1].min())
    for x, velocity, colour in ((-7, robot.velocity, BEFORE), (7, robot.rebound, AFTER)):
        way = VELOCITY_LENGTH * np.array([velocity @ RIGHT, -velocity @ UP / UP[2]]) * camera.scale
        low = np.array([middle + x, top - 10])  # where the lower end of the arrow is
        start = low - np.array([0, max(way[1], 0)])
        out.append(arrow(start, start + way, colour, 2.4))
    marks = [[], []]  # those that the robot hides, and the others above them
    for i in np.argsort(-robot.contacts[:, 1]):  # the farthest first
        at = camera.project(robot.contacts[i])
        dot = f'<circle cx="{at[0]:.2f}" cy="{at[1]:.2f}" r="2.2" fill="#ffffff" stroke="{IMPULSE}" stroke-width="1.2"/>\n'
        marks[not hidden(robot, robot.contacts[i])].append(arrow(at, tips[i], IMPULSE, 1.7) + dot)
    return "".join(out) + '<g opacity="0.55">\n' + "".join(marks[0]) + "</g>\n" + "".join(marks[1])


def counted(count, word):
    return f"{count} {word}" + ("" if count == 1 else "s")


def number(x):
    return f"{x:.2g}".replace("-", "−") if abs(x) < 100 else f"{x:.0f}"


def label(robot, x, y):
    facts = [f"{number(robot.mass)} kg, {counted(robot.speeds, 'speed')}" +
             (f", {counted(robot.loops, 'loop')}" if robot.loops else ""),
             counted(len(robot.contacts), "contact"), f"{number(robot.velocity[2])} → {number(robot.rebound[2])} m/s",
             f"energy {number(robot.loss)} %"]
    out = f'<text x="{x:.1f}" y="{y:.1f}" font-size="14" font-weight="bold" fill="#1f2933">{html.escape(robot.name)}</text>\n'
    for i, fact in enumerate(facts):
        out += f'<text x="{x:.1f}" y="{y + 17 + 14.5 * i:.1f}" font-size="11" fill="#444444">{html.escape(fact)}</text>\n'
    return out


def legend(y):
    entries = [(IMPULSE, "impulse at a contact, over the mass of the robot"), (BEFORE, "velocity of its centre of mass before"),
               (AFTER, "and after")]
    widths = [42 + 6.1 * len(text) for _, text in entries]
    out, x = "", (WIDTH - sum(widths) - 40) / 2
    for (colour, text), width in zip(entries, widths):
        out += arrow(np.array([x, y - 4]), np.array([x + 26, y - 4]), colour, 2.2)
        out += f'<text x="{x + 33:.1f}" y="{y}" font-size="11" fill="#444444">{html.escape(text)}</text>\n'
        x += width + 20
    return out


def named_model(text):
    """NAME[@TURN]=MODEL as name, turn and file."""
    found = re.fullmatch(r"([^=@]+)(?:@([-+.0-9]+))?=(.+)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text}: must be NAME=MODEL or NAME@DEGREES=MODEL")
    return found[1], float(found[2] or 0), found[3]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", type=named_model, metavar="NAME[@TURN]=MODEL")
    parser.add_argument("--program", default=str(pathlib.Path(__file__).resolve().parent.parent / "run"))
    parser.add_argument("--law", default="routh")
    parser.add_argument("--method", default="sequence")
    parser.add_argument("-o", "--out", type=pathlib.Path, default=pathlib.Path("landings.svg"))
    options = parser.parse_args()
    robots = [Robot(options.program, argument, options.law, options.method) for argument in options.models]
    x, middles = 0.0, []
    for robot in robots:
        room = max(robot.width, ROOM)
        middles.append(x + room / 2)
        robot.move(np.array([middles[-1], 0, 0]))
        x += room + GAP
    span = -BORDER, x - GAP + BORDER
    scale = WIDTH / (span[1] - span[0])
    top = max((robot.points @ UP).max() for robot in robots) + VELOCITY_LENGTH + 0.10
    bottom = min((robot.points @ UP).min() for robot in robots) - 0.12
    rows = math.ceil((top - bottom) * scale)
    camera = Camera(span[0], top, scale, WIDTH, rows)
    image = base64.b64encode(png(render(robots, camera.finer(FINE), span))).decode()
    height = rows + 112
    out = (f'<?xml version="1.0" encoding="UTF-8"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
           f'viewBox="0 0 {WIDTH} {height}" font-family="Helvetica, Arial, \'Liberation Sans\', \'DejaVu Sans\', sans-serif" '
           f'role="img">\n<title>{html.escape(", ".join(r.name for r in robots))} landing at 1 m/s</title>\n'
           f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>\n'
           f'<image width="{WIDTH}" height="{rows}" href="data:image/png;base64,{image}"/>\n')
    out += "".join(overlay(robot, camera) for robot in robots)
    out += '<g text-anchor="middle">\n'
    out += "".join(label(robot, (middle - span[0]) * scale, rows + 14) for robot, middle in zip(robots, middles))
    out += "</g>\n" + legend(height - 12) + "</svg>\n"
    options.out.write_text(out, encoding="utf-8")


if __name__ == "__main__":
    main()
