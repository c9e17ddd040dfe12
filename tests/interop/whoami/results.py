"""Shared by the comparisons of this folder: counts, the rows of a transcript, and how a NUL-separated environment is read."""
import json
import subprocess
import sys


class Report:
    """What was compared. `kinds` names the outcomes in the order in which they are printed; those of `bad` fail the run."""

    def __init__(self, kinds, bad):
        self.counts = {kind: 0 for kind in kinds}
        self.bad = bad
        self.lines = []

    def count(self, kind, number=1):
        self.counts[kind] += number

    def say(self, *lines):
        self.lines += lines

    def failed(self):
        return sum(self.counts[kind] for kind in self.bad)

    def summary(self):
        return ", ".join(f"{number} {kind}" for kind, number in self.counts.items())

    def finish(self, path, title, made_by, versions, skipped=0):
        """Writes the transcript, prints the last line that test runners read, and ends the program."""
        table = "".join(f"| {name} | {version} |\n" for name, version in versions)
        with open(path, "w", encoding="utf-8") as out:
            out.write(f"# {title}\n\nWritten by `tests/interop/whoami/{made_by}`; see `tests/interop/README.md`.\n\n| | version |\n| --- | --- |\n{table}\n"
                      + "\n".join(self.lines) + f"\n\n{self.summary()}\n")
        print(self.summary())
        passed = sum(number for kind, number in self.counts.items() if kind not in self.bad)
        print(f"{passed} passed, {self.failed()} failed, {skipped} skipped")
        sys.exit(1 if self.failed() else 0)


def cell(text):
    """A text as the cell of a table."""
    return str(text).replace("|", "\\|").replace("\n", " ").strip()


def variables(raw):
    """The variables of `env -0`, as bytes."""
    pairs = (entry.split("=", 1) for entry in raw.decode("utf-8", "replace").split("\0") if "=" in entry)
    return dict(pairs)


def host_of(address):
    """`n1` of `n1:8888`, `fd00::1` of `[fd00::1]:8888`."""
    return address.rsplit(":", 1)[0].strip("[]") if address else address


def first_json(text):
    """The object in the first line, or an empty one."""
    try:
        found = json.loads(text.split("\n", 1)[0])
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def failure_of(text, most=300):
    """The first line on standard error that is Rollcall's own, without the name of the program."""
    for line in text.splitlines():
        if line.startswith("rollcall: "):
            return line[len("rollcall: "):][:most]
    return text.strip()[:most]


def version_of(command):
    return subprocess.run([command, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout.split("\n")[0]
