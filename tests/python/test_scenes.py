"""Files, scenes, mechanisms and motions."""

import json
import os
import pathlib
import pickle
import subprocess

import numpy as np
import pytest

import ricochet

SCENES = pathlib.Path(__file__).resolve().parents[2] / "scenes"


def told(*arguments):
    program = os.environ.get("RICOCHET_PROGRAM")
    if not program:
        pytest.skip("RICOCHET_PROGRAM names no program")
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    if "is a separate program" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_collisions_read_back_bit_for_bit(tmp_path):
    collision = ricochet.Collision.read()
    for name in ("one.toml", "one.jsonl"):
        collision.write(tmp_path / name)
        again = ricochet.Collision.read(tmp_path / name)
        for field in ("M", "W", "V", "n"):
            np.testing.assert_array_equal(getattr(again, field), getattr(collision, field))
        assert again.parameters == collision.parameters


def test_spin_given_by_name_is_that_of_collide_and_of_files(tmp_path):
    given = dict(M=np.diag([1.0, 2.0, 3.0]), V=[1, 0.5, -2], n=[0, 0, 1], e=0.5, mu=0.3)
    turning = ricochet.Collision(**given, spin=[3, -20, 1], law="graded-region", e_r=-2)
    np.testing.assert_array_equal(turning.spin, [3, -20, 1])
    hit = ricochet.collide("graded-region", **given, spin=[3, -20, 1], e_r=-2)
    np.testing.assert_array_equal(turning.collide().P, hit.P)
    turning.write(tmp_path / "turning.toml")
    np.testing.assert_array_equal(ricochet.Collision.read(tmp_path / "turning.toml").collide().P, hit.P)
    still = ricochet.Collision(**given, law="graded-region", e_r=-2)
    assert not np.allclose(still.collide().P, hit.P)
    for wrong, path in [(dict(spin=[1, 2]), "spin"), (dict(M=np.eye(2)), "M"), (dict(M=np.ones((4, 3, 3))), "M"),
                        (dict(V=None), "V"), (dict(W=np.eye(3)), "W")]:
        with pytest.raises(ricochet.RicochetError) as caught:
            ricochet.Collision(**{**given, **wrong})
        assert caught.value.path in (path, "M"), wrong


def test_a_wrong_file_says_its_line(tmp_path):
    (tmp_path / "wrong.toml").write_text(ricochet.Collision.read().to_toml().replace("mu = ", "muu = "))
    with pytest.raises(ricochet.RicochetError) as caught:
        ricochet.Collision.read(tmp_path / "wrong.toml")
    assert caught.value.code == "unknown-name" and caught.value.path == "muu" and caught.value.line > 0
    assert caught.value.file.endswith("wrong.toml") and f":{caught.value.line}:" in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.code, again.path, again.line) == (caught.value.code, caught.value.path, caught.value.line)


def test_two_balls_exchange_velocities():
    ball = dict(mass=1.0, inertia=np.eye(3) * 0.4)
    hit = ricochet.Collision.between({**ball, "position": [0, 0, 0], "velocity": [1, 0, 0]},
                                     {**ball, "position": [2, 0, 0]}, point=[1, 0, 0], n=[1, 0, 0], law="frictionless", e=1)
    np.testing.assert_allclose(hit.W, np.eye(3) * 2 + np.diag([0, 5, 5]), atol=1e-12)
    np.testing.assert_allclose(hit.collide().P, [1, 0, 0], atol=1e-12)
    with pytest.raises(ricochet.RicochetError) as caught:
        ricochet.Collision.between({**ball, "mass": -1.0}, ball, point=[1, 0, 0], n=[1, 0, 0])
    assert caught.value.path == "A.mass"


def test_a_collision_shows_its_picture():
    html = ricochet.Collision.read()._repr_html_()
    assert html.lstrip().startswith("<svg") and html.rstrip().endswith("</svg>")
    hit = ricochet.Collision.read().collide("routh")
    assert "<table>" in hit._repr_html_() and hit.mode in hit._repr_html_()


def test_answers_are_those_of_the_command_line():
    theirs = told("collide", str(SCENES / "rod.toml"), "--law", "all", "--format", "json")
    theirs.pop("source")
    assert ricochet.Collision.read(SCENES / "rod.toml").ask("all") == theirs


def test_simultaneous_is_that_of_the_command_line():
    ours, theirs = ricochet.simultaneous("cradle:4", e=1), told("simultaneous", "cradle:4", "--set", "e=1", "--format", "json")
    ours.pop("scene", None), theirs.pop("scene", None)
    assert ours == theirs


def test_a_cradle_passes_the_blow_to_its_last_ball():
    scene = ricochet.Scene.read("cradle:5")
    text = scene.to_toml()
    assert ricochet.Scene.from_toml(text).to_toml() == text and ricochet.Scene.from_json(scene.to_json()).to_toml() == text
    document = scene.simultaneous(e=1)
    before = [body["velocity"][0] for body in document["input"]["bodies"]]
    after = [body["velocity"][0] for body in document["bodies"]]
    assert before[0] > 0
    np.testing.assert_allclose(after, before[::-1], atol=1e-12)


def test_impact_of_a_pendulum_keeps_angular_momentum_about_what_it_does_not_touch():
    document = ricochet.impact("double-pendulum", law="routh", e=0.5, mu=0.3)
    assert document["answers"][0]["law"] == "routh" and document["answers"][0]["energy"] <= document["energy"] + 1e-12
    named = told("impact", "double-pendulum", "--law", "routh", "--set", "e=0.5", "--set", "mu=0.3", "--format", "json")
    assert named["answers"][0]["u"] == document["answers"][0]["u"]
    with pytest.raises(ricochet.RicochetError) as caught:
        ricochet.impact("double-pendulum", law="routh", q={"nose": 1}, e=0.5, mu=0.3)
    assert caught.value.code == "unknown-name"


def test_a_ball_bounces_to_e_squared_of_its_height():
    motion = ricochet.simulate("bouncing-ball", until=3, sample=0.001, e=0.8)
    first, second = [event["time"] for event in motion.events if event["kind"] == "impact"][:2]
    height = motion.position[..., 2]
    ball = int(np.argmax(height[0]))
    floor = height[np.searchsorted(motion.time, first), ball]
    fallen = height[0, ball] - floor
    risen = height[(motion.time > first) & (motion.time < second), ball].max() - floor
    assert risen == pytest.approx(0.64 * fallen, rel=1e-3)
    assert motion.stopped is None and abs(motion.energy.get("imbalance", 0)) < 1e-9
    with pytest.raises(ricochet.RicochetError) as caught:
        ricochet.simulate("bouncing-ball", until=-1)
    assert caught.value.path == "until"


def test_torch_gradients_match_differences():
    torch = pytest.importorskip("torch", reason="python3-torch is not installed")
    import ricochet.torch
    torch.manual_seed(1)
    A = torch.randn(4, 3, 3, dtype=torch.float64)
    M = (A @ A.transpose(1, 2) + torch.eye(3, dtype=torch.float64)).requires_grad_()
    V = torch.randn(4, 3, dtype=torch.float64)
    V[:, 2] = -V[:, 2].abs() - 0.3
    V.requires_grad_()
    e = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    mu = torch.full((4,), 0.3, dtype=torch.float64, requires_grad=True)
    n = torch.tensor([0.0, 0, 1], dtype=torch.float64)

    def outcome(M, V, e, mu):
        return ricochet.torch.collide("routh", M=(M + M.transpose(1, 2)) / 2, V=V, n=n, e=e, mu=mu)

    assert torch.autograd.gradcheck(outcome, (M, V, e, mu), eps=1e-6, atol=1e-5)
