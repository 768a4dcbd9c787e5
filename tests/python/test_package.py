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


@pytest.mark.parametrize("module", ["ricochet", "ricochet._batch", "ricochet._scenes", "ricochet.torch"])
def test_examples_of_the_docstrings_hold(module):
    if module == "ricochet.torch":
        pytest.importorskip("torch", reason="python3-torch is not installed")
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
                           os.devnull, *map(str, sorted((ROOT / "python" / "ricochet").glob("_[bes]*.py")))],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(notebook):
    nbformat = pytest.importorskip("nbformat", reason="python3-nbformat is not installed")
    nbclient = pytest.importorskip("nbclient", reason="python3-nbclient is not installed")
    pytest.importorskip("ipykernel", reason="python3-ipykernel is not installed")
    document = nbformat.read(notebook, as_version=4)
    nbclient.NotebookClient(document, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(ROOT)}}).execute()
