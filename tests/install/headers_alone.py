#!/usr/bin/env python3
"""Compiles each public header by itself: it must be enough.

    headers_alone.py INCLUDE COMPILER [OPTION ...]

Most of the time would go into Eigen, read anew for each of them. So the headers are taken together by the foreign headers
(Eigen, fmt, ...) that they include, directly or through others of ours; these are compiled once for each such set. A header
gets nothing by this that it does not include itself.
"""

import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

INCLUDE = re.compile(r'^#include [<"](.+)[>"]$', re.M)
FEW = 5  # headers for which it is not worth compiling a set of its own


def foreign(header, include, known):
    """The headers of other libraries, not of the standard library, that it includes."""
    if header not in known:
        known[header] = frozenset()  # until its own are known
        found = set()
        for name in INCLUDE.findall((include / header).read_text(encoding="utf-8")):
            if (include / name).exists():
                found |= foreign(name, include, known)
            elif name.startswith(("Eigen/", "fmt/", "tl/", "nlohmann/")):
                found.add(name)
        known[header] = frozenset(found)
    return known[header]


def main():
    include, compiler = pathlib.Path(sys.argv[1]), [*sys.argv[2:], "-std=c++20"]
    headers = sorted(str(path.relative_to(include)) for path in include.rglob("*.hpp"))
    known, sets = {}, collections.defaultdict(list)
    for header in headers:
        sets[foreign(header, include, known)].append(header)
    with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def compiled_once(numbered):
            number, names = numbered
            if not names or len(sets[names]) <= FEW:
                return []
            path = pathlib.Path(place) / f"set{number}.hpp"
            path.write_text("".join(f"#include <{name}>\n" for name in sorted(names)), encoding="utf-8")
            subprocess.run([*compiler, "-x", "c++-header", path, "-o", f"{path}.gch"], check=True)
            return ["-include", path, "-Winvalid-pch", "-Werror=invalid-pch"]

        first = dict(zip(sets, pool.map(compiled_once, enumerate(sets))))

        def alone(header):
            command = [*compiler, "-fsyntax-only", *first[known[header]], "-include", header, "-x", "c++", os.devnull]
            return subprocess.run(command, check=False).returncode == 0

        failed = [header for header, fine in zip(headers, pool.map(alone, headers)) if not fine]
    for header in failed:
        print(f"{header} cannot be included alone", file=sys.stderr)
    if not headers or failed:
        return 1
    print(f"every one of {len(headers)} headers can be included alone")
    return 0


if __name__ == "__main__":
    sys.exit(main())
