"""Streams: order, memory, interruption, output files."""

import json
import os
import random
import resource
import select
import signal
import struct
import subprocess
import time
import unittest
from pathlib import Path

from program import GOOD, OUTCOME_KEYS, PROGRAM, SCENES, ProgramTest, good, lines, run


class Order(ProgramTest):
    def test_bad_lines_have_their_place_and_the_others_go_on(self):
        text = lines(good(id=1), good(id=2, e=1.5)) + "\n{]\n   \n" + lines(good(id="three"))
        path = self.file("many.jsonl", text)
        done = run("collide", path)
        self.assertEqual(done.returncode, 2)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([a.get("id") for a in answers], [1, 2, None, "three"])
        self.assertEqual(["P" in a for a in answers], [True, False, False, True])
        self.assertEqual(answers[1]["error"], {"code": "out-of-range", "path": "e", "value": "1.5", "allowed": "must be between 0 and 1",
                                                "message": "e = 1.5: must be between 0 and 1"})
        faults = done.stderr.splitlines()
        self.assertEqual(faults[0], f"{path}:2: e = 1.5: must be between 0 and 1")
        self.assertTrue(faults[1].startswith(f"{path}:4: not valid JSON at column 2"), faults[1])
        self.assertEqual(len(faults), 2)

    def test_many_bad_lines_are_counted_by_reason(self):
        text = lines(GOOD) + lines(good(e=1.5)) * 650 + "{]\n" * 50 + lines(good(frction=1), good(muu=1))
        path = self.file("many.jsonl", text)
        done = run("collide", path)
        self.assertEqual(done.returncode, 2)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(sum("error" in a for a in answers), 702)
        *shown, last = done.stderr.splitlines()
        self.assertEqual(shown, [f"{path}:{i}: e = 1.5: must be between 0 and 1" for i in range(2, 7)])
        self.assertTrue(last.startswith(f"{path}: 702 lines refused: 650 e out-of-range, 50 malformed, 2 unknown-name"), last)

    def test_a_bad_first_line_does_not_cost_the_others(self):
        for bad in ("garbage", '"M":[[1,0,0]]}', "[1, 2, 3]", "null", "42"):
            done = run("collide", "-", text=bad + "\n" + json.dumps(good()) + "\n")
            self.assertEqual(done.returncode, 2)
            first, second = map(json.loads, done.stdout.splitlines())
            self.assertIn("error", first)
            self.assertEqual(set(OUTCOME_KEYS) - set(second), set())
            self.assertIn("standard input:1:", done.stderr)

    def test_toml_on_standard_input_is_known_by_its_first_line(self):
        scene = (SCENES / "generic.toml").read_text()
        for text in (scene, "\n\n" + scene, scene[scene.index("\n"):]):
            self.assertEqual(run("collide", "-", text=text).returncode, 0)

    def test_id_comes_back_as_it_was(self):
        for id in ("a\"b\\c\n\u00e9\u2028", 7, -3, 0.1, 12345678901234567890, "x", ""):
            (a,) = self.answers("collide", "-", text=lines(good(id=id)))
            self.assertEqual(a["id"], id)
        big = json.dumps(good()).replace("{", '{"id": 123456789012345678901234567890, ', 1)
        self.assertIn('"id":123456789012345678901234567890,', run("collide", "-", text=big).stdout)

    def test_last_line_needs_no_end_and_windows_ends_are_taken(self):
        self.assertEqual(len(self.answers("collide", "-", text=json.dumps(GOOD) + "\r\n" + json.dumps(GOOD))), 2)

    def test_law_of_the_command_line_overrides_that_of_the_line(self):
        a, b = self.answers("collide", "-", "--law", "frictionless", text=lines(good(law="routh"), good(law=None)))
        self.assertEqual(a, b)

    def test_set_overrides_every_line(self):
        a, b = self.answers("collide", "-", "--set", "e=0.25", text=lines(good(e=0.9), good(e=None)))
        self.assertEqual(a, b)


class Dialogue(ProgramTest):
    """One line, its answer, the next line, over pipes that stay open."""

    def ask(self, child, text):
        """What comes back within 5 s, up to the end of a line."""
        child.stdin.write(text.encode())
        child.stdin.flush()
        got = b""
        end = time.monotonic() + 5
        while not got.endswith(b"\n"):
            ready, _, _ = select.select([child.stdout], [], [], max(0, end - time.monotonic()))
            self.assertTrue(ready, f"no answer while the input stays open; so far {got!r}")
            more = os.read(child.stdout.fileno(), 1 << 16)
            self.assertTrue(more, "the program ended")
            got += more
        return got.decode()

    def start(self, *arguments):
        child = subprocess.Popen([PROGRAM, "collide", "-", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, bufsize=0)
        self.addCleanup(child.wait)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.kill)
        return child

    def test_each_line_is_answered_while_the_input_stays_open(self):
        child = self.start()
        for id in range(3):
            self.assertEqual(json.loads(self.ask(child, lines(good(id=id))))["id"], id)
        # A bad line is answered as well, and so is one that comes with the beginning of the next.
        self.assertIn("error", json.loads(self.ask(child, lines(good(id=3, e=2)))))
        whole = lines(good(id=5))
        self.assertEqual(json.loads(self.ask(child, lines(good(id=4)) + whole[:30]))["id"], 4)
        self.assertEqual(json.loads(self.ask(child, whole[30:]))["id"], 5)
        child.stdin.close()
        self.assertEqual(child.wait(5), 2)

    def test_an_input_that_waits_and_ends_empty_leaves_no_output(self):
        child = self.start("--format", "csv")
        time.sleep(0.2)
        child.stdin.close()
        self.assertEqual(child.stdout.read(), b"")
        self.assertEqual(child.wait(5), 2)


class Numbers(ProgramTest):
    def test_works_add_up_to_the_energy_change_exactly(self):
        rng = random.Random(3)
        problems = [good(V=[-rng.random(), rng.gauss(0, 1), rng.gauss(0, 1)], law=rng.choice(["routh", "smith", "whittaker"]))
                    for _ in range(2000)]
        for a in self.answers("collide", "-", text=lines(*problems)):
            self.assertEqual(a["normal_work"] + a["friction_work"], a["energy_change"])

    def test_doubles_round_trip(self):
        # Separating bodies come back with the velocity they had, whatever its bits are.
        rng = random.Random(1)
        problems = []
        while len(problems) < 2000:
            V = [struct.unpack("<d", rng.randbytes(8))[0] for _ in range(3)]
            if all(abs(x) < 1e300 for x in V):
                problems.append(good(V=[abs(V[0]), V[1], V[2]]))
        answers = self.answers("collide", "-", text=lines(*problems))
        for problem, a in zip(problems, answers):
            self.assertEqual([struct.pack("<d", x) for x in problem["V"]], [struct.pack("<d", x) for x in a["V"]])

    def test_answers_do_not_depend_on_the_way_they_are_written(self):
        (a,) = self.answers("collide", "-", text=lines(GOOD))
        documents = json.loads(run("collide", "-", "--format", "json", text=lines(GOOD)).stdout)
        for key in ("P", "V", "energy_change", "normal_work", "friction_work", "margins"):
            self.assertEqual(a[key], documents[0]["answers"][0][key])

    def test_same_input_same_bytes(self):
        rng = random.Random(2)
        text = lines(*(good(V=[-rng.random(), rng.gauss(0, 1), rng.gauss(0, 1)], law=rng.choice(["routh", "smith", "whittaker"]))
                       for _ in range(500)))
        self.assertEqual(run("collide", "-", text=text).stdout, run("collide", "-", text=text).stdout)


class Size(ProgramTest):
    COUNT = 100_000

    def test_memory_does_not_grow_with_the_stream(self):
        line = lines(GOOD)
        small = self.file("small.jsonl", line * 100)
        large = self.file("large.jsonl", line * self.COUNT)

        def peak(path):
            """Largest resident size in KiB, from the program's own usage."""
            with open(self.path / "out", "wb") as out:
                child = subprocess.Popen([PROGRAM, "collide", str(path)], stdout=out)
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(child.returncode, 0)
            return usage.ru_maxrss

        base = peak(small)
        grown = peak(large)
        with open(self.path / "out", "rb") as out:
            self.assertEqual(sum(1 for _ in out), self.COUNT)
        self.assertLess(grown, base + 4096, "KiB")

    def test_a_line_without_end_is_refused_not_stored(self):
        path = self.file("long.jsonl", lines(GOOD) + '{"M":[[' + "1" * 40_000_000 + "\n" + lines(GOOD))

        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))

        # Sanitizers reserve address space of their own.
        sanitized = b"__asan_init" in Path(PROGRAM).read_bytes()
        done = subprocess.run([PROGRAM, "collide", str(path)], capture_output=True, text=True,
                              preexec_fn=None if sanitized else limit)
        self.assertEqual(done.returncode, 2)
        self.assertEqual([("P" in line) for line in done.stdout.splitlines()], [True, False, True])
        self.assertIn("long.jsonl:2: ", done.stderr)
        self.assertIn("longer than 1 MiB", done.stderr)


class OutputFile(ProgramTest):
    def test_appears_whole_with_the_usual_permissions(self):
        out = self.path / "answers.jsonl"
        done = run("collide", "-", "-o", out, text=lines(GOOD))
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        self.assertIn("P", json.loads(out.read_text()))
        self.assertEqual(os.listdir(self.path), ["answers.jsonl"])
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual(out.stat().st_mode & 0o777, 0o666 & ~mask)

    def test_is_kept_when_single_lines_are_bad(self):
        out = self.path / "answers.jsonl"
        self.assertEqual(run("collide", "-", "-o", out, text=lines(GOOD, good(e=3))).returncode, 2)
        self.assertEqual(len(out.read_text().splitlines()), 2)

    def test_old_answers_stay_when_the_input_is_no_collision(self):
        out = self.file("answers.jsonl", "old\n")
        self.assertEqual(run("collide", self.file("empty.jsonl", "\n\n"), "-o", out).returncode, 2)
        self.assertEqual(out.read_text(), "old\n")

    def test_a_link_stays_a_link(self):
        real = self.file("real.jsonl", "old\n")
        link = self.path / "link.jsonl"
        link.symlink_to(real)
        self.assertEqual(run("collide", "-", "-o", link, text=lines(GOOD)).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertNotEqual(real.read_text(), "old\n")

    def test_places_that_cannot_be_written(self):
        for out in (self.path, self.path / "no" / "such" / "folder", "/dev/full"):
            done = run("collide", "-", "-o", out, text=lines(GOOD))
            self.assertEqual(done.returncode, 1, out)
            self.assertIn("cannot be written", done.stderr)
        self.assertEqual(os.listdir(self.path), [])
        self.assertEqual(run("collide", "-o", "/dev/null").returncode, 0)

    def test_full_standard_output(self):
        with open("/dev/full", "wb") as full:
            for command in (
                ["collide"], ["laws"], ["laws", "routh", "--format", "json"], ["inspect"], ["realize"], ["process"],
                ["equivalent"], ["material", "--E", "1e9", "--nu", "0.3", "--density", "1000", "--radius", "0.01"],
                ["disc"], ["disc", "coin-flat"], ["simultaneous"], ["simultaneous", "cradle"], ["impact", "--systems"],
                ["impact", "double-pendulum", "--set", "e=0.5", "--set", "mu=0.4"], ["reproduce"], ["figure", "--list"],
                ["report", "-o", str(self.path / "r.html")],
                ["figure", str(SCENES / "rod.toml"), "-o", str(self.path / "r.svg")],
                ["--help"], ["--version"], ["collide", "--help"], ["report", "--help"],
            ):
                with self.subTest(command):
                    done = subprocess.run([PROGRAM, *command], stdout=full, stderr=subprocess.PIPE, text=True)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assertIn("cannot be written", done.stderr)

    def test_full_output_file(self):
        for command in (
            ["collide"], ["disc", "coin-flat"], ["report"], ["report", "cradle"],
        ):
            with self.subTest(command):
                done = run(*command, "-o", "/dev/full")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("/dev/full: cannot be written", done.stderr)
                self.assertEqual(done.stdout, "")
        done = run("material", "--E", "1e9", "--nu", "0.3", "--density", "1000", "--radius", "0.01", "--lammps", "/dev/full")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        done = run("simultaneous", "cradle", "--svg", "/dev/full")
        self.assertEqual((done.returncode, done.stdout), (1, ""))


class Interruption(ProgramTest):
    def interrupt(self, number):
        """Feeds a stream without end, interrupts it in the middle, and returns exit code and folder."""
        out = self.file("answers.jsonl", "old\n")
        child = subprocess.Popen([PROGRAM, "collide", "-", "-o", str(out)], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(child.stderr.close)
        child.stdin.write((lines(GOOD) * 2000).encode())
        child.stdin.flush()
        # Wait until it is at work: its temporary is there and has grown.
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            partial = [p for p in self.path.iterdir() if "partial" in p.name]
            if partial and partial[0].stat().st_size > 0:
                break
            time.sleep(0.01)
        else:
            self.fail("no temporary file seen")
        child.send_signal(number)
        code = child.wait(60)
        try:
            child.stdin.close()
        except BrokenPipeError:
            pass
        return code

    def test_ctrl_c_leaves_nothing_half_written(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            self.assertEqual(self.interrupt(number), 130)
            self.assertEqual(os.listdir(self.path), ["answers.jsonl"])
            self.assertEqual((self.path / "answers.jsonl").read_text(), "old\n")

    def test_broken_pipe_ends_quietly(self):
        path = self.file("many.jsonl", lines(GOOD) * 20_000)
        child = subprocess.Popen([PROGRAM, "collide", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        child.stdout.readline()
        child.stdout.close()
        self.assertEqual(child.stderr.read(), b"")
        child.stderr.close()
        self.assertEqual(child.wait(60), 0)


class Terminal(ProgramTest):
    def test_a_file_may_follow_a_parameter(self):
        self.assertEqual(run("collide", "--set", "mu=0.2", SCENES / "rod.toml").returncode, 0)
        self.assertEqual(run("disc", "--set", "mu=0.2", "coin-flat", "--format", "json").stdout[:1], "{")

    def test_a_file_has_no_colours_even_where_standard_output_is_a_terminal(self):
        import pty

        out = self.path / "table.txt"
        for command in (["collide", "--law", "all"], ["laws"], ["reproduce"], ["disc", "coin-flat"],
                        ["impact", "double-pendulum", "--law", "routh", "--set", "e=0.5", "--set", "mu=0.4"]):
            master, slave = pty.openpty()
            subprocess.run([PROGRAM, *command, "-o", str(out)], stdout=slave, stderr=slave, check=True)
            os.close(slave)
            os.close(master)
            self.assertNotIn("\033", out.read_text(), command)
            self.assertTrue(out.read_text(), command)

    def test_progress_is_shown_on_a_terminal_only(self):
        import pty

        path = self.file("many.jsonl", lines(GOOD) * 60_000)
        master, slave = pty.openpty()
        with open(os.devnull, "wb") as null:
            child = subprocess.Popen([PROGRAM, "collide", str(path)], stdout=null, stderr=slave)
        os.close(slave)
        seen = b""
        while True:
            try:
                chunk = os.read(master, 4096)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
        os.close(master)
        self.assertEqual(child.wait(60), 0)
        self.assertIn(b"%", seen)
        self.assertIn(b"a second", seen)
        self.assertEqual(run("collide", path).stderr, "")

    def test_colours_on_a_terminal_only_and_not_with_no_color(self):
        import pty

        def shown(**environment):
            master, slave = pty.openpty()
            child = subprocess.Popen([PROGRAM, "collide"], stdout=slave, env={**os.environ, **environment})
            os.close(slave)
            seen = b""
            while True:
                try:
                    chunk = os.read(master, 4096)
                except OSError:
                    break
                if not chunk:
                    break
                seen += chunk
            os.close(master)
            child.wait(60)
            return seen

        self.assertIn(b"\033[", shown(NO_COLOR=""))
        self.assertNotIn(b"\033[", shown(NO_COLOR="1"))


if __name__ == "__main__":
    unittest.main()
