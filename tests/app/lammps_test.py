"""One oblique bounce in LAMMPS with the contact that ricochet writes for it, and four spheres in a box by two ranks of it:
velocities and spins must be those that ricochet computes, up to what the time step and the overlap of the spheres leave."""

import csv
import json
import math
import os
import shutil
import subprocess
import sys
import unittest

from program import ProgramTest, run

LAMMPS = shutil.which("lmp")
STEEL = ["--E", "210e9", "--nu", "0.3", "--density", "7800", "--radius", "0.01"]


class Bounce(ProgramTest):
    def bounce(self, *arguments, steps=20000, hertz=False):
        """What ricochet finds, and the velocity and spin after the same bounce in LAMMPS."""
        script = self.file("bounce.lmp", "")
        done = run("material", *arguments, "--lammps", script, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        command = [LAMMPS, "-in", script, "-log", "none", "-var", "steps", str(steps)]
        if hertz:
            script.write_text(script.read_text().replace(found["lammps"]["linear"], found["lammps"]["hertz"]))
        ran = subprocess.run(command, capture_output=True, text=True, cwd=os.path.dirname(script))
        lines = [line for line in ran.stdout.splitlines() if line.startswith("REBOUND")]
        self.assertEqual(len(lines), 1, ran.stdout[-600:] + ran.stderr)
        numbers = [float(word) for word in lines[0].split()[1:]]
        return found, numbers[:3], numbers[3:]

    def differences(self, *arguments, **how):
        """Largest difference of velocity and of surface speed by spin, over the speed before."""
        found, v, omega = self.bounce(*arguments, **how)
        before, after = found["bounce"]["before"]["v"], found["bounce"]["after"]
        speed = math.hypot(*before)
        radius = float(arguments[arguments.index("--radius") + 1])
        dv = max(abs(a - b) for a, b in zip(v, after["v"])) / speed
        dw = max(abs(a - b) for a, b in zip(omega, after["omega"])) * radius / speed
        return max(dv, dw)

    def test_wall_agrees_and_the_rest_is_the_time_step(self):
        # Sticking at first, sliding at first, sliding throughout; without and with the damper.
        for slip, mu, e in ((0.4, 0.5, 1), (1, 0.3, 1), (3, 0.2, 1), (0.4, 0.5, 0.7), (1, 0.3, 0.5), (0.2, 0.8, 0.9)):
            with self.subTest(slip=slip, mu=mu, e=e):
                case = [*STEEL, "--wall", "--slip", str(slip), "--mu", str(mu), "--e", str(e)]
                coarse = self.differences(*case, steps=2000)
                fine = self.differences(*case, steps=64000)
                self.assertLess(fine, 1e-4)
                self.assertLess(fine, coarse / 4)

    def test_pair_agrees_as_the_overlap_shrinks(self):
        # In a pair LAMMPS shortens the arm by half the overlap and lets the normal turn: both go with δ/R.
        case = [*STEEL, "--E2", "70e9", "--nu2", "0.22", "--density2", "2500", "--radius2", "0.004", "--mu", "0.4"]
        gaps = []
        for speed in (10, 1, 0.01):
            found, *_ = self.bounce(*case, "--speed", str(speed), steps=40000)
            overlap = found["hertz"]["deflection"] / 0.004
            gaps.append((overlap, self.differences(*case, "--speed", str(speed), steps=40000)))
        self.assertLess(gaps[-1][1], 1e-4)
        self.assertLess(gaps[-1][1], gaps[0][1] / 10)
        for overlap, gap in gaps:
            self.assertLess(gap, 3 * overlap + 1e-4)

    def test_hertz_and_mindlin_differ_from_constant_springs(self):
        # Not a flaw of either: both springs of (EQ14) stiffen as the contact grows. Where the contact slides to the end
        # nothing is left of that, since friction then follows the normal impulse alone.
        sliding = self.differences(*STEEL, "--wall", "--slip", "6", "--mu", "0.2", hertz=True, steps=64000)
        self.assertLess(sliding, 1e-3)
        sticking = self.differences(*STEEL, "--wall", "--slip", "0.3", "--mu", "0.5", hertz=True, steps=64000)
        self.assertGreater(sticking, 1e-2)
        self.assertLess(sticking, 0.2)

    def test_hertz_contact_takes_the_time_of_the_closed_form(self):
        # A contact that still lasts at 0.98 T and is over at 1.02 T, seen by its rebound velocity.
        script = self.file("bounce.lmp", "")
        done = run("material", *STEEL, "--slip", "0", "--wall", "--lammps", script, "--format", "json")
        found = json.loads(done.stdout)
        text = script.read_text().replace(found["lammps"]["linear"], found["lammps"]["hertz"])
        speeds = []
        for share in (0.98, 1.02):
            # `steps` is a contact time of the script, which is Hertz's here: --match time.
            script.write_text(text.replace("1.6*v_steps", f"{share}*v_steps"))
            ran = subprocess.run([LAMMPS, "-in", script, "-log", "none"], capture_output=True, text=True)
            line = [x for x in ran.stdout.splitlines() if x.startswith("REBOUND")][0]
            speeds.append(float(line.split()[3]))
        self.assertLess(speeds[0], 1 - 1e-6)
        self.assertAlmostEqual(speeds[1], 1, delta=1e-6)


@unittest.skipIf(shutil.which("mpirun") is None, "mpirun (Debian package openmpi-bin) is not installed")
class Box(ProgramTest):
    """Without gravity, with the same contact at the walls: elastic springs, friction."""
    RADIUS, DENSITY, HALF, KAPPA, MU, UNTIL = 0.01, 7800, 0.035, 14 / 17, 0.4, 0.02
    MASS = DENSITY * 4 / 3 * math.pi * RADIUS**3
    PLACES = [(-0.02, 0.004, 0.013), (0.012, -0.017, -0.01), (0.003, 0.019, -0.014), (-0.004, -0.012, 0.018)]
    SPEEDS = [(1.1, -0.4, -0.3), (-0.7, 0.9, 0.5), (-0.2, -1.0, 0.8), (0.6, 0.3, -1.2)]

    def ours(self):
        """The events, and of every sphere position, velocity and spin at the end."""
        text = f'gravity = [0, 0, 0]\n[law]\nname = "spring-sledge"\ne = 1\nmu = {self.MU}\nkappa = {self.KAPPA}\n'
        half, turn = self.HALF, math.sqrt(0.5)
        for place, q in (([-half, 0, 0], [turn, 0, turn, 0]), ([half, 0, 0], [turn, 0, -turn, 0]),
                         ([0, -half, 0], [turn, -turn, 0, 0]), ([0, half, 0], [turn, turn, 0, 0]),
                         ([0, 0, -half], [1, 0, 0, 0]), ([0, 0, half], [0, 1, 0, 0])):
            text += f'[[body]]\nshape = "plane"\nfixed = true\nposition = {place}\norientation = {q}\n'
        for i, (place, speed) in enumerate(zip(self.PLACES, self.SPEEDS)):
            text += (f'[[body]]\nname = "ball{i}"\nshape = "sphere"\nradius = {self.RADIUS}\nmass = {self.MASS}\n'
                     f"position = {list(place)}\nvelocity = {list(speed)}\n")
        out = self.path / "out"
        done = run("simulate", self.file("box.toml", text), "--until", str(self.UNTIL), "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out / "events.csv") as events, open(out / "trajectory.csv") as trajectory:
            *_, last = csv.DictReader(trajectory)
            return list(csv.DictReader(events)), [
                [float(last[f"ball{i}.{name}"]) for name in ("px", "py", "pz", "vx", "vy", "vz", "wx", "wy", "wz")]
                for i in range(len(self.PLACES))]

    def lammps(self, stiffness):
        contact = (f"hooke {stiffness} 0 damping velocity "
                   f"tangential linear_history {self.KAPPA * stiffness} 0 {self.MU}")
        half, edge = self.HALF, self.HALF + 0.005
        step = math.pi * math.sqrt(self.MASS / 2 / stiffness) / 25
        spheres = "".join(f"create_atoms 1 single {x!r} {y!r} {z!r} units box\n" for x, y, z in self.PLACES)
        speeds = "".join(f"group ball{i} id {i + 1}\nvelocity ball{i} set {x!r} {y!r} {z!r}\n"
                         for i, (x, y, z) in enumerate(self.SPEEDS))
        walls = "".join(f"fix {axis} all wall/gran granular {contact} {axis}plane {-half} {half}\n" for axis in "xyz")
        script = self.file("box.lmp", f"""units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
region box block {-edge} {edge} {-edge} {edge} {-edge} {edge} units box
create_box 1 box
{spheres}set type 1 diameter {2 * self.RADIUS}
set type 1 density {self.DENSITY}
{speeds}neighbor 0.005 bin
pair_style granular
pair_coeff * * {contact}
{walls}fix motion all nve/sphere
timestep {self.UNTIL / round(self.UNTIL / step)}
thermo 1000000000
run {round(self.UNTIL / step)}
write_dump all custom end.txt id x y z vx vy vz omegax omegay omegaz modify sort id format float %.15g
""")
        ran = subprocess.run(
            ["mpirun", "--oversubscribe", "-n", "2", LAMMPS, "-in", script, "-log", "none"],
            capture_output=True, text=True, cwd=os.path.dirname(script),
            env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
        self.assertEqual(ran.returncode, 0, ran.stdout[-600:] + ran.stderr)
        self.assertRegex(ran.stdout, r"on 2 procs")
        lines = (self.path / "end.txt").read_text().splitlines()[9:]
        return [[float(word) for word in line.split()[1:]] for line in lines]

    def test_two_ranks_find_the_same_motion_as_the_overlap_shrinks(self):
        events, ours = self.ours()
        self.assertGreaterEqual(len(events), 5)
        scales = 3 * [self.RADIUS] + 3 * [1] + 3 * [1 / self.RADIUS]
        gaps = []
        for stiffness in (4e7, 4e8):
            theirs = self.lammps(stiffness)
            gaps.append(max(abs(a - b) / scale for us, them in zip(ours, theirs)
                            for a, b, scale in zip(us, them, scales)))
            # A collision at 1 m/s moves things by the overlap, and later ones magnify that by the way between two of
            # them over the radius.
            overlap = math.sqrt(self.MASS / 2 / stiffness) / self.RADIUS
            self.assertLess(gaps[-1], 20 * overlap)
        # The overlap falls by the root of ten.
        self.assertLess(gaps[1], gaps[0] / 2.5)


if __name__ == "__main__":
    if LAMMPS is None:
        print("LAMMPS (lmp, Debian package lammps) is not installed")
        sys.exit(77)
    unittest.main()
