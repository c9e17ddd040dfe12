"""Shared by the checks of this folder: the project's sources, without comments and strings, and the closing line."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\'', re.S)


def sources(*folders, suffixes=(".cpp", ".hpp")):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path


def bare(text):
    """The text with comments and literals blanked, at the same line numbers."""
    return TOKEN.sub(lambda m: '""' + "\n" * m.group().count("\n") if m.group()[0] in "\"R'" else "\n" * m.group().count("\n"), text)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def name_of(path):
    return path.relative_to(ROOT).as_posix()


def close(checked, faults):
    """Prints the faults and the closing line; ends the process."""
    for fault in faults:
        print(fault)
    if not checked:
        faults = ["nothing was checked"]
        print(faults[0])
    print(f"{max(0, checked - len(faults))} passed, {len(faults)} failed, 0 skipped")
    sys.exit(1 if faults else 0)
