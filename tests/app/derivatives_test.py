"""collide --derivatives, --one-sided and --uncertain: keys, kinks, refusals, and numbers against differences of answers."""

import json
import unittest

from program import ProgramTest, good, lines, run

SPHERE = [[1, 0, 0], [0, 2 / 7, 0], [0, 0, 2 / 7]]


def answer(*arguments, **changes):
    done = run("collide", "-", *arguments, text=lines(good(**changes)))
    return done, json.loads(done.stdout) if done.stdout else None


class Derivatives(ProgramTest):
    def test_keys_and_shapes_are_those_of_the_documentation(self):
        done, a = answer("--derivatives", law="routh")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(list(a["derivatives"]), ["P", "V", "energy_change"])
        for row in ("P", "V"):
            by = a["derivatives"][row]
            self.assertEqual(list(by), ["M", "V", "n", "e", "mu", "mu_s"])
            self.assertEqual([len(line) for line in by["M"]], [6, 6, 6])
            self.assertEqual([len(line) for line in by["V"]], [3, 3, 3])
            self.assertEqual(len(by["e"]), 3)
        self.assertEqual(len(a["derivatives"]["energy_change"]["M"]), 6)
        self.assertIsInstance(a["derivatives"]["energy_change"]["e"], float)
        self.assertEqual(list(a["mode_change"]), ["what", "distance"])

    def test_given_by_W_the_columns_are_those_of_W(self):
        _, a = answer("--derivatives", W=SPHERE, M=None, law="smith")
        self.assertIn("W", a["derivatives"]["P"])
        self.assertNotIn("M", a["derivatives"]["P"])

    def test_answers_themselves_are_the_same(self):
        for law in ("routh", "smith", "whittaker", "chatterjee-ruina"):
            _, plain = answer(law=law)
            _, more = answer("--derivatives", law=law)
            self.assertEqual({key: more[key] for key in plain}, plain)

    def test_columns_of_V_are_differences_of_answers(self):
        h = 1e-5
        for law in ("routh", "smith", "whittaker", "anitescu-potra", "chatterjee-ruina"):
            _, a = answer("--derivatives", law=law)
            for j in range(3):
                moved = []
                for sign in (1, -1):
                    V = good()["V"][:]
                    V[j] += sign * h
                    moved.append(answer(law=law, V=V)[1])
                for i in range(3):
                    slope = (moved[0]["P"][i] - moved[1]["P"][i]) / (2 * h)
                    self.assertAlmostEqual(a["derivatives"]["P"]["V"][i][j], slope, delta=1e-8, msg=law)
                slope = (moved[0]["energy_change"] - moved[1]["energy_change"]) / (2 * h)
                self.assertAlmostEqual(a["derivatives"]["energy_change"]["V"][j], slope, delta=1e-8, msg=law)

    def test_json_document_has_them_in_each_answer(self):
        done = run("collide", "--law", "routh", "--derivatives")
        self.assertEqual(done.returncode, 0, done.stderr)
        (a,) = json.loads(done.stdout)["answers"]
        self.assertEqual(len(a["derivatives"]["P"]["V"]), 3)

    def test_all_laws_have_them(self):
        done = run("collide", "--law", "all", "--derivatives")
        self.assertEqual(done.returncode, 0, done.stderr)
        by_law = {a["law"]: a for a in json.loads(done.stdout)["answers"] if "P" in a}
        for law in ("routh", "spring-sledge"):
            self.assertEqual(len(by_law[law]["derivatives"]["P"]["V"]), 3, law)
        self.assertEqual(len(by_law["spring-sledge"]["derivatives"]["P"]["kappa"]), 3)

    def test_a_kink_has_null_and_a_reason_and_two_sides_on_request(self):
        s = 0.25 * 1.5 * 3.5
        done, a = answer("--derivatives", "--one-sided", M=SPHERE, V=[-1, s, 0], mu=0.25, e=0.5, e_t=0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsNone(a["derivatives"])
        self.assertEqual(a["kink"], "stick and slip")
        sides = [a["one_sided"][side]["derivatives"]["P"]["V"][1][1] for side in ("below", "above")]
        self.assertAlmostEqual(min(sides), -2 / 7, places=7)
        self.assertAlmostEqual(max(sides), 0, places=7)

    def test_formats_without_room_for_them_are_refused(self):
        for wanted in ("table", "csv"):
            done = run("collide", "--law", "routh", "--derivatives", "--format", wanted)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--format", done.stderr)


class Uncertain(ProgramTest):
    def test_small_deviations_agree_with_samples_and_are_the_same_every_time(self):
        arguments = ("--uncertain", "e=0.004,mu=0.003,V=[0.001,0.002,0]")
        done, a = answer(*arguments, law="routh")
        self.assertEqual(done.returncode, 0, done.stderr)
        u = a["uncertainty"]
        for key in ("P", "V"):
            for x, y in zip(u["first_order"]["deviation"][key], u["monte_carlo"]["deviation"][key]):
                self.assertAlmostEqual(x, y, delta=0.04 * x)
        self.assertEqual(u["monte_carlo"]["samples"], 10000)
        self.assertEqual(answer(*arguments, law="routh")[1], a)

    def test_a_kink_within_two_sigma_is_named(self):
        _, a = answer("--uncertain", "mu=0.05", M=SPHERE, V=[-1, 1.4, 0], mu=0.25, e=0.5, e_t=0)
        (kink,) = a["uncertainty"]["kinks_within_two_sigma"]
        self.assertEqual(kink["what"], "stick and slip")
        self.assertLess(kink["sigmas"], 1)

    def test_table(self):
        done = run("collide", "--law", "routh", "--uncertain", "e=0.01,mu=0.02")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("standard deviations", done.stdout)

    def test_bad_deviations_are_refused(self):
        for text in ("e", "e=", "e=-1", "e=0.1,e=0.2", "e=[0.1", "=1", "e=nan", "V=[1,2]", "speed=1", "e=0.1 mu=0.2"):
            done = run("collide", "--law", "routh", "--uncertain", text)
            self.assertEqual(done.returncode, 2, text)
            self.assertNotEqual(done.stderr, "", text)


if __name__ == "__main__":
    unittest.main()
