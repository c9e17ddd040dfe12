"""Adds up test results.

tally.py REPORT.xml NAME   prints `passed failed skipped NAME` of a ctest JUnit report. An entry that runs many cases (a Catch
                           program, or a script that closes with `N passed, N failed, N skipped`) counts as that many.
tally.py --sum FILE        prints one line per line of FILE and the closing total; exit 1 when something failed or nothing ran.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree

OWN_LINE = re.compile(r"^(\d+) passed, (\d+) failed, (\d+) skipped\s*$", re.M)
ALL_PASSED = re.compile(r"^All tests passed \(\d+ assertions? in (\d+) test cases?\)", re.M)
SOME_FAILED = re.compile(r"^test cases:(.*)$", re.M)


def counts_of(entry):
    text = entry.findtext("system-out") or ""
    status = entry.get("status")
    counts = None
    if own := OWN_LINE.findall(text):
        counts = [int(n) for n in own[-1]]
    elif passed := ALL_PASSED.findall(text):
        counts = [sum(map(int, passed)), 0, 0]
    elif failed := SOME_FAILED.findall(text):
        find = lambda word: sum(int(n) for n in re.findall(r"(\d+) " + word, failed[-1]))
        counts = [find("passed"), find("failed"), 0]
    if status == "run":
        return counts or [1, 0, 0]
    if status in ("notrun", "disabled"):
        return [0, 0, 1] if entry.find("skipped") is not None or status == "disabled" else [0, 1, 0]
    counts = counts or [0, 0, 0]
    return [counts[0], max(1, counts[1]), counts[2]]


def report(path, name):
    total = [0, 0, 0]
    try:
        entries = ElementTree.parse(path).getroot().iter("testcase")
        for entry in entries:
            total = [a + b for a, b in zip(total, counts_of(entry))]
    except (OSError, ElementTree.ParseError) as trouble:
        print(f"tally: {path}: {trouble}", file=sys.stderr)
    if total == [0, 0, 0]:
        total = [0, 1, 0]  # nothing ran: that is a failure
    print(*total, name)


def add_up(path):
    total = [0, 0, 0]
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            *counts, name = line.split(None, 3)
            counts = [int(n) for n in counts]
            print("{}: {} passed, {} failed, {} skipped".format(name.strip(), *counts))
            total = [a + b for a, b in zip(total, counts)]
    print("{} passed, {} failed, {} skipped".format(*total))
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--sum":
        sys.exit(add_up(sys.argv[2]))
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    report(sys.argv[1], sys.argv[2])
