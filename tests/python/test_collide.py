"""Laws in bulk: shapes, broadcasting, errors, and agreement with closed forms and with the command line's own program."""

import json
import os
import subprocess

import numpy as np
import pytest

import ricochet

UP = np.array([0.0, 0.0, 1.0])


def contacts(count, seed=1):
    """Random contacts that approach."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(count, 3, 3))
    V = rng.normal(size=(count, 3))
    V[:, 2] = -np.abs(V[:, 2]) - 0.1
    return A @ A.transpose(0, 2, 1) + 0.5 * np.eye(3), V


def test_sliding_point_mass_matches_the_closed_form():
    """W = I/m, slip never stops: P = m (1 + e) v_n (n − μ t)."""
    e, mu = np.linspace(0, 1, 5)[:, None], np.linspace(0, 0.3, 4)
    hit = ricochet.collide("routh", M=2 * np.eye(3), V=[3, 0, -1], n=UP, e=e, mu=mu)
    assert hit.P.shape == (5, 4, 3)
    normal = 2 * (1 + e) * np.ones((1, 4))
    np.testing.assert_allclose(hit.P[..., 2], normal, rtol=1e-12)
    np.testing.assert_allclose(hit.P[..., 0], -mu * normal, rtol=1e-12, atol=1e-14)
    assert set(hit.mode.ravel()) == {"slip"}


@pytest.mark.parametrize("law", [law["name"] for law in ricochet.laws()])
def test_every_law_of_the_table_answers_by_name_and_keeps_the_equation_of_impact(law):
    M, V = contacts(20)
    M[:, 1, :], M[:, :, 1], V[:, 1] = [0, 1, 0], [0, 1, 0], 0  # planar, for the laws that ask for it
    if law == "bilinear":
        M = M * np.eye(3)  # for spheres only
    hit = ricochet.collide(law, M=M, V=V, n=UP, e=0.5, e_t=0, mu=0.3, nu=0.1, mu_2=0.2, mu_3=0.1, psi_1=1, psi_2=0.5,
                           rho=0.5, sigma=0.5, kappa=1.2, target=[0.1, 0, 1], errors="nan", threads=1)
    assert hit.ok.all(), set(hit.error)
    W = np.linalg.inv(M)
    np.testing.assert_allclose(hit.V, V + np.einsum("...ij,...j->...i", W, hit.P), atol=1e-9)
    energy = 0.5 * (np.einsum("...i,...ij,...j->...", hit.V, M, hit.V) - np.einsum("...i,...ij,...j->...", V, M, V))
    np.testing.assert_allclose(hit.energy_change, energy, atol=1e-9)


def test_broadcasting_is_that_of_numpy():
    M, V = contacts(6)
    M, V = M.reshape(2, 1, 3, 3, 3)[:, :, :1], V.reshape(2, 3, 1, 3)
    mu = np.array([0.1, 0.2])
    whole = ricochet.collide("chatterjee-ruina", M=M, V=V, n=UP, e=0.5, e_t=0, mu=mu)
    assert whole.P.shape == np.broadcast_shapes(M.shape[:-2], V.shape[:-1], mu.shape) + (3,)
    for i in np.ndindex(whole.shape):
        one = ricochet.collide("chatterjee-ruina", M=M[i[0], 0, 0], V=V[i[0], i[1], 0], n=UP, e=0.5, e_t=0, mu=mu[i[2]])
        np.testing.assert_array_equal(whole.P[i], one.P)


def test_strides_threads_and_out_change_no_bit():
    M, V = contacts(3000)
    plain = ricochet.collide("routh", M=M, V=V, n=UP, e=0.5, mu=0.3, threads=1)
    wide = np.zeros((3000, 7))
    wide[:, ::2][:, :3] = V
    strided = ricochet.collide("routh", M=np.asfortranarray(M), V=wide[:, :6:2], n=UP, e=0.5, mu=0.3, threads=3)
    np.testing.assert_array_equal(plain.P, strided.P)
    P = np.zeros((3, 3000)).T
    ricochet.collide("routh", M=M, V=V, n=UP, e=0.5, mu=0.3, out={"P": P})
    np.testing.assert_array_equal(plain.P, P)
    before = plain.P
    again = ricochet.collide("routh", M=M, V=V, n=UP, e=0.2, mu=0.3, out=plain)
    assert again is plain and again.P is before


def test_a_separating_contact_is_no_error_and_no_impulse():
    hit = ricochet.collide("routh", M=np.eye(3), V=[1, 0, 1], n=UP, e=0.5, mu=0.3)
    assert hit.mode == "separating" and not hit.P.any() and hit.permissible


def test_errors_carry_code_path_value_and_index():
    M, V = contacts(5)
    with pytest.raises(ricochet.RicochetError) as caught:
        ricochet.collide("routh", M=M, V=V, n=UP, e=[0.5, 0.5, 0.5, 1.5, 2.5], mu=0.3)
    assert (caught.value.code, caught.value.path, caught.value.value, caught.value.index) == ("out-of-range", "e", "1.5", 3)
    assert isinstance(caught.value, ValueError)
    for wrong, code, path in [(dict(mus=0.1), "unknown-name", "mus"), (dict(e="hard"), "wrong-type", "e"),
                              (dict(e=np.zeros((2, 2, 2))), "wrong-type", ""), (dict(M=np.eye(2)), "wrong-type", "M"),
                              (dict(W=np.eye(3)), "conflict", "M"), (dict(n=None), "missing", "n"), (dict(mu=None), "wrong-type", "mu"),
                              (dict(M=-np.eye(3)), "invalid", "M"), (dict(M=np.eye(3) + 1j), "wrong-type", "M"),
                              (dict(out={"P": np.broadcast_to(np.zeros(3), (5, 3))}), "wrong-type", "out['P']"), (dict(threads=0), "out-of-range", "threads")]:
        with pytest.raises(ricochet.RicochetError) as caught:
            ricochet.collide("routh", **{**dict(M=M, V=V, n=UP, e=0.5, mu=0.3), **wrong})
        assert (caught.value.code, caught.value.path) == (code, path), wrong
    with pytest.raises(ricochet.RicochetError, match=r"W \(5,\), V \(5,\), n \(\), mu \(4,\)"):
        ricochet.collide("routh", W=M, V=V, n=UP, e=0.5, mu=np.zeros(4))
    with pytest.raises(ricochet.RicochetError, match="did you mean routh"):
        ricochet.collide("ruth", M=M, V=V, n=UP)
    with pytest.raises(ricochet.RicochetError) as caught:
        ricochet.collide("routh", M=M, V=V, n=UP, mu=0.3)
    assert (caught.value.code, caught.value.path) == ("missing", "e")
    hit = ricochet.collide("routh", M=np.where(np.arange(5)[:, None, None] == 2, np.nan, M), V=V, n=UP, e=0.5, mu=0.3,
                           errors="nan")
    assert hit.ok.tolist() == [True, True, False, True, True] and np.isnan(hit.P[2]).all() and not hit.permissible[2]
    assert hit.error[2] != "" and hit.mode[2] == ""


def test_no_collisions_give_empty_arrays():
    hit = ricochet.collide("routh", M=np.zeros((0, 3, 3)), V=np.zeros((0, 3)), n=UP, e=0.5, mu=0.3)
    assert hit.P.shape == (0, 3) and hit.mode.shape == (0,)


def test_the_command_line_gives_the_same_bits():
    program = os.environ.get("RICOCHET_PROGRAM")
    if not program:
        pytest.skip("RICOCHET_PROGRAM names no program")
    M, V = contacts(40, seed=7)
    hit = ricochet.collide("smith", M=M, V=V, n=UP, e=0.4, mu=0.25)
    lines = "".join(json.dumps(dict(M=m.tolist(), V=v.tolist(), n=UP.tolist(), law="smith", e=0.4, mu=0.25)) + "\n"
                    for m, v in zip(M, V))
    done = subprocess.run([program, "collide", "-", "--format", "jsonl"], input=lines, capture_output=True, text=True)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) == 40, done.stderr
    np.testing.assert_array_equal(hit.P, [one["P"] for one in told])


@pytest.mark.parametrize("law", ["chatterjee-ruina", "routh", "brach", "smith"])
def test_derivatives_match_differences(law):
    M, V = contacts(30, seed=3)
    given = dict(M=M, n=UP, e_t=0.1, mu=0.3, mu_2=0.2, mu_3=0.1)
    exact = ricochet.derivatives(law, V=V, e=0.5, **given)
    h = 1e-6
    up, down = (ricochet.collide(law, V=V, e=0.5 + s, **given) for s in (h, -h))
    scale = np.abs(exact.P).max()
    np.testing.assert_allclose(exact.dP["e"], (up.P - down.P) / (2 * h), atol=2e-6 * scale)
    np.testing.assert_allclose(exact.denergy_change["e"], (up.energy_change - down.energy_change) / (2 * h), atol=2e-5 * scale)
    step = np.array([h, 0, 0])
    up, down = (ricochet.collide(law, V=V + s, e=0.5, **given) for s in (step, -step))
    same = (up.mode == down.mode)
    assert same.mean() > 0.9
    np.testing.assert_allclose(exact.dV["V"][same][..., 0], ((up.V - down.V) / (2 * h))[same], atol=1e-5 * scale)


def test_a_kink_is_said():
    """Slip s = mu (1 + e) v_n of a point mass: just between stick and slip."""
    stuck = ricochet.derivatives("chatterjee-ruina", M=np.eye(3), V=[[0.375, 0, -1], [0.5, 0, -1]], n=UP, e=0.5, e_t=0, mu=0.25)
    assert stuck.kink.tolist() == [True, False]
    assert np.isnan(stuck.jacobian[0]).all() and np.isfinite(stuck.jacobian[1]).all()


def test_landmarks_and_certificates():
    M, V = contacts(10)
    space = ricochet.impulse_space(M=M, V=V, n=UP, mu=0.4, extremes=True)
    np.testing.assert_allclose(space.P_II, -np.einsum("...ij,...j->...i", M, V), rtol=1e-9)
    normal = V[:, 2] / np.linalg.inv(M)[:, 2, 2]
    np.testing.assert_allclose(space.P_I, -normal[:, None] * UP, rtol=1e-9, atol=1e-12)
    assert (space.highest_e >= 1 - 1e-12).all() and (space.volume > 0).all()
    inside = ricochet.certify(space.centroid, M=M, V=V, n=UP, mu=0.4)
    assert inside.permissible.all() and all((margin > 0).all() for margin in inside.margins.values())
    assert not ricochet.certify(-space.P_I, M=M, V=V, n=UP, mu=0.4).permissible.any()


def test_a_million_collisions_take_no_longer_than_the_loop_in_cpp():
    """Against the library's own loop, in the same process: a program of C++ (tests/python/loop.cpp)."""
    loop = os.environ.get("RICOCHET_LOOP")
    if not loop:
        pytest.skip("RICOCHET_LOOP names no program")
    import time
    count = 200_000
    M, V = contacts(count)
    n = np.broadcast_to(UP, (count, 3))
    shares = []
    for _ in range(4):  # machines are shared: the best of several, side by side
        begin = time.perf_counter()
        out = ricochet.collide("chatterjee-ruina", M=M, V=V, n=n, e=0.5, e_t=0, mu=0.3, threads=1)
        first = time.perf_counter() - begin
        begin = time.perf_counter()
        ricochet.collide("chatterjee-ruina", M=M, V=V, n=n, e=0.5, e_t=0, mu=0.3, threads=1, out=out)
        ours = min(first, time.perf_counter() - begin)
        shares.append(ours / float(subprocess.run([loop, str(count)], capture_output=True, text=True, check=True).stdout))
    assert min(shares) < 1.3, shares
