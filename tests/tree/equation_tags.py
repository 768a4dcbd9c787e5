"""Checks equation tags: each is defined once, on the page of its prefix, and every citation refers to a defined one.

docs/notation.md lists the prefixes. On a page a tag is defined where it numbers a displayed equation: in `\\tag{S1}`, in
`\\text{(R1)}`, at the end of an equation in an indented or fenced block, or after the full stop that ends a line of text.
Everywhere else `(R1)`, `(L13, L14)` and `(L1) to (L12)` are citations. In code only comments are read.
"""

import re
import subprocess

TAG = r"[A-Z]{1,2}\d{1,2}b?"
GROUP = re.compile(rf"\(({TAG}(?:(?:, | to ){TAG})*)\)")
PREFIX_ROW = re.compile(r"^\| ([A-Z]{1,2}) \| \[[^]]+\]\(([^)]+)\) \|$", re.MULTILINE)
SOURCE_ROW = re.compile(r"^\| ([A-Z]+\d\d[a-z]?) \|", re.MULTILINE)
DISPLAYED = re.compile(rf"\\tag\{{({TAG})\}}|\\text\{{\(({TAG}(?:, {TAG})*)\)\}}")
LINE_COMMENT = {".cpp": "//", ".hpp": "//", ".ts": "//", ".py": "#", ".toml": "#"}


def prefix_of(tag):
    return re.match("[A-Z]+", tag).group()


def tags_of_page(text):
    """(line, tag, whether it is defined there) of every tag on a page."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        displayed = set()
        for match in DISPLAYED.finditer(line):
            for tag in (match.group(1) or match.group(2)).split(", "):
                displayed.add(tag)
                yield number, tag, True
        for match in GROUP.finditer(line):
            rest = line[match.end():]
            ends_equation = ((fenced or line.startswith("    ")) and line[: match.start()].endswith("  ")
                             and (rest == "" or rest.startswith("  ")))
            ends_line = rest == "" and line[: match.start()].endswith(". ")
            for tag in re.findall(TAG, match.group(1)):
                if tag not in displayed:
                    yield number, tag, ends_equation or ends_line


def citations_in_code(text, comment):
    for number, line in enumerate(text.splitlines(), 1):
        at = line.find(comment)
        if at >= 0:
            for match in GROUP.finditer(line, at):
                for tag in re.findall(TAG, match.group(1)):
                    yield number, tag


def tag_errors(root):
    docs = root / "docs"
    sources = set(SOURCE_ROW.findall((docs / "bibliography.md").read_text(encoding="utf-8")))
    page_of = {}
    for prefix, page in PREFIX_ROW.findall((docs / "notation.md").read_text(encoding="utf-8")):
        if prefix in page_of:
            yield f"docs/notation.md: prefix {prefix} of equation tags is given twice"
        if page in page_of.values():
            yield f"docs/notation.md: {page} has two prefixes of equation tags"
        page_of[prefix] = page
    if not page_of:
        yield "docs/notation.md: lists no prefixes of equation tags"

    defined, cited = {}, []
    for path in sorted([*docs.rglob("*.md"), root / "README.md"]):
        page, name = str(path.relative_to(docs)) if docs in path.parents else "", path.relative_to(root)
        for line, tag, definition in tags_of_page(path.read_text(encoding="utf-8")):
            if tag in sources:
                continue
            where = f"{name}:{line}"
            if not definition:
                cited.append((where, tag))
            elif page_of.get(prefix_of(tag)) != page:
                yield f"{where}: ({tag}) is not a tag of this page (docs/notation.md, Equation tags)"
            elif tag in defined:
                yield f"{where}: ({tag}) is already defined at {defined[tag]}"
            else:
                defined[tag] = where

    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True, text=True).stdout
    for name in sorted(filter(None, listed.split("\0"))):
        path = root / name
        comment = LINE_COMMENT.get(path.suffix)
        if comment and path.is_file() and path.name != "equation_tags.py":
            cited += [(f"{name}:{line}", tag)
                      for line, tag in citations_in_code(path.read_text(encoding="utf-8"), comment) if tag not in sources]
    for where, tag in cited:
        if tag not in defined:
            yield f"{where}: ({tag}) is cited but defined on no page"
