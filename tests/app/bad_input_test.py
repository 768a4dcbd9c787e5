"""Everything that can be wrong with an input: one line with file, line, field, value and what is allowed; exit code 2."""

import json
import random
import unittest

from program import GOOD, ProgramTest, good, lines, run

TOML = "M = [[2, 0, 0], [0, 1, 0], [0, 0, 1]]\nV = [-1, 0.5, 0]\nn = [1, 0, 0]\ne = 0.5\nmu = 0.1\n"
BODIES = """point = [0, 0, 0]
n = [0, 0, 1]
e = 0.5
mu = 0.5
[[body]]
fixed = true
[[body]]
mass = 1
inertia = [1, 1, 1]
position = [0, 0, 1]
velocity = [0, 0, -1]
"""


def text_of(**changes):
    return json.dumps(good(**changes))


class JsonLines(ProgramTest):
    CASES = {
        # name: (line, field, parts of the message)
        "nan": (text_of(V=[float("nan"), 0, 0]), "V", ["not valid JSON"]),
        "infinity": (text_of(V=[float("inf"), 0, 0]), "V", ["not valid JSON"]),
        "overflow": (text_of().replace("1.1", "1e999"), "M", ["1e999"]),
        "not symmetric": (text_of(M=[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]), "M", ["0.5", "must be symmetric"]),
        "not positive": (text_of(M=[[1, 0, 0], [0, -1, 0], [0, 0, 1]]), "M", ["-1", "positive definite"]),
        "singular": (text_of(M=[[1, 0, 0], [0, 0, 0], [0, 0, 1]]), "M", ["positive definite"]),
        "singular W against V": (text_of(M=None, W=[[1, 0, 0], [0, 0, 0], [0, 0, 1]]), "V", ["immovable"]),
        "e above 1": (text_of(e=1.5), "e", ["1.5: must be between 0 and 1"]),
        "e below 0": (text_of(e=-0.1), "e", ["-0.1: must be between 0 and 1"]),
        "e infinite": (text_of(e="inf"), "e", ["inf: must be between 0 and 1"]),
        "e_t": (text_of(e_t=-1.5), "e_t", ["-1.5: must be between -1 and 1"]),
        "mu": (text_of(mu=-0.3), "mu", ["-0.3: must be at least 0, or inf"]),
        "mu number in a string": (text_of(mu="0.3"), "mu", ['"0.3": must be a number']),
        "law all": (text_of(law="all"), "law", ["--law all"]),
        "mu word": (text_of(mu="lots"), "mu", ["lots", "must be a number"]),
        "mu_s below mu": (text_of(law="routh", mu_s=0.2), "mu_s", ["0.2: must be at least mu, which is 0.3"]),
        "restitution": (text_of(law="routh", restitution="huygens"), "restitution", ["huygens", "poisson, stronge or newton"]),
        "smooth": (text_of(smooth=2), "smooth", ["2: must be between 0 and 1"]),
        "sigma": (text_of(law="composite", sigma=2), "sigma", ["2: must be between 0 and 1"]),
        "composite of itself": (text_of(law="composite", sigma=0.5, first="composite"), "first", ["composite"]),
        "brach": (text_of(law="brach", mu_2="inf", mu_3=0), "mu_2", ["inf: must be finite"]),
        "target shape": (text_of(law="projected", target=[1, 2]), "target", ["[1, 2]: must be three numbers"]),
        "older name": (text_of(law="projected", wish=[1, 2]), "wish", ["[1, 2]: must be three numbers"]),
        "both names": (text_of(law="projected", target=[1, 2, 3], wish=[1, 2, 3]), "wish",
                       ["given twice; wish is the older name of target"]),
        "damper is a number": (text_of(law="spring-sledge", damper=[1]), "damper", ["must be a string"]),
        "unknown law": (text_of(law="ruth"), "law", ["ruth", "did you mean routh?", "anitescu-potra"]),
        "law far off": (text_of(law="zzzzzzzz"), "law", ["zzzzzzzz", "one of frictionless"]),
        "law missing": (text_of(law=None), "law", ["missing"]),
        "law is a number": (text_of(law=3), "law", ["3: must be a string"]),
        "e missing": (text_of(e=None), "e", ["needed by chatterjee-ruina", "between 0 and 1"]),
        "M missing": (text_of(M=None), "M", ["missing"]),
        "V missing": (text_of(V=None), "V", ["missing"]),
        "n missing": (text_of(n=None), "n", ["missing"]),
        "M and W": (text_of(W=GOOD["M"]), "W", ["beside M"]),
        "n zero": (text_of(n=[0, 0, 0]), "n", ["[0, 0, 0]", "zero"]),
        "V short": (text_of(V=[1, 2]), "V", ["[1, 2]: must be three numbers"]),
        "V long": (text_of(V=list(range(100))), "V", ["must be three numbers"]),
        "V scalar": (text_of(V=3), "V", ["3: must be three numbers"]),
        "V of strings": (text_of(V=["a", 1, 2]), "V", ["\"a\"", "numbers"]),
        "V nested": (text_of(V=[[1, 2, 3]]), "V", ["must be three numbers"]),
        "M rows": (text_of(M=[[1, 0, 0], [0, 1, 0]]), "M", ["[[1, 0, 0], [0, 1, 0]]: must be 3 rows of 3 numbers"]),
        "M ragged": (text_of(M=[[1, 0], [0, 1, 0, 0], [0, 0, 1]]), "M", ["3 rows of 3"]),
        "M flat": (text_of(M=[1, 0, 0, 0, 1, 0, 0, 0, 1]), "M", ["3 rows of 3"]),
        "M mixed": (text_of(M=[1, [0, 1, 0]]), "M", ["3 rows of 3"]),
        "M empty": (text_of(M=[]), "M", ["[]: must be 3 rows of 3"]),
        "M object": (text_of(M={"a": 1}), "M", ["3 rows of 3"]),
        "M deep": (text_of(M=[[[1]]]), "M", ["3 rows of 3"]),
        "null": (text_of().replace('"mu": 0.3', '"mu": null'), "mu", ["null: must be a number"]),
        "boolean": (text_of(e=True), "e", ["true: must be a number"]),
        "id boolean": (text_of(id=True), "id", ["true: must be a string or a number"]),
        "unknown key": (text_of(friction=0.3), "friction", ["unknown key"]),
        "mistyped key": (text_of(mu_S=0.3), "mu_S", ["unknown key", "did you mean mu_s?"]),
        "duplicate key": (text_of().replace("{", '{"e": 0.1, ', 1), "e", ["given twice"]),
        "duplicate matrix": (text_of()[:-1] + ', "M": [[1,0,0],[0,1,0],[0,0,1]]}', "M", ["given twice"]),
        "truncated": (text_of()[:-1], "", ["not valid JSON", "column"]),
        "truncated in a value": (text_of()[:20], "M", ["not valid JSON"]),
        "trailing": (text_of() + " x", "", ["not valid JSON"]),
        "two objects": (text_of() + text_of(), "", ["not valid JSON"]),
        "array": ("[1, 2]", "", ["must be one JSON object"]),
        "number": ("17", "", ["must be one JSON object"]),
        "string": ('"x"', "", ["must be one JSON object"]),
        "words": ("hello", "", ["not valid JSON"]),
        "empty object": ("{}", "M", ["missing"]),
        "deeply nested": ("[" * 200_000, "", ["must be one JSON object"]),
        "deeply nested value": ('{"M":' + "[" * 200_000, "M", ["3 rows of 3"]),
        "deeply nested objects": ('{"M":' * 100_000, "M", ["3 rows of 3"]),
        "huge": (text_of(M=[[1e300, 0, 0], [0, 1e300, 0], [0, 0, 1e300]], V=[-1e10, 0, 0]), "", ["too large"]),
        "bilinear refuses": (text_of(law="bilinear"), "M", ["diagonal"]),
    }

    def test_each_kind_has_its_line_and_its_error_object(self):
        for name, (line, field, parts) in self.CASES.items():
            with self.subTest(name):
                path = self.file("a.jsonl", lines(GOOD) + line + "\n" + lines(GOOD))
                done = run("collide", path)
                where = f"{path}:2: "
                self.refused(done, where, *parts)
                self.assertLess(len(done.stderr), 1500)
                first, error, last = (json.loads(text) for text in done.stdout.splitlines())
                self.assertIn("P", first)
                self.assertEqual(first, last)
                self.assertEqual(list(error), ["error"])
                self.assertEqual(set(error["error"]), {"code", "path", "value", "allowed", "message"})
                self.assertEqual(error["error"]["path"], field)
                self.assertIn(error["error"]["allowed"], error["error"]["message"])
                self.assertEqual(where + error["error"]["message"] + "\n", done.stderr)

    def test_bytes_that_are_no_text(self):
        for raw in (b"\xff\xfe\x00{", b'{"law":"\xff\xff"}', b'{"\xc3\x28":1}', b"\x00\x00\x00", b'{"law":"\x01"}'):
            done = run("collide", self.file("a.jsonl", raw))
            self.refused(done, "a.jsonl:1: ")
            json.loads(done.stdout)

    def test_escape_sequences_do_not_reach_the_terminal(self):
        done = run("collide", "-", text=json.dumps(good(law="\033[31m\u0007")))
        self.assertNotIn("\033", done.stderr + done.stdout)

    def test_mutilated_lines_never_crash(self):
        rng = random.Random(3)
        source = json.dumps(GOOD).encode()
        mangled = []
        for _ in range(3000):
            line = bytearray(source)
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(line))
                match rng.randint(0, 2):
                    case 0: line[at] = rng.randrange(256)
                    case 1: del line[at:at + rng.randint(1, 20)]
                    case _: line[at:at] = rng.choice([b"[", b"]", b"{", b"}", b",", b":", b'"', b"1e400", b"null", b"-"])
                line = line or bytearray(b"{")
            mangled.append(bytes(line).replace(b"\n", b" "))
        done = run("collide", "-", raw=b"{}\n" + b"\n".join(mangled))
        self.assertEqual(done.returncode, 2)
        for line in done.stdout.splitlines():
            answer = json.loads(line)
            self.assertTrue(("P" in answer) != ("error" in answer))


class Toml(ProgramTest):
    CASES = {
        # name: (file, line or None, field, parts of the message)
        "syntax": (TOML + "x = = 3\n", 6, "", ["not valid TOML"]),
        "both names": (TOML + "target = [1, 2, 3]\nwish = [1, 2, 3]\n", 7, "wish",
                       ["given twice; wish is the older name of target, which is in line 6"]),
        "truncated": (TOML + "target = [1, 2\n", None, "", ["not valid TOML"]),
        "duplicate": (TOML + "e = 0.7\n", 6, "", ["not valid TOML", "'e'"]),
        "duplicate across tables": (TOML + "[parameters]\ne = 0.7\n", 7, "e", ["given twice"]),
        "unknown key": (TOML + "friction = 3\n", 6, "friction", ["unknown key"]),
        "mistyped key": (TOML + "mus = 3\n", 6, "mus", ["unknown key; did you mean mu"]),
        "unknown body key": (BODIES + "weight = 3\n", 12, "body[2].weight", ["unknown key"]),
        "nan": (TOML.replace("[-1, 0.5, 0]", "[nan, 0, 0]"), 2, "V", ["nan", "finite"]),
        "nan parameter": (TOML.replace("e = 0.5", "e = nan"), 4, "e", ["nan: must be a number"]),
        "inf in M": (TOML.replace("[[2", "[[inf"), 1, "M", ["inf", "finite"]),
        "not positive": (TOML.replace("[[2", "[[-2"), 1, "M", ["positive definite"]),
        "e": (TOML.replace("e = 0.5", "e = 1.5"), 4, "e", ["1.5: must be between 0 and 1"]),
        "missing": (TOML.replace("n = [1, 0, 0]\n", ""), None, "n", ["missing"]),
        "no contact": ("e = 0.5\n", None, "M", ["missing"]),
        "shape": (TOML.replace("[-1, 0.5, 0]", "[-1, 0.5]"), 2, "V", ["[-1, 0.5]: must be three numbers"]),
        "matrix shape": (TOML.replace(", [0, 0, 1]]", "]"), 1, "M", ["3 rows of 3 numbers"]),
        "type": (TOML.replace("[-1, 0.5, 0]", '"fast"'), 2, "V", ['"fast": must be three numbers']),
        "date": (TOML.replace("e = 0.5", "e = 2024-01-01"), 4, "e", ["a date or time: must be a number"]),
        "table for a number": (TOML.replace("e = 0.5", "e = {x = 1}"), 4, "e", ["a table: must be a number"]),
        "law": (TOML + 'law = "ruth"\n', 6, "law", ["ruth", "did you mean routh?"]),
        "law type": (TOML + "law = 3\n", 6, "law", ["3: must be a string"]),
        "one body": (BODIES[:BODIES.rindex("[[body]]")], 5, "body", ["1 of them", "two tables"]),
        "body is a number": ("body = 3\n" + TOML, 1, "body", ["3", "two tables"]),
        "no mass": (BODIES.replace("mass = 1\n", ""), 7, "body[2].mass", ["missing"]),
        "negative mass": (BODIES.replace("mass = 1", "mass = -1"), 8, "body[2].mass", ["-1: must be positive"]),
        "impossible inertia": (BODIES.replace("[1, 1, 1]", "[1, 1, 3]"), 9, "body[2].inertia", ["sum of the other two"]),
        "both fixed": (BODIES.replace("mass = 1", "fixed = true\nmass = 1"), 8, "body[2].fixed", ["at least one"]),
        "fixed type": (BODIES.replace("fixed = true", "fixed = 1"), 6, "body[1].fixed", ["1: must be true or false"]),
        "orientation": (BODIES + "orientation = [1, 1, 0, 0]\n", 12, "body[2].orientation", ["unit quaternion"]),
        "orientation shape": (BODIES + "orientation = [1, 0, 0]\n", 12, "body[2].orientation", ["four numbers"]),
        "no point": (BODIES.replace("point = [0, 0, 0]\n", ""), None, "point", ["missing"]),
        "bodies and V": ("V = [0, 0, -1]\n" + BODIES, 1, "V", ["beside [[body]]"]),
        "point without bodies": (TOML + "point = [0, 0, 0]\n", 6, "point", ["there are none"]),
        "empty": ("", None, "", ["is empty"]),
        "blank": (" \n\n", None, "", ["is empty"]),
        "garbage": (bytes(range(256)), 1, "", ["not valid TOML"]),
        "invalid utf-8": (TOML.encode() + b'title = "\xff\xff"\n', 6, "", ["not valid TOML"]),
        "header without key": (TOML + "[[,]]\n", 6, "", ["not valid TOML"]),
        "letter for a number": (TOML + "rho = \u00e9\n", 6, "", ["not valid TOML"]),
        "deep arrays": ("a = " + "[" * 100_000, 1, "", ["not valid TOML"]),
        "deep keys": ("a" + ".a" * 100_000 + " = 1\n", None, "", ["more than 9 parts"]),
        "many contacts": ("[[contact]]\n", 1, "contact", ["ricochet simultaneous"]),
        "deep headers": ("[a" + ".a" * 1_900 + "]\nb = 1\n", None, "", ["more than 9 parts"]),
        "too long": ("# " + "x" * (2 << 20) + "\n" + TOML, None, "", ["longer than"]),
    }

    def test_each_kind_is_one_line_that_names_the_place(self):
        for name, (text, line, field, parts) in self.CASES.items():
            with self.subTest(name):
                path = self.file("a.toml", text)
                done = run("collide", path, "--law", "chatterjee-ruina") if "law" not in name else run("collide", path)
                where = f"{path}:{line}: " if line else f"{path}"
                self.refused(done, where + (field if field and line else ""), *parts)
                self.assertEqual(done.stdout, "")
                self.assertLess(len(done.stderr), 1500)

    def test_a_missing_parameter_names_law_and_range(self):
        path = self.file("a.toml", TOML.replace("mu = 0.1\n", ""))
        self.refused(run("collide", path, "--law", "routh"), "mu: needed by routh, at least 0, or inf")


class Files(ProgramTest):
    def test_missing_file_directory_and_empty(self):
        self.refused(run("collide", self.path / "none.toml"), "none.toml", "No such file")
        self.refused(run("collide", self.path), "is a directory")
        self.refused(run("collide", self.file("a.jsonl", "")), "a.jsonl", "is empty")
        self.refused(run("collide", self.file("a", "")), "is empty")
        self.refused(run("collide", "-", text=""), "standard input", "is empty")
        for command in ("inspect", "realize"):
            self.refused(run(command, self.path / "none.toml"), "No such file")
            self.refused(run(command, self.path), "is a directory")
            self.refused(run(command, self.file("b.jsonl", "\n")), "is empty")
            self.refused(run(command, self.file("c.jsonl", "{]\n")), "c.jsonl:1")
            self.refused(run(command, self.file("d.toml", TOML + "q = 1\n")), "d.toml:6")


class CommandLine(ProgramTest):
    def test_set(self):
        path = self.file("a.toml", TOML)
        for text, parts in {
            "e": ["e: must be key=value"],
            "e=": ["must be a number"],
            "e=abc": ["abc: must be a number"],
            "e=nan": ["nan: must be a number"],
            "ee=1": ["unknown parameter"],
            "mus=1": ["did you mean mu"],
            "target=1,2": ["must be three numbers"],
            "target=[1,2,inf]": ["finite"],
            "wish=1,2": ["must be three numbers"],
            "restitution=3": ["must be a string"],
        }.items():
            with self.subTest(text):
                self.refused(run("collide", path, "--set", text), "--set: ", *parts)
        self.refused(run("collide", path, "--law", "smith", "--set", "e=1.5"), "--set: e = 1.5: must be between 0 and 1")
        self.refused(run("collide", path, "--set", "e=1", "--set", "e=0"), "given twice")
        self.refused(run("collide", path, "--set", "target=1,2,3", "--set", "wish=1,2,3"), "wish: given twice", "target")

    def test_unknown_law(self):
        self.refused(run("collide", "--law", "brache"), "--law: ", "brache", "did you mean brach?")


if __name__ == "__main__":
    unittest.main()
