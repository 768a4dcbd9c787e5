"""One collision: the built-in scene, TOML in all its forms, formats, laws, overrides."""

import csv
import io
import json
import math
import unittest

from program import COLLISIONS, GOOD, LAWS, OUTCOME_KEYS, SCENES, ProgramTest, good, lines, run


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


class BuiltInScene(ProgramTest):
    def test_without_arguments_every_law_side_by_side(self):
        done = run()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, run("collide").stdout)
        for law in LAWS:
            self.assertRegex(done.stdout, rf"(?m)^{law} ")
        self.assertEqual(done.stderr, "")

    def test_table_is_narrow_and_plain(self):
        for scene in [None, *COLLISIONS]:
            done = run("collide", *([scene] if scene else []))
            self.assertNotIn("\033", done.stdout)
            for line in done.stdout.splitlines():
                self.assertLessEqual(len(line), 120, line)

    def test_refusing_laws_say_why_in_their_row(self):
        rows = [line for line in run("collide").stdout.splitlines() if line.startswith(("bilinear", "pfeiffer-glocker"))]
        self.assertEqual(len(rows), 2)
        for row in rows:
            self.assertIn("no answer: ", row)

    def test_is_the_scene_in_the_repository(self):
        self.assertEqual(self.answers("collide", "--format", "jsonl"),
                         self.answers("collide", SCENES / "default.toml", "--format", "jsonl"))


class Scenes(ProgramTest):
    def test_every_bundled_scene_has_answers(self):
        for scene in COLLISIONS:
            with self.subTest(scene=scene.name):
                answers = self.answers("collide", scene, "--law", "all", "--format", "jsonl")
                self.assertEqual([a["law"] for a in answers], LAWS)
                answered = [a for a in answers if "P" in a]
                self.assertGreaterEqual(len(answered), 8, [a for a in answers if "error" in a])
                for a in answered:
                    self.assertAlmostEqual(a["energy_change"], a["normal_work"] + a["friction_work"], delta=1e-9)

    def test_two_spheres_of_shen_and_townsend(self):
        (a,) = self.answers("collide", SCENES / "two-spheres.toml", "--law", "routh", "--format", "jsonl")
        self.assertAlmostEqual(a["P"][0], 13.5, places=9)
        self.assertAlmostEqual(abs(a["P"][1]), 2.5742, places=4)

    def test_kane_puzzle_whittaker_gains_energy_and_routh_does_not(self):
        scene = SCENES / "kane.toml"
        (routh,) = self.answers("collide", scene, "--law", "routh", "--format", "jsonl")
        self.assertAlmostEqual(routh["energy_change"], -0.1192, places=4)
        sticking = ("--set", "mu=0.63", "--set", "mu_s=0.63")
        (whittaker,) = self.answers("collide", scene, "--law", "whittaker", *sticking, "--format", "jsonl")
        self.assertGreater(whittaker["energy_change"], 0.5)
        self.assertFalse(whittaker["permissible"])
        self.assertLess(whittaker["margins"]["energy"], 0)

    def test_grazing_only_routh_rebounds(self):
        for law, rebounds in (("routh", True), ("chatterjee-ruina", False), ("smith", False)):
            (a,) = self.answers("collide", SCENES / "grazing.toml", "--law", law, "--format", "jsonl")
            self.assertEqual(a["V"][0] > 1e-3, rebounds, law)


class Laws(ProgramTest):
    PARAMETERS = {
        "mu_2": 0.2, "mu_3": 0.0, "psi_1": 1.0, "psi_2": 0.5, "rho": 0.5, "target": [3, 1, 0], "sigma": 0.5, "mu_s": 0.4,
    }

    def test_each_law_by_name(self):
        # Diagonal M and slip along one axis: no law has a reason to refuse.
        problem = good(M=[[1, 0, 0], [0, 0.4, 0], [0, 0, 0.4]], V=[-1, -0.5, 0], law=None, **self.PARAMETERS)
        for law in LAWS:
            with self.subTest(law=law):
                (a,) = self.answers("collide", "-", "--law", law, text=lines(problem))
                self.assertEqual(list(a), OUTCOME_KEYS)
                self.assertTrue(a["permissible"])
                self.assertGreaterEqual(a["V"][0], -1e-12)
                self.assertLessEqual(a["energy_change"], 1e-12)

    def test_all_gives_one_line_a_law_with_leading_key(self):
        done = run("collide", "-", "--law", "all", text=lines(good(**self.PARAMETERS)))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(all(line.startswith('{"law":"') for line in done.stdout.splitlines()))
        self.assertEqual([json.loads(line)["law"] for line in done.stdout.splitlines()], LAWS)

    def test_all_leaves_out_what_is_not_given_without_calling_it_bad(self):
        answers = self.answers("collide", "-", "--law", "all", text=lines(GOOD))
        by_law = {a["law"]: a for a in answers}
        self.assertEqual(by_law["brach"]["error"]["path"], "mu_2")
        self.assertIn("P", by_law["routh"])

    def test_all_with_a_bad_value_gives_no_answers_and_names_the_law_that_objects(self):
        done = run("collide", "-", "--law", "all", text=lines(good(e=1.5)))
        self.refused(done, "e = 1.5", "law frictionless")
        (line,) = map(json.loads, done.stdout.splitlines())
        self.assertEqual((line["error"]["code"], line["error"]["path"]), ("out-of-range", "e"))
        done = run("collide", SCENES / "rod.toml", "--law", "all", "--set", "e=1.5")
        self.refused(done, "--set: e = 1.5", "law frictionless")
        self.assertEqual(done.stdout, "")
        # Only one law has a reason to object here.
        done = run("collide", SCENES / "rod.toml", "--law", "all", "--set", "e_t=-0.5")
        self.refused(done, "--set: e_t = -0.5", "law pfeiffer-glocker")
        self.assertEqual(done.stdout, "")
        self.answers("collide", SCENES / "rod.toml", "--law", "chatterjee-ruina", "--set", "e_t=-0.5", "--format", "jsonl")

    def test_composite_of_named_laws(self):
        problem = good(law="composite", sigma=0.25, first="smith", second="frictionless")
        a, smith, frictionless = self.answers("collide", "-", text=lines(problem, good(law="smith"), good(law="frictionless")))
        for i in range(3):
            self.assertAlmostEqual(a["P"][i], 0.25 * smith["P"][i] + 0.75 * frictionless["P"][i], places=12)

    def test_restitution_hypotheses_differ(self):
        found = [self.answers("collide", "-", text=lines(good(law="routh", restitution=r)))[0]["P"]
                 for r in ("poisson", "stronge", "newton")]
        self.assertEqual(len({tuple(P) for P in found}), 3)

    def test_infinite_friction_as_a_string_and_as_toml_inf(self):
        (a,) = self.answers("collide", "-", text=lines(good(mu="inf")))
        self.assertEqual(a["margins"]["friction"], "inf")
        text = "M = [[2.0, 0.7, 0.2], [0.7, 1.5, -0.3], [0.2, -0.3, 1.1]]\nV = [-1.0, -1.4, 0.3]\nn = [1, 0, 0]\ne = 0.5\n"
        for spelling in ("inf", '"inf"'):
            path = self.file("a.toml", text + f"mu = {spelling}\n")
            (b,) = self.answers("collide", path, "--law", "chatterjee-ruina", "--format", "jsonl")
            self.assertEqual(a, b)


class Toml(ProgramTest):
    M = "M = [[2, 0, 0], [0, 1, 0], [0, 0, 1]]\nV = [-1, 0.5, 0]\nn = [1, 0, 0]\n"

    def test_m_and_w_forms_agree(self):
        m = self.file("m.toml", self.M + "e = 0.5\nmu = 0.1\n")
        w = self.file("w.toml", self.M.replace("M = [[2", "W = [[0.5") + "e = 0.5\nmu = 0.1\n")
        self.assertEqual(self.answers("collide", m, "--law", "smith", "--format", "jsonl"),
                         self.answers("collide", w, "--law", "smith", "--format", "jsonl"))

    def test_parameters_in_their_own_table(self):
        flat = self.file("a.toml", self.M + "e = 0.5\nmu = 0.1\n")
        table = self.file("b.toml", self.M + "[parameters]\ne = 0.5\nmu = 0.1\n")
        self.assertEqual(run("collide", flat, "--format", "jsonl").stdout, run("collide", table, "--format", "jsonl").stdout)

    def test_file_may_name_its_law_and_the_command_line_overrides_it(self):
        path = self.file("a.toml", self.M + 'law = "frictionless"\ne = 0.5\nmu = 0.1\n')
        (a,) = self.answers("collide", path, "--format", "jsonl")
        self.assertEqual(a["P"][1:], [0, 0])
        (b,) = self.answers("collide", path, "--law", "smith", "--format", "jsonl")
        self.assertNotEqual(b["P"][1], 0)

    def test_bodies_give_the_contact(self):
        path = self.file("a.toml", """
point = [0, 0, 0]
n = [0, 0, 1]
e = 0.5
[[body]]
fixed = true
[[body]]
mass = 2
inertia = [[0.8, 0, 0], [0, 0.8, 0], [0, 0, 0.8]]
position = [0, 0, 1]
velocity = [0, 0, -3]
""")
        (a,) = self.answers("collide", path, "--law", "frictionless", "--format", "jsonl")
        self.assertAlmostEqual(a["P"][2], 9, places=12)
        self.assertAlmostEqual(a["V"][2], 1.5, places=12)

    def test_standard_input_is_told_apart_by_its_first_character(self):
        done = run("collide", "-", "--law", "frictionless", text="\n\n# a comment\n" + self.M + "e = 0.5\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("frictionless", done.stdout)
        self.assertEqual(len(self.answers("collide", "-", text="\n  \n" + lines(GOOD))), 1)

    def test_set_overrides_the_file(self):
        path = self.file("a.toml", self.M + "e = 0.5\nmu = 0.1\n")
        (a,) = self.answers("collide", path, "--law", "frictionless", "--set", "e=0.25", "--format", "jsonl")
        self.assertEqual(a["V"][0], 0.25)
        (b,) = self.answers("collide", path, "--law", "projected", "--set", "target=[3,0,0]", "--set", "mu=inf", "--format", "jsonl")
        self.assertAlmostEqual(b["P"][0], 3, places=9)

    def test_the_older_name_of_target_is_still_read(self):
        path = self.file("a.toml", self.M + "mu = 0.1\n")
        wanted = self.answers("collide", path, "--law", "projected", "--set", "target=[3,1,0]", "--format", "jsonl")
        self.assertEqual(self.answers("collide", path, "--law", "projected", "--set", "wish=[3,1,0]", "--format", "jsonl"), wanted)
        for key in ("target", "wish"):
            toml = self.file("b.toml", self.M + f"mu = 0.1\n{key} = [3, 1, 0]\n")
            self.assertEqual(self.answers("collide", toml, "--law", "projected", "--format", "jsonl"), wanted)
        line = {**good(law="projected", e=None, e_t=None)}
        same = self.answers("collide", "-", text=lines({**line, "target": [3, 1, 0]}, {**line, "wish": [3, 1, 0]}))
        self.assertEqual(same[0], same[1])
        # --set overrides the file under either name.
        older = self.file("c.toml", self.M + "mu = 0.1\nwish = [9, 0, 0]\n")
        self.assertEqual(self.answers("collide", older, "--law", "projected", "--set", "target=[3,1,0]", "--format", "jsonl"), wanted)


class Formats(ProgramTest):
    def test_json_has_law_path_and_work(self):
        done = run("collide", SCENES / "kane.toml", "--law", "routh", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        document = json.loads(done.stdout)
        (answer,) = document["answers"]
        self.assertEqual(answer["law"], "routh")
        self.assertGreater(answer["evaluations"], 0)
        events = [point["event"] for point in answer["path"]]
        self.assertEqual((events[0], events[-1]), ("start", "end"))
        self.assertIn("slip-stops", events)
        self.assertEqual(answer["path"][-1]["P"], answer["P"])
        self.assertEqual(document["title"], "double pendulum strikes the floor")

    def test_json_repeats_the_parameters_with_their_defaults(self):
        named = {law["name"]: {one["name"]: one for one in law["parameters"]}
                 for law in json.loads(run("laws", "--format", "json").stdout)}
        path = self.file("c.toml", 'M = [[2, 0.7, 0], [0.7, 1.5, 0], [0, 0, 1]]\nV = [-1, -1.4, 0]\nn = [1, 0, 0]\ne = 0.25\nmu = "inf"\n')
        done = run("collide", path, "--law", "all", "--set", "e_t=0.125", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        seen = 0
        for answer in json.loads(done.stdout)["answers"]:
            if answer.get("error", {}).get("code") == "missing":
                self.assertNotIn("parameters", answer)
                continue
            self.assertEqual(answer["parameters"].keys(), named[answer["law"]].keys(), answer["law"])
            for name, value in answer["parameters"].items():
                stated = {"e": 0.25, "e_k": 0.25, "mu": "inf", "mu_s": "inf", "e_t": 0.125, "restitution": "poisson"}
                default = named[answer["law"]][name].get("default")
                if name in stated or isinstance(default, (int, float)):
                    self.assertEqual(value, stated.get(name, default), f"{answer['law']}: {name}")
                    seen += 1
        self.assertGreater(seen, 40)

    def test_json_of_a_stream_is_one_array(self):
        done = run("collide", "-", "--format", "json", text=lines(GOOD, good(e=7), good(id="x")))
        self.assertEqual(done.returncode, 2)
        documents = json.loads(done.stdout)
        self.assertEqual([d["line"] for d in documents], [1, 2, 3])
        self.assertEqual(documents[1]["answers"][0]["error"]["path"], "e")
        self.assertEqual(documents[2]["id"], "x")

    def test_csv_has_a_header_and_a_row_an_answer(self):
        done = run("collide", "-", "--format", "csv", text=lines(good(id='a,"b'), good(M=None), GOOD))
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(rows), 3)
        self.assertEqual({len(r) for r in rows}, {23})
        self.assertEqual(json.loads(rows[0]["id"]), 'a,"b')
        self.assertEqual((rows[1]["error_code"], rows[1]["error_path"]), ("missing", "M"))
        self.assertEqual(rows[1]["P_x"], "")
        (a,) = self.answers("collide", "-", text=lines(GOOD))
        self.assertEqual([float(rows[2][k]) for k in ("P_x", "P_y", "P_z")], a["P"])
        self.assertEqual(rows[2]["permissible"], "true")
        self.assertNotIn(None, rows[1])

    def test_table_of_a_stream(self):
        done = run("collide", "-", "--format", "table", text=lines(GOOD, good(e=2)))
        rows = done.stdout.splitlines()
        self.assertEqual(len(rows), 4)
        self.assertIn("chatterjee-ruina", rows[2])
        self.assertIn("must be between 0 and 1", rows[3])

    def test_jsonl_is_exactly_as_documented(self):
        done = run("collide", "-", text=lines(GOOD))
        a = json.loads(done.stdout)
        self.assertEqual(list(a), OUTCOME_KEYS)
        self.assertEqual(list(a["margins"]), ["energy", "separation", "compression", "friction"])
        self.assertNotIn(" ", done.stdout.split('"why"')[0])


class Physics(ProgramTest):
    def test_answer_is_in_the_coordinates_of_the_input(self):
        # The same collision, axes permuted: x → y → z → x.
        turn = lambda v: [v[2], v[0], v[1]]
        M = turn([turn(row) for row in GOOD["M"]])
        a, b = self.answers("collide", "-", text=lines(GOOD, good(M=M, V=turn(GOOD["V"]), n=turn(GOOD["n"]))))
        for x, y in zip(turn(a["P"]), b["P"]):
            self.assertAlmostEqual(x, y, places=13)

    def test_normal_is_normalised(self):
        a, b = self.answers("collide", "-", text=lines(GOOD, good(n=[250.0, 0, 0])))
        self.assertEqual(a, b)

    def test_separating_bodies_have_no_impulse(self):
        for V in ([1, 2, 3], [0, 1, 0]):
            (a,) = self.answers("collide", "-", text=lines(good(V=V)))
            self.assertEqual((a["P"], a["V"], a["mode"]), ([0, 0, 0], V, "separating"))
            self.assertTrue(a["permissible"])

    def test_impulse_changes_velocity_by_the_inverse_mass(self):
        (a,) = self.answers("collide", "-", text=lines(GOOD))
        change = [after - before for after, before in zip(a["V"], GOOD["V"])]
        for row, P in zip(GOOD["M"], a["P"]):
            self.assertAlmostEqual(dot(row, change), P, places=12)
        self.assertTrue(math.isfinite(a["energy_change"]))


if __name__ == "__main__":
    unittest.main()
