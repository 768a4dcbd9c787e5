#!/usr/bin/env python3
"""Writes the table of parameters into each page of docs/laws/ and into docs/mechanisms.md, from the table of laws.

    tools/law_tables.py PROGRAM            PROGRAM is the ricochet that lists the laws
    tools/law_tables.py PROGRAM --check    only says which pages differ; exit code 1 where one does
"""

import json
import pathlib
import re
import subprocess
import sys

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"
BLOCK = re.compile(r"<!-- parameters of ([a-z-]+) -->\n(.*?)<!-- end of parameters -->\n", re.DOTALL)


def laws_of(program):
    listed = subprocess.run([program, "laws", "--format", "json"], check=True, capture_output=True, text=True).stdout
    return {law["name"]: law for law in json.loads(listed)}


def code(text):
    return f"`{text}`" if text else ""


def range_of(parameter):
    if parameter["kind"] != "word" or len(parameter["choices"]) > 5:
        text = parameter["range"]
    else:
        text = ", ".join(map(code, parameter["choices"]))
    if "stricter_low" in parameter:
        stricter = parameter["stricter_low"]
        text += f"; from {stricter['low']:g} unless `{stricter['parameter']}` is `{stricter['unless']}`"
    return text


def table_of(law):
    """The Markdown table of a law's parameters."""
    rows = ["| parameter | range | default | unit | meaning |", "| --- | --- | --- | --- | --- |"]
    for p in law["parameters"]:
        alias = f" (older key: `{p['alias']}`)" if "alias" in p else ""
        default = p.get("default_text", "")
        if p["kind"] == "word" or isinstance(p.get("default"), dict):
            default = code(default)
        rows.append(f"| `{p['name']}` | {range_of(p)} | {default} | {p['unit']} | {p['meaning']}{alias} |")
    cone = f"`{law['cone']}`" if law["cone"] else "0"
    return "\n".join(rows) + f"\n\nFriction of the certificate's cone: {cone}.\n"


def written(text, laws):
    """The page with its tables made anew."""
    return BLOCK.sub(
        lambda m: f"<!-- parameters of {m[1]} -->\n{table_of(laws[m[1]])}<!-- end of parameters -->\n", text)


def pages():
    return [*sorted((DOCS / "laws").glob("*.md")), DOCS / "mechanisms.md"]


def main(program, check):
    laws = laws_of(program)
    stale = []
    for page in pages():
        text = page.read_text(encoding="utf-8")
        new = written(text, laws)
        if new == text:
            continue
        stale.append(page)
        if not check:
            page.write_text(new, encoding="utf-8")
    for page in stale:
        print(page.relative_to(DOCS.parent), "differs" if check else "written")
    return 1 if check and stale else 0


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[2:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], "--check" in sys.argv))
