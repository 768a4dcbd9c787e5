#!/usr/bin/env python3
"""Packs source files into groups that can be compiled as one unit each, for a unity build.

    unity_groups.py LIST

LIST has a line "TARGET|SIZE|FILE|..." for each target. Prints one line "TARGET|GROUP|FILE" for each file. A group holds at most SIZE files, no two of which define the same
name for themselves (in an unnamed namespace, or as a test). No file mentions the name of a constant or variable that
another file of its group has for itself, and a constant whose name some header of the project declares comes last in its
group: the compiler would report either as shadowing. A file that begins with a macro for its headers comes first. The lines
of a group are in the order to compile.
"""

import pathlib
import re
import sys

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
STRING = re.compile(r'R"(\w*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)\'', re.S)
UNNAMED = re.compile(r"\bnamespace\s*\{")
TYPE = re.compile(r"\b(?:struct|class|enum(?:\s+class)?|union|using|concept)\s+(\w+)")
TEST = re.compile(r"\b(?:TEST|TEST_F|TEST_P|RC_GTEST_PROP|RC_GTEST_FIXTURE_PROP|INSTANTIATE_TEST_SUITE_P)\s*\(\s*(\w+)\s*,\s*(\w+)")
NOTHING = re.compile(r"#|using\s+namespace\b|using\s+[\w:]+$|[A-Z_]+\s*\(")  # declares no name, or as a test
DEFINE = re.compile(r"^\s*#\s*define\s+(\w+)", re.M)
DECLARED = re.compile(r"[\w>&*]\s+[&*]?(\w+)\s*(?=[=;,:){(])")
TEMPLATE = re.compile(r"<[^<>]*(?:<[^<>]*(?:<[^<>]*>[^<>]*)*>[^<>]*)*>")
WORD = re.compile(r"[A-Za-z_]\w*")


def bare_text(path):
    """Without comments and strings."""
    return STRING.sub('""', COMMENT.sub(" ", path.read_text(encoding="utf-8")))


def bodies(text):
    """The text inside each unnamed namespace, nested braces blanked."""
    for start in UNNAMED.finditer(text):
        depth, out, i = 1, [], start.end()
        while i < len(text) and depth:
            c = text[i]
            depth += (c == "{") - (c == "}")
            out.append(c if depth == 1 else ("\n" if c == "\n" else (" " if c != "{" else "{")))
            i += 1
        yield "".join(out)


def names(path):
    """(names defined for the file alone, those of them that are objects, all words)"""
    text = bare_text(path)
    own, objects = set(DEFINE.findall(text)), set()
    for body in bodies(text):
        for declaration in re.split(r"[;}]", body):
            declaration = TEMPLATE.sub(" ", declaration.strip())
            if not declaration or NOTHING.match(declaration):
                continue
            head = declaration.split("=")[0]
            kind = TYPE.search(head)
            if kind and "(" not in head.split("{")[0]:
                own.add(kind.group(1))
            elif "(" in head:
                called = WORD.findall(head.split("(")[0])
                own.update(called[-1:])
            else:
                for part in declaration.split(","):
                    words = WORD.findall(part.split("=")[0].split("{")[0].split("[")[0])
                    own.update(words[-1:])
                    objects.update(words[-1:])
    own.update(f"{suite}_{test}" for suite, test in TEST.findall(text))
    own.update(re.findall(r"^int (main)\(", text, re.M))
    own.update(re.findall(r"^static\b[^;={(]*?(\w+)\s*[({=;]", text, re.M))
    return own, objects, set(WORD.findall(text)) | own


def tells_headers(path):
    """Whether it defines a macro for the headers that it includes, so that it must come first."""
    return path.read_text(encoding="utf-8").startswith("#define")


def pack(size, files, headers):
    """Pairs (group, file)."""
    groups = []  # [files, own, objects, words, the file that must come last]
    for path in files:
        own, objects, words = names(path)
        for group in groups:
            full = len(group[0]) >= size or (group[4] and objects & headers)
            if not full and not own & group[1] and not objects & group[3] and not group[2] & words:
                break
        else:
            group = [[], set(), set(), set(), None]
            groups.append(group)
        group[0].append(path)
        if objects & headers:
            group[4] = path
        group[1] |= own
        group[2] |= objects
        group[3] |= words
    for number, group in enumerate(groups):
        for path in sorted(group[0], key=lambda path: (not tells_headers(path), path == group[4])):
            yield number, path


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    headers = set()
    for folder in ("include", "src", "apps", "tests"):
        for path in (root / folder).rglob("*.hpp"):
            headers.update(DECLARED.findall(bare_text(path)))
    for line in pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines():
        target, size, *files = line.split("|")
        for group, path in pack(int(size), [pathlib.Path(file) for file in files], headers):
            print(f"{target}|{group}|{path}")


if __name__ == "__main__":
    main()
