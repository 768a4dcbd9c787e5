"""The explorer's server: its own folder, on loopback, and nothing else."""

import gzip
import http.client
import json
import os
import signal
import subprocess
import unittest
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlparse

from program import PROGRAM, SCENES, ProgramTest, run

MODELS = Path(os.environ["RICOCHET_MODELS"])
HAVE_MODELS = os.environ.get("RICOCHET_HAVE_MODELS", "").upper() in ("ON", "1", "TRUE", "YES")
BUILT = Path(PROGRAM).with_name("ricochet-explore").exists()


@unittest.skipUnless(BUILT, "cpp-httplib is not installed, so there is no ricochet explore")
class Explore(ProgramTest):
    def setUp(self):
        super().setUp()
        self.page = self.path / "page"
        (self.page / "assets").mkdir(parents=True)
        (self.page / "index.html").write_text("<!doctype html>" + "the page " * 100)
        (self.page / "assets" / "laws.wasm").write_bytes(b"\0asm" + bytes(1000))

    @contextmanager
    def served(self, *arguments):
        process = subprocess.Popen(
            [PROGRAM, "explore", "--no-open", "--page", str(self.page), *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            address = process.stdout.readline().strip()
            yield urlparse(address), process
        finally:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def get(self, address, path, **headers):
        connection = http.client.HTTPConnection(address.hostname, address.port, timeout=20)
        connection.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        self.addCleanup(connection.close)
        return answer, answer.read()

    def test_serves_its_folder(self):
        with self.served() as (address, _):
            self.assertEqual(address.hostname, "127.0.0.1")
            answer, body = self.get(address, "/")
            self.assertEqual(answer.status, 200)
            self.assertEqual(body, (self.page / "index.html").read_bytes())
            self.assertTrue(answer.getheader("Content-Type").startswith("text/html"))
            answer, body = self.get(address, "/assets/laws.wasm")
            self.assertEqual(answer.getheader("Content-Type"), "application/wasm")
            self.assertEqual(body, (self.page / "assets" / "laws.wasm").read_bytes())

    def test_packs_for_who_can_unpack(self):
        with self.served() as (address, _):
            answer, body = self.get(address, "/index.html", Accept_Encoding="gzip")
            self.assertEqual(answer.getheader("Content-Encoding"), "gzip")
            self.assertEqual(gzip.decompress(body), (self.page / "index.html").read_bytes())

    def test_serves_nothing_else(self):
        secret = self.file("secret", "not for the browser")
        with self.served() as (address, _):
            for path in ("/nothing", "/../secret", "/%2e%2e/secret", "/assets/../../secret", "/assets", f"/{secret}"):
                self.assertEqual(self.get(address, path)[0].status, 404, path)

    def test_answers_to_loopback_names_only(self):
        with self.served() as (address, _):
            for host in (f"127.0.0.1:{address.port}", f"localhost:{address.port}", "localhost", "127.0.0.1:9000"):
                self.assertEqual(self.get(address, "/", Host=host)[0].status, 200, host)
            for host in (
                "evil.example",
                f"evil.example:{address.port}",
                f"127.0.0.1.evil.example:{address.port}",
                "localhost.evil.example",
                "localhost:80@evil.example",
                f"192.168.0.1:{address.port}",
                "",
            ):
                answer, body = self.get(address, "/", Host=host)
                self.assertEqual(answer.status, 421, host)
                self.assertNotIn(b"the page", body)

    def test_sends_a_content_policy_with_everything(self):
        with self.served() as (address, _):
            for path, host in (("/", "localhost"), ("/assets/laws.wasm", "localhost"), ("/none", "localhost"), ("/", "evil.example")):
                answer, _ = self.get(address, path, Host=host)
                policy = dict(part.strip().split(" ", 1) for part in answer.getheader("Content-Security-Policy").split(";"))
                self.assertEqual(policy["default-src"], "'self'", path)
                self.assertEqual(policy["script-src"], "'self' 'wasm-unsafe-eval'", path)
                self.assertEqual(policy["frame-ancestors"], "'self' http://localhost:* http://127.0.0.1:*", path)
                self.assertNotIn("unsafe-inline", answer.getheader("Content-Security-Policy"))
                self.assertEqual(answer.getheader("X-Content-Type-Options"), "nosniff", path)

    def test_opens_with_the_file(self):
        rod = SCENES / "rod.toml"
        with self.served(str(rod)) as (address, _):
            self.assertTrue(address.fragment.startswith("toml="))
            self.assertEqual(unquote(address.fragment[5:]), rod.read_text())

    def test_opens_with_a_motion(self):
        text = '{"ricochet":"motion","version":1,\n"times":[0]}\n'
        motion = self.file("ball.json", text)
        with self.served(motion) as (address, _):
            self.assertEqual(address.fragment, "motion=motion.json")
            answer, body = self.get(address, "/motion.json")
            self.assertEqual(answer.getheader("Content-Type"), "application/json")
            self.assertEqual(body.decode(), text)

    def test_opens_with_a_scene_in_motion(self):
        for path in sorted((SCENES / "motion").glob("*.toml")):
            with self.subTest(path.stem):
                for name in (str(path), path.stem):
                    with self.served(name) as (address, _):
                        self.assertTrue(address.fragment.startswith("scene="))
                        self.assertEqual(unquote(address.fragment[6:]), path.read_text())

    def test_opens_with_many_contacts(self):
        for name, contacts in (("pool-break", 31), ("cradle:7", 6)):
            with self.served(name) as (address, _):
                self.assertTrue(address.fragment.startswith("many="))
                self.assertEqual(unquote(address.fragment).count("[[contact]]"), contacts)
        tower = SCENES / "tower.toml"
        with self.served(str(tower)) as (address, _):
            self.assertEqual(unquote(address.fragment[5:]), tower.read_text())

    @unittest.skipUnless(HAVE_MODELS, "MuJoCo is not installed")
    def test_opens_with_the_contacts_of_a_robot(self):
        with self.served(str(MODELS / "quadruped.xml")) as (address, _):
            self.assertEqual(address.fragment, "contacts=contacts.json")
            document = json.loads(self.get(address, "/contacts.json")[1])
        self.assertEqual(document["kind"], "robot")
        self.assertEqual([c["bodies"][0] for c in document["contacts"]], ["floor"] * 4)
        # It falls at 1 m/s, and what opens a contact is a collision that the program reads.
        for contact in document["contacts"]:
            self.assertAlmostEqual(contact["V"][2], -1, places=12)
            done = run("collide", "-", "--law", "routh", text=contact["collision"])
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_names_the_command_for_what_the_page_does_not_simulate(self):
        def refused(text, *parts):
            file = self.file("scene.toml", text)
            self.refused(run("explore", file, "--no-open", "--page", str(self.page)), *parts)

        body = '[[body]]\nname = "{0} {1}"\nshape = "{0}"\n{2}\nmass = 1\nposition = [0, 0, {3}]\n'
        balls = "".join(body.format("sphere", i, "radius = 0.1", i) for i in range(51))
        refused(balls, "51 bodies: the page simulates at most 50; ricochet simulate", "scene.toml --motion motion.html")
        boxes = "".join(body.format("box", i, "size = [1, 1, 1]", 2 * i) for i in range(2))
        refused(boxes, "scene.toml:7: ", "needs FCL", "; ricochet simulate")
        refused(body.format("sphere", 0, "radius = -1", 0), "scene.toml:4: ", "radius = -1")
        refused('[[robot]]\nfile = "a.xml"\n', "scene.toml:1: robot[1].file", "a.xml: cannot be opened")
        robot = self.file("robot.urdf", "<robot/>")
        self.refused(run("explore", robot, "--no-open", "--page", str(self.page)), "robot.urdf")
        self.refused(run("explore", "cradle:600", "--no-open"), "599 contacts: the page shows 1 to 500; ricochet simultaneous")
        # A ball and a box, and rods that share a hinge, need no more than the page has.
        pair = body.format("sphere", 0, "radius = 0.1", 0) + body.format("box", 1, "size = [1, 1, 1]", 2)
        with self.served(str(self.file("pair.toml", pair))) as (address, _):
            self.assertTrue(address.fragment.startswith("scene="))

    def test_interrupt_ends_it(self):
        for which in (signal.SIGINT, signal.SIGTERM):
            with self.served() as (_, process):
                process.send_signal(which)
                self.assertEqual(process.wait(timeout=20), 0)

    def test_refusals(self):
        bad = self.file("bad.toml", 'M = 3\nV = [0, 0, -1]\nn = [0, 0, 1]\n')
        self.refused(run("explore", bad, "--no-open", "--page", str(self.page)), "bad.toml:1", "M")
        self.refused(run("explore", "-", "--no-open", "--page", str(self.page)), "FILE")
        self.refused(run("explore", "doublependulum", "--no-open"), "bundled scene; did you mean double-pendulum?")
        done = run("explore", "--port", "70000")
        self.assertEqual(done.returncode, 2)
        self.assertIn("65535", done.stderr)
        empty = self.page / "assets"
        done = run("explore", "--no-open", "--page", str(empty))
        self.assertEqual(done.returncode, 1)
        self.assertIn("index.html", done.stderr)
        with self.served() as (address, _):
            done = run("explore", "--no-open", "--page", str(self.page), "--port", str(address.port))
            self.assertEqual(done.returncode, 1)
            self.assertIn(str(address.port), done.stderr)


if __name__ == "__main__":
    unittest.main()
