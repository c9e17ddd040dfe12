"""version.py --check VERSION | --prepare VERSION DATE: the version that the tree says. The first place of PLACES is the source, which the build,
the command, the packages and Conan's recipe read; the others repeat it where no build reads it. --check compares all with VERSION and with the
changelog; --prepare writes VERSION everywhere, and makes what is unreleased in the changelog the section of VERSION.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
FORM = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
NUMBER = r"(\d+\.\d+\.\d+)"
# The pattern's group is the version, or its first two numbers, everywhere where it matches. Of a chart only where the folder is there.
FOUND_BY_CMAKE = r"find_package\(rollcall (\d+\.\d+)[ )]"
NAMES_OF_FILES = r"rollcall(?:-dev)?[-_/]" + NUMBER + r"(?=[-_.]|$)"
PLACES = [
    ("CMakeLists.txt", r"^project\(rollcall VERSION " + NUMBER + " "),
    ("python/src/rollcall_cluster/__init__.py", r'^__version__ = "' + NUMBER + '"$'),
    ("packaging/helm/rollcall/Chart.yaml", r'^(?:version|appVersion): "?' + NUMBER + '"?$'),
    ("docs/install.md", NAMES_OF_FILES),
    ("docs/command.md", r"^rollcall " + NUMBER + "$"),
    ("examples/fetched/CMakeLists.txt", NAMES_OF_FILES),
    *((name, FOUND_BY_CMAKE) for name in ("docs/install.md", "docs/stability.md", "examples/installed/CMakeLists.txt", "tests/install/CMakeLists.txt")),
]
OPTIONAL = {"packaging/helm/rollcall/Chart.yaml"}
UNRELEASED = "## [Unreleased]\n"


def places(root, version):
    """Name, path, pattern and what must stand there."""
    for name, pattern in PLACES:
        path = root / name
        if name not in OPTIONAL or path.is_file():
            yield name, path, re.compile(pattern, re.M), version.rpartition(".")[0] if pattern == FOUND_BY_CMAKE else version


def section_of(changelog, version):
    """The date and the text of the version's section, or None."""
    found = re.search(rf"^## \[{re.escape(version)}\] - (\d{{4}}-\d\d-\d\d)\n(.*?)(?=^## \[|\Z)", changelog, re.M | re.S)
    return (found[1], found[2].strip() + "\n") if found else None


def faults(root, version):
    if not FORM.fullmatch(version):
        yield f"{version!r} is no version: it has the form 1.2.3"
        return
    for name, path, pattern, wanted in places(root, version):
        there = sorted(set(pattern.findall(path.read_text(encoding="utf-8"))))
        if there != [wanted]:
            yield f"{name} says {' and '.join(there) or 'no version'}, not {wanted}"
    section = section_of((root / "CHANGELOG.md").read_text(encoding="utf-8"), version)
    if not section:
        yield f"CHANGELOG.md has no section \"## [{version}] - YEAR-MONTH-DAY\""
    elif not re.search(r"^- ", section[1], re.M):
        yield f"CHANGELOG.md says nothing below \"## [{version}] - {section[0]}\""


def replaced(pattern, version, text):
    def one(found):
        start, end = found.span(1)
        return found[0][:start - found.start()] + version + found[0][end - found.start():]

    return pattern.sub(one, text)


def prepare(root, version, date):
    if not FORM.fullmatch(version):
        sys.exit(f"release: {version!r} is no version: it has the form 1.2.3")
    changelog = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    if section_of(changelog, version):
        sys.exit(f"release: CHANGELOG.md has a section of {version} already")
    if changelog.count(UNRELEASED) != 1:
        sys.exit("release: CHANGELOG.md needs one heading \"## [Unreleased]\"")
    for _, path, pattern, wanted in places(root, version):
        path.write_text(replaced(pattern, wanted, path.read_text(encoding="utf-8")), encoding="utf-8")
    (root / "CHANGELOG.md").write_text(changelog.replace(UNRELEASED, f"{UNRELEASED}\n## [{version}] - {date}\n"), encoding="utf-8")


def main():
    if len(sys.argv) == 4 and sys.argv[1] == "--prepare":
        prepare(ROOT, *sys.argv[2:])
    elif len(sys.argv) == 3 and sys.argv[1] == "--check":
        found = list(faults(ROOT, sys.argv[2]))
        for fault in found:
            print(f"release: {fault}", file=sys.stderr)
        sys.exit(1 if found else 0)
    else:
        sys.exit("usage: version.py --check VERSION | --prepare VERSION DATE")


if __name__ == "__main__":
    main()
