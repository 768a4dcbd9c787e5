"""Scenes in motion from the command line: closed forms, files, checkpoints that survive kill -9, and input that is wrong."""

import csv
import json
import math
import os
import random
import signal
import subprocess
import time
import unittest
from pathlib import Path

from program import PROGRAM, SCENES, ProgramTest, run

EVENTS = "time,kind,body_a,body_b,px,py,pz,nx,ny,nz,Px,Py,Pz,energy_change,approach,slip,together"
PARTS = ["px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"]
BALL = (SCENES / "motion/bouncing-ball.toml").read_text()


MODELS = Path(os.environ["RICOCHET_MODELS"])
HAVE_MODELS = os.environ["RICOCHET_HAVE_MODELS"] == "ON"
ARM = """<robot name="arm"><link name="world"/><link name="rod"><inertial><origin xyz="0.4 0 0"/><mass value="1.5"/>
<inertia ixx="0.001" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="shoulder" type="continuous"><parent link="world"/><child link="rod"/><axis xyz="0 1 0"/></joint></robot>"""


def folder_bytes(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


class Simulate(ProgramTest):
    def rows(self, path):
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def simulate(self, *arguments):
        done = run("simulate", *arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def nothing_written(self, *arguments):
        """Refused, and the folder of --out is not there."""
        out = self.path / "absent"
        done = run("simulate", *arguments, "--out", out)
        self.assertFalse(out.exists())
        return done

    def test_sensitivity_of_a_fall(self):
        # A ball that falls from z to the floor at t = sqrt(2 (z - r) / g).
        out = self.path / "fall"
        done = self.simulate("bouncing-ball", "--until", "0.6", "--sensitivity", "--format", "json", "--out", out)
        whole = json.loads(done.stdout)
        found = whole["sensitivity"]
        self.assertEqual(found, json.loads((out / "sensitivity.json").read_text()))
        first = found["events"][0]
        t = first["time"]
        self.assertEqual((first["kind"], first["time"]), ("impact", whole["events"][0]["time"]))
        self.assertAlmostEqual(first["time_by"]["ball.position"][2], 1 / (9.81 * t), 9)
        self.assertAlmostEqual(first["time_by"]["gravity"][2], t / (2 * 9.81), 9)
        self.assertEqual(first["time_by"]["e"], 0)
        self.assertEqual(found["missing"], [])
        table = self.simulate("bouncing-ball", "--until", "0.6", "--sensitivity").stdout
        self.assertIn("sensitivity of the positions at 0.6 s", table)

    def test_sensitivity_ends_where_bounces_do(self):
        done = self.simulate("bouncing-ball", "--until", "20", "--sensitivity", "--format", "json", "--set", "e=0.3")
        found = json.loads(done.stdout)["sensitivity"]
        self.assertIsNone(found["state"])
        self.assertIn("bounces that come to their end", found["kink"]["what"])
        done = run("simulate", "bouncing-ball", "--sensitivity", "--method", "time-stepping")
        self.refused(done, "--sensitivity", "--method events")

    def test_list_of_scenes(self):
        listed = self.simulate().stdout
        for path in (SCENES / "motion").glob("*.toml"):
            self.assertIn(f"  {path.stem} ", listed)

    def test_every_bundled_scene_goes_on(self):
        for path in sorted((SCENES / "motion").glob("*.toml")):
            with self.subTest(path.stem):
                summary = json.loads(self.simulate(path.stem, "--until", "1", "--format", "json").stdout)
                self.assertEqual((summary["status"], summary["time"]), ("finished", 1))
                self.assertEqual(summary["event_counts"]["total"], len(summary["events"]))
                energy = summary["energy"]
                scale = max(abs(energy["start"]), energy["kinetic"], abs(energy["potential"]))
                self.assertLess(abs(energy["imbalance"]), 1e-10 * scale)

    def test_bouncing_ball_has_its_times(self):
        out = self.path / "ball"
        self.simulate("bouncing-ball", "--until", "5", "--out", out)
        self.assertEqual((out / "events.csv").read_text().split("\n")[0], EVENTS)
        events = self.rows(out / "events.csv")
        g, h, e = 9.81, 1, 0.8
        fall = math.sqrt(2 * h / g)
        for n in range(10):
            expected = fall * (1 + 2 * sum(e**k for k in range(1, n + 1)))
            self.assertEqual(events[n]["kind"], "impact")
            self.assertAlmostEqual(float(events[n]["time"]), expected, delta=1e-13 * expected)
            self.assertAlmostEqual(float(events[n]["approach"]), g * fall * e**n, delta=1e-12)
            self.assertAlmostEqual(float(events[n]["Pz"]), (1 + e) * g * fall * e**n, delta=1e-12)
        self.assertEqual(events[-1]["kind"], "rest")
        self.assertAlmostEqual(float(events[-1]["time"]), fall * (1 + e) / (1 - e), delta=1e-12)
        self.assertEqual((events[0]["body_a"], events[0]["body_b"], events[0]["nz"]), ("floor", "ball", "1"))

    def test_trajectory_is_sampled_and_has_every_event(self):
        out = self.path / "ball"
        self.simulate("bouncing-ball", "--until", "1", "--sample", "0.125", "--out", out)
        rows = self.rows(out / "trajectory.csv")
        self.assertEqual(list(rows[0]), ["time"] + [f"{name}.{part}" for name in ("floor", "ball") for part in PARTS])
        times = [float(row["time"]) for row in rows]
        self.assertEqual(times, sorted(times))
        for k in range(9):
            self.assertIn(k / 8, times)
        for event in self.rows(out / "events.csv"):
            self.assertIn(float(event["time"]), times)
        for row in rows:
            t = float(row["time"])
            if t < math.sqrt(2 / 9.81):
                self.assertAlmostEqual(float(row["ball.pz"]), 1.1 - 9.81 / 2 * t * t, delta=1e-15 * 4)
                self.assertAlmostEqual(float(row["ball.vz"]), -9.81 * t, delta=1e-14)
        ledger = self.rows(out / "ledger.csv")
        self.assertEqual(len(ledger), 257)
        self.assertEqual(float(ledger[-1]["time"]), 1)
        self.assertLess(max(abs(float(row["imbalance"])) for row in ledger), 1e-13)

    def test_numbers_read_back_as_the_same_double(self):
        out = self.path / "superball"
        self.simulate("superball-corridor", "--until", "2", "--out", out)
        events = json.loads(self.simulate("superball-corridor", "--until", "2", "--format", "json").stdout)["events"]
        rows = self.rows(out / "events.csv")
        self.assertEqual(len(events), len(rows))
        for event, row in zip(events, rows):
            self.assertEqual(event["time"], float(row["time"]))
            self.assertEqual(event["impulse"], [float(row[k]) for k in ("Px", "Py", "Pz")])
            self.assertEqual(event["energy_change"], float(row["energy_change"]))

    def test_summary_has_scene_and_energies(self):
        out = self.path / "block"
        self.simulate("sliding-block", "--until", "1", "--out", out)
        summary = json.loads((out / "summary.json").read_text())
        self.assertEqual(summary["status"], "finished")
        self.assertEqual([b["name"] for b in summary["scene"]["bodies"]], ["floor", "block"])
        self.assertEqual(summary["scene"]["bodies"][1]["shape"], {"kind": "box", "size": [0.5, 0.5, 0.25]})
        self.assertEqual(summary["event_counts"]["stick"], 1)
        self.assertAlmostEqual(summary["energy"]["lost_to_friction"], 4, delta=1e-12)
        self.assertFalse((out / "checkpoint").exists())

    def test_names_are_quoted(self):
        name = 'a "b", c'
        scene = self.file("q.toml", BALL.replace('name = "ball"', f"name = '{name}'"))
        out = self.path / "q"
        self.simulate(scene, "--until", "1", "--out", out)
        self.assertIn(f"{name}.px", self.rows(out / "trajectory.csv")[0])
        self.assertEqual(self.rows(out / "events.csv")[0]["body_b"], name)
        self.assertEqual(json.loads((out / "summary.json").read_text())["event_counts"]["impact"], 1)

    def test_hdf5_holds_the_same_numbers(self):
        if os.environ["RICOCHET_HAVE_HDF5"] != "ON":
            self.skipTest("built without HDF5")
        out = self.path / "ball"
        self.simulate("bouncing-ball", "--until", "1", "--out", out)
        self.assertTrue((out / "trajectory.h5").read_bytes().startswith(b"\x89HDF"))
        try:
            import h5py
        except ImportError:
            self.skipTest("h5py is not installed")
        with h5py.File(out / "trajectory.h5") as file:
            rows = self.rows(out / "trajectory.csv")
            self.assertEqual([n.decode() for n in file["names"]], ["floor", "ball"])
            self.assertEqual(list(file["time"]), [float(row["time"]) for row in rows])
            self.assertEqual(file["position"].shape, (len(rows), 2, 3))
            self.assertEqual([p[1][2] for p in file["position"]], [float(row["ball.pz"]) for row in rows])
            self.assertEqual([q[1][0] for q in file["orientation"]], [float(row["ball.qw"]) for row in rows])
            events = self.rows(out / "events.csv")
            self.assertEqual(list(file["events/time"]), [float(row["time"]) for row in events])
            self.assertEqual([p[2] for p in file["events/impulse"]], [float(row["Pz"]) for row in events])
            kinds = [k.decode() for k in file["events/kinds"]]
            self.assertEqual([kinds[int(k)] for k in file["events/kind"]], [row["kind"] for row in events])

    def test_motion_document_has_the_events_and_a_sample_at_each(self):
        file = self.path / "motion.json"
        done = self.simulate("double-pendulum", "--until", "2", "--motion", file, "--format", "json")
        events = json.loads(done.stdout)["events"]
        document = json.loads(file.read_text())
        self.assertTrue(file.read_text().startswith('{"ricochet":"motion"'))
        self.assertEqual([e["time"] for e in document["events"]], [e["time"] for e in events])
        self.assertLessEqual({e["time"] for e in events}, set(document["times"]))
        self.assertEqual((document["times"][0], document["times"][-1]), (0, 2))
        # Rods of 1 m and 1 kg, from rest at 1.2 m: all energy is potential.
        energy = document["energy"]
        self.assertEqual((energy["kinetic"][0], energy["lost_to_impact"][0]), (0, 0))
        self.assertAlmostEqual(energy["potential"][0], 2 * 9.81 * 1.2, delta=1e-10)
        for k in range(len(document["times"])):
            total = sum(energy[part][k] for part in ("kinetic", "potential", "lost_to_impact"))
            self.assertAlmostEqual(total + energy["lost_to_friction"][k], 2 * 9.81 * 1.2, delta=1e-3)

    def test_motion_page_is_that_of_the_folder(self):
        page = self.path / "ball.html"
        out = self.path / "ball"
        self.simulate("bouncing-ball", "--until", "1", "--motion", page)
        self.simulate("bouncing-ball", "--until", "1", "--out", out)
        self.assertEqual(page.read_text(), (out / "motion.html").read_text())

    def test_motion_goes_without_a_folder_and_has_a_limit(self):
        motion = self.path / "a.json"
        self.refused(self.nothing_written("bouncing-ball", "--motion", motion), "--motion: goes without --out")
        done = run("simulate", "bouncing-ball", "--until", "1", "--sample", "1e-6", "--motion", motion)
        self.refused(done, "--motion: ", "too many for a page; --sample takes fewer")
        self.assertFalse(motion.exists())
        done = run("simulate", "bouncing-ball", "--until", "1", "--motion", self.path / "none" / "a.json")
        self.assertEqual(done.returncode, 1)

    def test_law_is_assumed_and_said(self):
        scene = self.file("a.toml", BALL.replace('[law]\nname = "frictionless"\ne = 0.8\n', ""))
        self.assertIn("note: assumed: law chatterjee-ruina, e = 0.5, mu = 0.5; --law and --set change it",
                      self.simulate(scene, "--until", "1").stdout)
        notes = json.loads(self.simulate(scene, "--until", "1", "--format", "json").stdout)["notes"]
        self.assertEqual(len(notes), 1)
        self.assertNotIn("assumed", self.simulate("bouncing-ball", "--until", "1").stdout)

    def test_stated_contacts_are_not_used_and_that_is_said(self):
        done = self.simulate("three-spheres", "--until", "0.1")
        self.assertEqual(done.stdout.count("contacts are found from the shapes"), 1)

    def test_law_and_parameters_from_the_command_line(self):
        done = self.simulate("bouncing-ball", "--until", "1", "--set", "e=0.5", "--format", "json")
        event = json.loads(done.stdout)["events"][0]
        self.assertAlmostEqual(event["impulse"][2], 1.5 * event["approach"], delta=1e-14)
        done = self.simulate("bouncing-ball", "--until", "1", "--law", "routh", "--set", "mu=0.1", "--format", "json")
        self.assertEqual(json.loads(done.stdout)["scene"]["law"], "routh")

    def test_output_goes_to_a_file(self):
        file = self.path / "a.json"
        done = self.simulate("bouncing-ball", "--until", "1", "--format", "json", "-o", file)
        self.assertEqual(done.stdout, "")
        self.assertEqual(json.loads(file.read_text())["event_counts"]["impact"], 1)

    def test_wrong_options_write_nothing(self):
        for option, value in (("--until", "0"), ("--until", "-1"), ("--until", "nan"), ("--until", "inf"),
                              ("--sample", "-1"), ("--sample", "nan"), ("--sample", "1e-9"), ("--save-every", "-1")):
            with self.subTest(option=option, value=value):
                self.refused(self.nothing_written("bouncing-ball", option, value), f"{option}: ")
        self.refused(self.nothing_written("bouncing-ball", "--law", "ruth"), "--law: ", "did you mean routh?")
        self.refused(self.nothing_written("bouncing-ball", "--set", "e=1.5"), "--set: ", "e = 1.5")
        self.refused(self.nothing_written("bouncing-ball", "--set", "ee=1"), "--set: ", "unknown parameter")
        self.refused(self.nothing_written("bouncing-bal"), "did you mean bouncing-ball?")
        self.refused(self.nothing_written(self.path / "none.toml"), "none.toml: ")
        self.refused(run("simulate", "bouncing-ball", "--resume"), "--resume: goes with --out")
        self.refused(run("simulate", "bouncing-ball", "--force"), "--force: goes with --out")
        self.assertEqual(self.nothing_written("bouncing-ball", "--until", "soon").returncode, 2)

    def test_wrong_scenes_write_nothing(self):
        for old, new, said in (
                ("mass = 1", "mass = 0", "body[2].mass = 0"),
                ("mass = 1", "mass = -2", "body[2].mass = -2"),
                ("mass = 1", "mass = nan", "body[2].mass = nan"),
                ("[0, 0, 1.1]", "[0, nan, 1.1]", "body[2].position"),
                ("[0, 0, -9.81]", "[0, 0, inf]", "gravity"),
                ('name = "ball"', 'name = "floor"', 'body[2].name = "floor"'),
                ("e = 0.8", "e = 1.8", "law.e = 1.8"),
                ("frictionless", "frictionles", "law.name = frictionles"),
                ("radius = 0.1", "radius = -0.1", "body[2].radius = -0.1"),
                ("radius", "raduis", "body[2].raduis: unknown key; did you mean radius?"),
        ):
            with self.subTest(said):
                line = BALL[: BALL.index(old)].count("\n") + 1
                done = self.nothing_written(self.file("w.toml", BALL.replace(old, new)))
                self.refused(done, f"w.toml:{line}: {said}")
        self.refused(self.nothing_written(self.file("w.toml", BALL.replace("1.1]", "0.05]"))), "w.toml:", "overlap")
        self.refused(self.nothing_written(self.file("w.toml", BALL + '\n[[pair]]\nbodies = ["ball", "wall"]\n')),
                     'pair[1].bodies = "wall": no body has this name; did you mean')
        self.refused(self.nothing_written(self.file("w.toml", BALL + '\n[[force]]\nbody = "bal"\nforce = [0, 0, 1]\n')),
                     'force[1].body = "bal": no body has this name; did you mean ball?')
        self.refused(self.nothing_written(self.file("w.toml", BALL + '\n[[robot]]\nfile = "a.xml"\n')), "robot")
        self.refused(self.nothing_written(self.file("w.toml", "")), "is empty")

    def test_number_of_events_is_limited(self):
        done = self.simulate("bouncing-ball", "--max-events", "3", "--format", "json")
        summary = json.loads(done.stdout)
        self.assertEqual((summary["status"], len(summary["events"])), ("limited", 3))
        self.assertEqual(summary["time"], summary["events"][-1]["time"])

    def test_forces_do_work(self):
        scene = self.file("f.toml", BALL.replace("-9.81", "0") + '\n[[force]]\nbody = "ball"\nforce = [2, 0, 0]\n')
        summary = json.loads(self.simulate(scene, "--until", "3", "--format", "json").stdout)
        # Constant force on 1 kg from rest: ½ F² t² / m.
        self.assertAlmostEqual(summary["energy"]["kinetic"], 18, delta=1e-12)
        self.assertAlmostEqual(summary["energy"]["applied_work"], 18, delta=1e-12)

    @unittest.skipUnless(HAVE_MODELS, "built without MuJoCo")
    def test_a_robot_file_falls_onto_its_floor(self):
        # Feet 0.1 m above the floor reach it after √(2 h/g), all four at once, in both formats.
        for model in ("quadruped.xml", "quadruped.urdf"):
            with self.subTest(model):
                done = json.loads(self.simulate(MODELS / model, "--height", "0.1", "--until", "0.5", "--format", "json").stdout)
                first = [event for event in done["events"] if event["kind"] == "impact"][:4]
                for event in first:
                    self.assertAlmostEqual(event["time"], math.sqrt(2 * 0.1 / 9.81), delta=1e-9)
                    self.assertAlmostEqual(event["approach"], math.sqrt(2 * 0.1 * 9.81), delta=1e-8)
                self.assertEqual(len({(event["body_a"], event["body_b"]) for event in first}), 4)
                self.assertLess(abs(done["energy"]["imbalance"]), 1e-9)
                self.assertGreater(done["energy"]["lost_to_impact"], 1)

    @unittest.skipUnless(HAVE_MODELS, "built without MuJoCo")
    def test_a_robot_folds_onto_its_stops(self):
        # It passes instants at which slip of two feet ends almost together (0.53 s of the one), and at which a foot that
        # slides against a stop has no force (Painlevé, 1.05 s of the other: an impact with approach 0).
        for model, until in (("quadruped.xml", 0.6), ("quadruped.urdf", 1.06)):
            with self.subTest(model):
                done = json.loads(self.simulate(MODELS / model, "--until", str(until), "--format", "json").stdout)
                energy = done["energy"]
                self.assertLess(abs(energy["imbalance"]), 1e-8)
                self.assertGreater(energy["lost_to_impact"], 20)
                self.assertGreater(energy["lost_to_friction"], 0.1)

    @unittest.skipUnless(HAVE_MODELS, "built without MuJoCo")
    def test_a_robot_slides_slowly_until_it_lies_still(self):
        # Its light feet slide at some millimetres per second under balanced forces, and at 0.94 s and 0.98 s slip of the
        # trunk passes slowly through zero.
        done = json.loads(self.simulate(MODELS / "quadruped.urdf", "--until", "2", "--set", "e=0", "--set", "mu=0.8",
                                        "--format", "json").stdout)
        energy = done["energy"]
        self.assertLess(abs(energy["imbalance"]), 1e-9)
        self.assertLess(energy["kinetic"], 1e-20)
        self.assertLess(done["events"][-1]["time"], 1.5)

    @unittest.skipUnless(HAVE_MODELS, "built without MuJoCo")
    def test_a_robot_file_starts_as_it_is(self):
        # A ball 1 m above the plane of its file; and one that overlaps it, which is set above it.
        ball = ('<mujoco><worldbody><geom type="plane" size="5 5 0.1"/><body name="ball" pos="0 0 {}"><freejoint/>'
                '<geom type="sphere" size="0.1"/></body></worldbody></mujoco>')
        for z, fall, said in ((1.1, 1, False), (0.05, 0.1, True)):
            file = self.file("ball.xml", ball.format(z))
            done = json.loads(self.simulate(file, "--until", "1", "--format", "json").stdout)
            self.assertAlmostEqual(done["events"][0]["time"], math.sqrt(2 * fall / 9.81), delta=1e-12)
            self.assertEqual(any("falls" in note for note in done["notes"]), said)

    def test_a_ball_rolls_down_a_height_field(self):
        # Heights of a plane of slope 1/2: a ball that does not slip gains 5/7 g sin(angle).
        rows = [[round(1 - 0.25 * c, 2) for c in range(9)] for r in range(5)]
        scene = ("[law]\nname = 'routh'\ne = 0\nmu = 1\n[[body]]\nname = 'hill'\nshape = 'height-field'\nfixed = true\n"
                 f"size = [4, 2, 2]\nheights = {rows}\n[[body]]\nname = 'ball'\nshape = 'sphere'\nradius = 0.1\nmass = 1\n"
                 f"position = [-1.5, 0.1, {0.75 + 0.1 * math.hypot(1, 0.5)}]\n")
        file = self.file("hill.toml", scene)
        done = json.loads(self.simulate(file, "--until", "1", "--format", "json", "--out", self.path / "hill").stdout)
        angle = math.atan(0.5)
        gained = 5 / 7 * 9.81 * math.sin(angle)
        last = self.rows(self.path / "hill/trajectory.csv")[-1]
        self.assertAlmostEqual(float(last["ball.vx"]), gained * math.cos(angle), 9)
        self.assertAlmostEqual(float(last["ball.px"]), -1.5 + 0.5 * gained * math.cos(angle), 9)
        self.assertLess(abs(done["energy"]["imbalance"]), 1e-12)
        stepped = json.loads(self.simulate(file, "--until", "1", "--method", "time-stepping", "--step", "0.001",
                                           "--format", "json", "--out", self.path / "steps").stdout)
        last = self.rows(self.path / "steps/trajectory.csv")[-1]
        self.assertAlmostEqual(float(last["ball.vx"]), gained * math.cos(angle), 2)
        self.assertEqual(stepped["status"], "finished")
        self.refused(self.nothing_written(self.file("moving.toml", scene.replace("fixed = true", "fixed = true\nvelocity = [1, 0, 0]"))),
                     "shape", "fixed")
        self.refused(self.nothing_written(self.file("ragged.toml", scene.replace("0.75, ", "", 1))), "heights", "rows")
        self.refused(self.nothing_written(self.file("deep.toml", scene.replace("[4, 2, 2]", "[4, 2, 0.1]"))), "heights", "base")
        self.refused(self.nothing_written(file, "--method", "compliant", "--stiffness", "1e6"), "height field")

    @unittest.skipUnless(HAVE_MODELS, "built without MuJoCo")
    def test_a_robot_falls_onto_its_height_field(self):
        robot = ("<mujoco><asset><hfield name='h' nrow='31' ncol='21' size='2 3 1 .1'/></asset><worldbody>"
                 "<geom name='ground' type='hfield' hfield='h'/><body name='ball' pos='.03 .02 1.1'><freejoint/>"
                 "<geom name='ball' size='.1'/></body></worldbody></mujoco>")
        done = json.loads(self.simulate(self.file("field.xml", robot), "--until", "1", "--format", "json").stdout)
        first = done["events"][0]
        self.assertEqual(first["kind"], "impact")
        self.assertAlmostEqual(first["time"], math.sqrt(2 / 9.81), 12)

    @unittest.skipUnless(HAVE_MODELS, "built without MuJoCo")
    def test_height_of_the_fall(self):
        done = json.loads(
            self.simulate(MODELS / "quadruped.xml", "--height", "0.3", "--until", "0.3", "--format", "json").stdout)
        self.assertAlmostEqual(done["events"][0]["time"], math.sqrt(2 * 0.3 / 9.81), delta=1e-9)
        self.refused(run("simulate", MODELS / "quadruped.xml", "--height", "-1"), "--height", "-1")
        self.refused(run("simulate", "bouncing-ball", "--height", "1"), "--height")

    @unittest.skipUnless(HAVE_MODELS, "built without MuJoCo")
    def test_scene_with_a_robot_and_a_force_on_its_joint(self):
        # A pendulum of one hinge in free fall without gravity: a constant torque turns it at τ/J.
        (self.path / "arm.urdf").write_text(ARM)
        scene = self.path / "arm.toml"
        scene.write_text('gravity = [0, 0, 0]\n[[robot]]\nfile = "arm.urdf"\nname = "arm"\n'
                         '[[force]]\njoint = "arm/shoulder"\nvalue = 0.6\n')
        out = self.path / "arm"
        self.simulate(scene, "--until", "2", "--out", out)
        last = self.rows(out / "trajectory.csv")[-1]
        J = 0.02 + 1.5 * 0.4 ** 2
        self.assertAlmostEqual(float(last["arm/rod.wy"]), 0.6 / J * 2, delta=1e-9)
        energy = json.loads((out / "summary.json").read_text())["energy"]
        self.assertAlmostEqual(energy["applied_work"], energy["kinetic"], delta=1e-9)
        scene.write_text(scene.read_text().replace("shoulder", "shulder"))
        self.refused(self.nothing_written(scene), "arm.toml:", "did you mean arm/shoulder")

    @unittest.skipUnless(HAVE_MODELS, "built without MuJoCo")
    def test_dampers_of_joints_act(self):
        # J ω̇ = −d ω.
        (self.path / "arm.urdf").write_text(ARM.replace("</joint>", '<dynamics damping="0.3"/></joint>'))
        scene = self.path / "arm.toml"
        scene.write_text('gravity = [0, 0, 0]\n[[robot]]\nfile = "arm.urdf"\nname = "arm"\nu = {shoulder = 2}\n')
        out = self.path / "arm"
        self.simulate(scene, "--until", "1", "--out", out)
        last = self.rows(out / "trajectory.csv")[-1]
        J = 0.02 + 1.5 * 0.4 ** 2
        self.assertAlmostEqual(float(last["arm/rod.wy"]), 2 * math.exp(-0.3 / J), delta=1e-9)

    def test_folders_are_not_overwritten(self):
        out = self.path / "out"
        out.mkdir()
        (out / "mine.txt").write_text("mine")
        self.refused(run("simulate", "bouncing-ball", "--until", "1", "--out", out), "has other files", "--force")
        self.assertEqual(folder_bytes(out), {"mine.txt": b"mine"})
        self.simulate("bouncing-ball", "--until", "1", "--out", out, "--force")
        self.assertEqual((out / "mine.txt").read_text(), "mine")
        before = folder_bytes(out)
        self.refused(run("simulate", "bouncing-ball", "--until", "1", "--out", out), "holds a finished run", "--force")
        self.refused(run("simulate", "bouncing-ball", "--until", "2", "--out", out, "--resume"), "until = 2", "has 1")
        self.refused(run("simulate", "billiard", "--until", "1", "--out", out, "--resume"), "scene = ")
        self.assertEqual(folder_bytes(out), before)
        done = run("simulate", "bouncing-ball", "--until", "1", "--out", out, "--resume")
        self.assertEqual((done.returncode, done.stderr), (0, f"{out}: this run is finished already\n"))
        self.assertEqual(folder_bytes(out), before)
        self.refused(run("simulate", "bouncing-ball", "--out", self.file("file", "")), "is not a folder")

    def test_damaged_checkpoint_is_refused(self):
        out = self.path / "out"
        out.mkdir()
        (out / "checkpoint").write_text("ricochet checkpoint 1\n{}\n")
        self.refused(run("simulate", "bouncing-ball", "--until", "1", "--out", out, "--resume"), "not a checkpoint")
        self.simulate("bouncing-ball", "--until", "1", "--out", out, "--force")

    def kill_and_resume(self, scene, until, times, seed, *more):
        whole, cut = self.path / "whole", self.path / "cut"
        arguments = ["--until", str(until), "--save-every", "0", *more]
        begin = time.monotonic()
        self.simulate(scene, *arguments, "--out", whole)
        duration = time.monotonic() - begin
        expected = folder_bytes(whole)
        rng = random.Random(seed)
        killed = 0
        command = [PROGRAM, "simulate", str(scene), *arguments, "--out", str(cut), "--resume"]
        for _ in range(times):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                process.wait(timeout=rng.uniform(0, 3 * duration / times))
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
            said = process.communicate()[1].decode()
            if process.returncode == 0:
                if "finished" in said:
                    break
                # Finished before it could be killed: from the beginning.
                self.assertEqual(folder_bytes(cut), expected)
                for path in cut.iterdir():
                    path.unlink()
            else:
                self.assertEqual(process.returncode, -signal.SIGKILL, said)
                killed += 1
        self.simulate(scene, *arguments, "--out", cut, "--resume")
        self.assertEqual(folder_bytes(cut), expected)
        return killed

    def balls(self, count, e):
        text = BALL.split("[[body]]")[0] + "[[body]]" + BALL.split("[[body]]")[1]
        for i in range(count):
            text += (f'\n[[body]]\nname = "ball {i}"\nshape = "sphere"\nradius = 0.1\nmass = 1\n'
                     f'position = [{0.15 * (i % 4)}, {0.01 * i}, {0.5 + 0.3 * i}]\n')
        return self.file("balls.toml", text.replace("e = 0.8", f"e = {e}"))

    def test_killed_at_random_moments_the_same_bytes_come_out(self):
        killed = self.kill_and_resume(self.balls(12, 0.97), 20, 20, 7)
        self.assertGreaterEqual(killed, 15)

    def test_stepped_and_killed_at_random_moments_the_same_bytes_come_out(self):
        killed = self.kill_and_resume(self.balls(12, 0.5), 8, 10, 8, "--method", "time-stepping", "--step", "2e-3")
        self.assertGreaterEqual(killed, 6)

    def test_compliant_and_killed_at_random_moments_the_same_bytes_come_out(self):
        killed = self.kill_and_resume(self.balls(3, 0.5), 1.5, 6, 9, "--method", "compliant", "--stiffness", "1e5")
        self.assertGreaterEqual(killed, 3)

    def test_methods_agree_on_where_a_block_stops(self):
        ends = {}
        for method, more in (("events", []), ("time-stepping", ["--step", "1e-3"]),
                             ("compliant", ["--law", "spring-sledge", "--set", "damper=linear", "--set", "e=0.2",
                                            "--stiffness", "1e5"])):
            out = self.path / method
            self.simulate("sliding-block", "--method", method, *more, "--until", "1", "--out", out)
            self.assertEqual(sorted(path.name for path in out.iterdir() if path.suffix != ".h5"),
                             ["events.csv", "ledger.csv", "motion.html", "summary.json", "trajectory.csv"])
            ends[method] = float(self.rows(out / "trajectory.csv")[-1]["block.px"])
            summary = json.loads((out / "summary.json").read_text())
            self.assertEqual(summary["run"]["method"], method)
            self.assertLess(abs(summary["energy"]["imbalance"]), 1e-9)
        self.assertAlmostEqual(ends["time-stepping"], ends["events"], delta=1e-5)
        self.assertAlmostEqual(ends["compliant"], ends["events"], delta=1e-2)

    def test_steps_that_do_not_converge_are_said(self):
        done = self.simulate("pile", "--method", "time-stepping", "--until", "0.2", "--format", "json")
        stepping = json.loads(done.stdout)["stepping"]
        self.assertEqual(stepping["steps"], 200)
        self.assertLess(stepping["largest_overlap"], 1e-2)

    def test_wrong_methods_write_nothing(self):
        refused = lambda *arguments: self.nothing_written("bouncing-ball", *arguments)
        self.refused(refused("--step", "1e-3"), "--step: goes with --method time-stepping")
        self.refused(refused("--stiffness", "1e3"), "--stiffness: goes with --method compliant")
        self.refused(refused("--method", "time-stepping", "--step", "0"), "--step: ", "must be positive")
        self.refused(refused("--method", "time-stepping", "--step", "1e-12"), "--step: ", "more than 1e9 steps")
        self.refused(refused("--method", "compliant"), "compliance.stiffness", "--stiffness")
        self.refused(refused("--method", "compliant", "--stiffness", "-1"), "--stiffness: ", "must be positive")
        self.assertEqual(refused("--method", "guess").returncode, 2)
        self.refused(self.nothing_written("double-pendulum", "--method", "compliant", "--stiffness", "1e5"), "hinge")
        self.refused(self.nothing_written(self.file("c.toml", BALL + "\n[compliance]\nstiffness = -1\n")),
                     "compliance.stiffness = -1: must be positive and finite")
        self.refused(self.nothing_written(self.file("d.toml", BALL + "\n[compliance]\nstiff = 1\n")),
                     "compliance.stiff: unknown key; one of stiffness")

    def test_only_one_run_writes_to_a_folder(self):
        out = self.path / "out"
        command = [PROGRAM, "simulate", "superball-corridor", "--until", "1e5", "--out", str(out)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            while not (out / "checkpoint").exists():
                time.sleep(0.01)
            self.refused(run("simulate", "superball-corridor", "--until", "1e5", "--out", out, "--resume"),
                         "another run is writing to this folder")
        finally:
            process.kill()
            process.wait()


if __name__ == "__main__":
    unittest.main()
