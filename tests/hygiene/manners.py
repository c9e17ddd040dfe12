"""manners.py: files of at most 300 lines, no sleeping tests, no deprecated algorithms, no traces of one developer's machine, no unfinished code."""
import re

from sources import ROOT, bare, close, line_of, name_of, sources

MOST_LINES = 300
SLEEP = re.compile(r"\b(sleep_for|sleep_until\s*\(\s*std::chrono|this_thread::sleep|usleep|nanosleep|sleep\s*\(\s*\d)")
DEPRECATED = re.compile(r"\bstd::(stable_sort|stable_partition|inplace_merge)\b")  # libstdc++ uses what Clang 19 refuses
HALF_DONE = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
MACHINE = re.compile(r"/work/|/tmp/[a-z]|/home/[a-z]|/root/|\bshared/(design|spec|vectors|samples|seeds)|issue 3\b")
TEXTS = (".cpp", ".hpp", ".py", ".sh", ".md", ".cmake", ".json", ".txt", ".in", ".yml", "")
FOLDERS = ("src", "include", "examples", "tests", "bench", "fuzz", "cmake", "scripts", "docs", ".ci")


def faults_of(path):
    name = name_of(path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return
    if path.suffix in (".cpp", ".hpp"):
        lines = text.count("\n")
        if lines > MOST_LINES:
            yield f"{name}: {lines} lines, at most {MOST_LINES}"
        if path.suffix == ".hpp" and not text.startswith("//"):
            yield f"{name}: does not begin with a comment that says what it is"
        for found in DEPRECATED.finditer(bare(text)):
            yield f"{name}:{line_of(bare(text), found.start())}: {found.group()} is deprecated for Clang: sort_stably() of base/order.hpp"
        if name.startswith("tests/"):
            for found in SLEEP.finditer(bare(text)):
                yield f"{name}:{line_of(bare(text), found.start())}: a test that sleeps: wait for the event, or use FakeTime"
    if path.name == "manners.py":
        return
    for pattern, what in ((HALF_DONE, "unfinished"), (MACHINE, "a path of somebody's machine")):
        for found in pattern.finditer(text):
            yield f"{name}:{line_of(text, found.start())}: {what}: {found.group()}"


def main():
    paths = [path for folder in FOLDERS for path in sources(folder, suffixes=TEXTS)
             if "corpus" not in path.parts and "samples" not in path.parts and "vectors" not in path.parts and "__pycache__" not in path.parts]
    paths += [path for path in ROOT.glob("*") if path.is_file() and path.suffix in (".md", ".txt", ".json")]
    close(len(paths), [fault for path in paths for fault in faults_of(path)])


main()
