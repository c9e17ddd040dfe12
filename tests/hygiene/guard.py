"""guard.py: the guard of a resolve's cost (bench/driver/guard.py) detects growth, and refuses lines that would guard nothing."""
import sys

from sources import ROOT, close

sys.path.insert(0, str(ROOT / "bench/driver"))
import guard

GOOD = "# a comment\n\ngcc-12-debug instructions 100.0 a reason\ngcc-12-debug allocations 20 a reason\n"
WRONG = ["gcc-12-debug instructions 100.0", "gcc-12-debug instrutions 100 a reason", "gcc-12-debgu allocations 20 a reason", "gcc-12-debug allocations few of them",
         "gcc-12-debug allocations -1 a reason"]


def faults():
    known = guard.known_counts(GOOD)
    if known != {("gcc-12-debug", "instructions"): 100, ("gcc-12-debug", "allocations"): 20}:
        yield f"guard.py: it reads {known}"
    for counted, expected in (({"instructions": 104.9, "allocations": 21}, 0), ({"instructions": 105.1, "allocations": 20}, 1), ({"instructions": 50, "allocations": 21.1}, 1)):
        if len(guard.grown(known, "gcc-12-debug", counted)) != expected:
            yield f"guard.py: of {counted} it says {guard.grown(known, 'gcc-12-debug', counted)}"
    if guard.grown(known, "gcc-12-release", {"instructions": 1000}):
        yield "guard.py: it judges a build that nobody has counted"
    for line in WRONG:
        try:
            guard.known_counts(line)
            yield f"guard.py: it takes {line!r}"
        except ValueError:
            pass


def main():
    close(1 + 3 + 1 + len(WRONG), list(faults()))


main()
