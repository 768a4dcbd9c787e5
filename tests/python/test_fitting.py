"""Fitting from Python: columns as arrays, parameters in closed form."""

import numpy as np
import pytest

import ricochet
from ricochet import _core

if not _core.have_fit:
    pytest.skip("built without Ceres (libceres-dev)", allow_module_level=True)


def sliding(count, e, mu, noise=0.0, seed=1):
    """Balls that hit below their centre and slide throughout: P = m (1 + e) v_n (n − μ t)."""
    rng = np.random.default_rng(seed)
    m, J, r = 2.0, 0.01, 0.1
    vx, vy, w = rng.uniform(4, 6, count), -rng.uniform(0.5, 1, count), rng.uniform(-1, 1, count)
    Pn = -m * (1 + e) * vy
    after = np.stack([vx - mu * Pn / m, vy + Pn / m, w - mu * r * Pn / J]) + noise * rng.normal(size=(3, count))
    return dict(r_x=0.0, r_y=-r, vx_pre=vx, vy_pre=vy, omega_pre=w, vx_post=after[0], vy_post=after[1], omega_post=after[2],
                mass=m, inertia=J)


def test_columns_give_back_their_parameters():
    found = ricochet.fit(sliding(60, 0.6, 0.15), "routh")
    values = {p["name"]: p["value"] for p in found["parameters"]}
    assert values["e"] == pytest.approx(0.6, abs=1e-5) and values["mu"] == pytest.approx(0.15, abs=1e-5)
    assert len(found["errors"]) == 60 and max(found["errors"]) < 1e-4


def test_rank_finds_the_better_law_and_errors_name_the_row():
    ranking = ricochet.rank(sliding(50, 0.6, 0.15, noise=0.01), laws=["frictionless", "smith"], folds=2)
    assert [law["law"] for law in ranking["laws"]] == ["smith", "frictionless"]
    broken = sliding(5, 0.6, 0.15)
    broken["vx_pre"][3] = np.nan
    with pytest.raises(ricochet.RicochetError) as caught:
        ricochet.fit(broken, "routh")
    assert caught.value.path == "row 4, column vx_pre"


def test_offsets_of_contact_points_are_nuisance_parameters():
    # Without friction, struck x off the stated point: P = m (1 + e) (v + x w) / (1 + m x^2 / J).
    rng = np.random.default_rng(4)
    m, J, e, x = 2.0, 0.01, 0.6, 0.004 * np.where(np.arange(50) % 2, 1.0, -1.0)
    vy, w = -rng.uniform(0.5, 1, 50), rng.uniform(-5, 5, 50)
    P = -m * (1 + e) * (vy + x * w) / (1 + m * x**2 / J)
    after = np.stack([0 * vy, vy + P / m, w + x * P / J]) + 1e-4 * rng.normal(size=(3, 50))
    data = dict(r_x=0.0, r_y=-0.1, vx_pre=0.0, vy_pre=vy, omega_pre=w, vx_post=after[0], vy_post=after[1],
                omega_post=after[2], mass=m, inertia=J)
    found = ricochet.fit(data, "frictionless", offset=0.004)
    assert found["parameters"][0]["value"] == pytest.approx(e, abs=1e-3)
    np.testing.assert_allclose(np.array(found["offsets"])[:, 0], x, atol=5e-4)
    ranked = ricochet.rank(data, laws=["frictionless"], offset=0.004, folds=2)["laws"][0]
    assert ranked["with_offset"]["median"] < ranked["median"] / 20


def test_rows_of_a_group_are_held_out_together():
    data = sliding(40, 0.6, 0.15, noise=0.01)
    data["trajectory"] = np.repeat(np.arange(4.0), 10)
    assert ricochet.rank(data, laws=["smith"], group="trajectory", folds=4)["rows"]["tested"] == 40
    with pytest.raises(ricochet.RicochetError) as caught:
        ricochet.rank(data, laws=["smith"], group="trajectory", folds=5)
    assert caught.value.path == "folds"


def test_reduced_rows_are_contacts_that_collide_takes():
    data = sliding(30, 0.6, 0.15)
    data["omega_post"][4] -= 40  # no impulse at the point does that and nothing else
    rows = ricochet.reduce(data)
    assert rows["flags"]["unbalanced"].nonzero()[0].tolist() == [4]
    np.testing.assert_array_equal(rows["usable"], np.arange(30) != 4)
    hit = ricochet.collide("routh", W=rows["W"], V=rows["V"], n=rows["n"], e=0.6, mu=0.15)
    np.testing.assert_allclose(hit.P[rows["usable"]], rows["P"][rows["usable"]], atol=1e-12)
    np.testing.assert_allclose(rows["restitution"][rows["usable"]], 0.6, atol=1e-12)
    np.testing.assert_allclose(rows["margins"]["energy"][rows["usable"]], -hit.energy_change[rows["usable"]], atol=1e-12)


def test_noise_of_each_component_is_estimated():
    # The spin of a ball of this radius of gyration, 0.07 m, is as noisy as 0.2 rad/s.
    found = ricochet.fit(sliding(300, 0.6, 0.15, noise=np.array([[0.01], [0.02], [0.2]])), "smith", noise="components")
    assert found["noise"]["normal"] == pytest.approx(0.02, rel=0.3)
    assert found["noise"]["tangential"] == pytest.approx(0.01, rel=0.3)
    assert found["noise"]["spin"] == pytest.approx(0.2, rel=0.3)
    with pytest.raises(ricochet.RicochetError) as caught:
        ricochet.fit(sliding(20, 0.6, 0.15), "smith", noise="spin")
    assert caught.value.path == "noise"
