"""The package itself: docstrings, stubs, notebooks."""

import doctest
import importlib
import os
import pathlib
import subprocess
import sys

import pytest

import ricochet

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("module", ["ricochet", "ricochet._batch", "ricochet._scenes", "ricochet._fitting", "ricochet.torch"])
def test_examples_of_the_docstrings_hold(module):
    if module == "ricochet.torch":
        pytest.importorskip("torch", reason="python3-torch is not installed")
    if module == "ricochet._fitting" and not ricochet._core.have_fit:
        pytest.skip("built without Ceres (libceres-dev)")
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0 and result.failed == 0


def test_the_docstring_of_collide_has_every_law_with_its_parameters():
    for law in ricochet.laws():
        line = next(line for line in ricochet.collide.__doc__.splitlines() if line.strip().startswith(law["name"] + ":"))
        assert all(parameter["name"] in line for parameter in law["parameters"])


def test_types_agree_with_the_stubs():
    if subprocess.run([sys.executable, "-c", "import mypy"], capture_output=True).returncode != 0:
        pytest.skip("mypy is not installed")
    done = subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--follow-imports=silent", "--cache-dir",
                           os.devnull, *map(str, sorted((ROOT / "python" / "ricochet").glob("_[befs]*.py")))],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_pip_installs_the_package_without_a_network(tmp_path):
    if subprocess.run([sys.executable, "-c", "import pip, venv"], capture_output=True).returncode != 0:
        pytest.skip("python3-pip or python3-venv is not installed")
    build = pathlib.Path(ricochet._core.__file__).parents[2]
    if not (build / "CMakeCache.txt").exists():
        pytest.skip("the package under test is not in a build folder, and a second build takes minutes")
    def run(*command):
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, env=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    # The environment sees numpy of the system. What is installed is what this build has, so nothing is compiled twice.
    run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", tmp_path / "env")
    python = tmp_path / "env" / "bin" / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--config-settings", f"build-dir={build}", ROOT)
    where, v = run(python, "-c", "import numpy, ricochet; print(ricochet.__file__); print(ricochet.collide('routh', "
                   "M=numpy.eye(3), V=[1, 0, -1], n=[0, 0, 1], e=0.5, mu=0.3).V.round(12).tolist())").splitlines()
    assert where.startswith(str(tmp_path)) and v == "[0.55, 0.0, 0.5]"


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(notebook):
    nbformat = pytest.importorskip("nbformat", reason="python3-nbformat is not installed")
    nbclient = pytest.importorskip("nbclient", reason="python3-nbclient is not installed")
    pytest.importorskip("ipykernel", reason="python3-ipykernel is not installed")
    document = nbformat.read(notebook, as_version=4)
    nbclient.NotebookClient(document, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
