#!/usr/bin/env python3
"""Checks the rules of the source tree: which folder may include which, what no file may contain, and equation tags."""

import pathlib
import re
import subprocess
import sys

from equation_tags import tag_errors

ORDER = re.compile(r"^    (\w+(?: < \w+)+)$", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]ricochet/([^/">]+)(/[^">]*)?[">]', re.MULTILINE)

# Spelt in pieces so that this file does not find itself.
UNFINISHED = re.compile(r"\b(?:" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")) + r")\b")
MACHINE_PATH = re.compile(r"(?<![A-Za-z0-9._\-$}/])/(?:(?:work|root|home)\b|tmp/[A-Za-z])")
# The check of clang-tidy for this takes a fourteenth of the lint. A vector whose size is a template parameter has no other
# spelling.
TYPEDEF = re.compile(r"^\s*typedef\b(?!.*__attribute__\(\(vector_size\()")
BINARY = {".png", ".jpg", ".gif", ".pdf", ".h5", ".npz", ".wasm", ".woff2", ".zst", ".gz"}


def folders_in_order(root):
    """The order in which data flows, from "Layout" in CONTRIBUTING.md. A folder may include itself and those before it."""
    order = ORDER.findall((root / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    if len(order) != 1:
        sys.exit(f"CONTRIBUTING.md: expected one line 'base < body < ...', found {len(order)}")
    return order[0].split(" < ")


def include_errors(root, top, layers):
    for path in sorted((root / top).rglob("*.[hc]pp")):
        name = path.relative_to(root)
        if path.parent == root / top:
            continue  # a façade header, which may include everything
        folder = path.relative_to(root / top).parts[0]
        if folder not in layers:
            yield f"{name}: folder {folder!r} is not in the order of folders ({' < '.join(layers)})"
            continue
        text = path.read_text(encoding="utf-8")
        for match in INCLUDE.finditer(text):
            other = match.group(1)
            line = text.count("\n", 0, match.start(1)) + 1
            if match.group(2) is None:
                continue  # a façade header in ricochet/ itself
            if other not in layers:
                yield f"{name}:{line}: includes {other!r}, which is not in the order of folders"
            elif layers.index(other) > layers.index(folder):
                yield f"{name}:{line}: {folder}/ comes before {other}/ and must not include it"


def text_errors(root):
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True).stdout
    for name in sorted(filter(None, listed.split("\0"))):
        path = root / name
        if path.suffix in BINARY or not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            if "tests/fuzz/corpus" not in name:
                yield f"{name}: is neither UTF-8 text nor a known binary kind"
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if UNFINISHED.search(line):
                yield f"{name}:{number}: unfinished: {line.strip()[:100]}"
            if MACHINE_PATH.search(line):
                yield f"{name}:{number}: absolute path of a machine: {line.strip()[:100]}"
            if path.suffix in {".cpp", ".hpp"} and TYPEDEF.search(line):
                yield f"{name}:{number}: write 'using' for typedef: {line.strip()[:100]}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
    layers = folders_in_order(root)
    errors = [*include_errors(root, "include/ricochet", layers), *include_errors(root, "src", layers), *text_errors(root),
              *tag_errors(root)]
    for error in errors:
        print(error)
    print(f"{len(errors)} found" if errors else "the tree keeps its rules")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
