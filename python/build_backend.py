"""The build backend of `pip install .` (PEP 517): configures, builds and packs the module with CMake.

Python's standard library is enough, so pip's isolated environment has nothing to fetch. What the build needs is named by
CMake where it is missing; tools/setup.sh lists Debian's packages.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def project():
    """Name, version, description and dependencies of pyproject.toml."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    field = lambda key: re.search(rf'^{key} = "(.*)"$', text, re.MULTILINE).group(1)
    needs = re.search(r"^dependencies = \[(.*)\]$", text, re.MULTILINE).group(1)
    return field("name"), field("version"), field("description"), re.findall(r'"([^"]+)"', needs), field("requires-python")


def metadata():
    name, version, summary, needs, python = project()
    lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}", f"Summary: {summary}",
             f"Requires-Python: {python}", *(f"Requires-Dist: {one}" for one in needs)]
    return "\n".join(lines) + "\n"


def tag():
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"{version}-{version}-{platform}"


def compile_module(settings):
    """The folder that holds the built package. `--config-settings build-dir=FOLDER` names a configured build to take it from."""
    if settings and "build-dir" in settings:
        build = ROOT / settings["build-dir"]
        if not (build / "CMakeCache.txt").exists():
            raise SystemExit(f"build-dir = {settings['build-dir']}: must be a folder that CMake has configured")
        return compiled(build)
    build = ROOT / "build" / f"wheel-{sys.implementation.cache_tag}"
    generator = ["-G", "Ninja"] if any((pathlib.Path(p) / "ninja").exists() for p in os.get_exec_path()) else []
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), *generator, "-DCMAKE_BUILD_TYPE=Release",
                    "-DRICOCHET_UNITY=ON", "-DRICOCHET_PYTHON=ON", "-DRICOCHET_APPS=OFF",
                    f"-DRICOCHET_PYTHON_EXECUTABLE={base_python()}"], check=True)
    return compiled(build)


def compiled(build):
    done = subprocess.run(["cmake", "--build", str(build), "--target", "ricochet_python", "--parallel"])
    if done.returncode != 0:
        raise SystemExit("the module could not be built; Debian's packages pybind11-dev and python3-dev are needed, and those "
                         "of core_packages in tools/setup.sh")
    return build / "python" / "ricochet"


def base_python():
    """The Python behind a virtual environment, which has the headers; it is the same program."""
    return os.path.realpath(sys.executable)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name, version = project()[:2]
    info = f"{name}-{version}.dist-info"
    files = {f"{name}/{path.name}": path.read_bytes() for path in sorted(compile_module(config_settings).iterdir())
             if path.suffix in (".py", ".pyi", ".so", ".typed")}
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: ricochet\nRoot-Is-Purelib: false\nTag: {tag()}\n").encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = ""
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = f"{name}-{version}-{tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return wheel


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    """The tracked files of the tree."""
    name, version = project()[:2]
    archive = f"{name}-{version}.tar.gz"
    subprocess.run(["git", "-C", str(ROOT), "archive", f"--prefix={name}-{version}/", "-o",
                    str(pathlib.Path(sdist_directory) / archive), "HEAD"], check=True)
    return archive
