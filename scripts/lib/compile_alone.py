"""compile_alone.py ROOT BUILD JOBS [--all | --minutes N]: reads the sources of BUILD/compile_commands.json by -fsyntax-only.

Without --all only those that have changed lately, or that include such a file by themselves: the result of nearly all others is what it was. After
a change to the options of all, all are read. Sources with the same options share a precompiled header of the other libraries' headers that they
include; it contains no headers of the project. Those that have changed themselves do without it, and come first; after N minutes no other is begun.
Prints the compiler's messages, and closes with `N passed, N failed, N skipped`.
"""
import collections
import concurrent.futures
import hashlib
import json
import pathlib
import re
import shlex
import subprocess
import sys
import time

LATELY_SECONDS = 6 * 3600
OTHERS = re.compile(r"^#include <((?:asio|boost|catch2|fmt|grpcpp|openssl)/[\w/.]+)>$", re.M)
OURS = re.compile(r'^#include ["<]([\w/.]+)[">]$', re.M)
FOR_ALL = re.compile(r"^CMakeLists\.txt$|^CMakePresets\.json$|^cmake/(options|dependencies)\.cmake$|\.proto$")


def changed_lately(root):
    """Paths changed by the commits of the last hours before the newest one, and uncommitted ones; none where there is no history."""

    def git(*words):
        done = subprocess.run(["git", "-C", root, *words], stdout=subprocess.PIPE, text=True)
        return done.stdout.split("\n") if done.returncode == 0 else []

    newest = "".join(git("log", "-1", "--format=%ct")).strip()
    if not newest:
        return None
    return set(git("log", f"--since=@{int(newest) - LATELY_SECONDS}", "--name-only", "--format=")) | set(git("diff", "--name-only", "HEAD"))


def includes(source, folders):
    """The files of the project that a source includes by itself, and the source; FOLDERS are searched in this order after its own."""
    names = OURS.findall(source.read_text())
    found = (next((folder / name for folder in (source.parent, *folders) if (folder / name).is_file()), None) for name in names)
    return {source, *(one.resolve() for one in found if one)}


def options_of(entry):
    """The compiler and its options: the command without its output, its source and the cache in front of it."""
    words = shlex.split(entry["command"])
    if words[0].endswith("ccache"):
        words = words[1:]
    out = words.index("-o")
    del words[out : out + 2]
    return tuple(word for word in words if word not in ("-c", entry["file"]))


def included_of_others(sources):
    """Other libraries' headers, those that more than a few of the sources include."""
    count = collections.Counter()
    for source in sources:
        count.update(set(OTHERS.findall(pathlib.Path(source).read_text())))
    return sorted(name for name, times in count.items() if times > 3)


def precompiled(options, names, build):
    """The options that use a header of these names, compiled with the same options; none if that is not worthwhile, or impossible."""
    if not names:
        return ()
    path = build / (hashlib.sha256(" ".join(options).encode()).hexdigest()[:16] + ".hpp")
    path.write_text("".join(f"#include <{name}>\n" for name in names))
    done = subprocess.run([*options, "-x", "c++-header", str(path), "-o", f"{path}.gch"], cwd=build, stderr=subprocess.DEVNULL)
    return ("-include", str(path)) if done.returncode == 0 else ()


def main():
    root, build, jobs = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    groups = collections.defaultdict(set)
    for entry in json.loads((build / "compile_commands.json").read_text()):
        # Generated sources are not ours; a fuzz target is compiled through its generated wrapper.
        if not entry["file"].startswith(f"{build}/") or entry["file"].startswith(f"{build}/fuzz/"):
            groups[options_of(entry)].add(entry["file"])
    changed = changed_lately(root)
    lately = {str(root / path) for path in changed or () if path}
    until = time.monotonic() + 60 * int(sys.argv[5]) if sys.argv[4:5] == ["--minutes"] else float("inf")
    failed = skipped = 0

    def read(job):
        options, source, extra = job
        if time.monotonic() > until:
            return source, None, ""
        done = subprocess.run([*options, *extra, "-fsyntax-only", source], cwd=build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return source, done.returncode, done.stdout

    def is_new(source):
        text = source if not source.startswith(f"{build}/fuzz/") else re.search(r'#include "(.*)"', pathlib.Path(source).read_text())[1]
        return text in lately

    total = sum(map(len, groups.values()))
    if "--all" not in sys.argv and changed is not None and not any(FOR_ALL.search(path) for path in changed):
        folders = [root / "src", root / "tests", root / "include", root]
        for options in groups:
            groups[options] = {source for source in groups[options] if any(str(one) in lately for one in includes(pathlib.Path(source), folders))}

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        headers = {
            options: pool.submit(precompiled, options, included_of_others(sources) if len(sources) > 10 else [], build)
            for options, sources in groups.items()
        }
        work = [
            (options, source, () if is_new(source) else headers[options].result())
            for options, sources in groups.items()
            for source in sorted(sources)
        ]
        work.sort(key=lambda job: job[2] != ())
        alone = sum(not extra for _, _, extra in work)
        print(f"{len(work)} of {total} sources, {alone} of them without precompiled headers", flush=True)
        for source, code, said in pool.map(read, work):
            skipped += code is None
            if code:
                failed += 1
                print(f"{source}:\n{said}", flush=True)
    print(f"{len(work) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return failed != 0 or not total


if __name__ == "__main__":
    sys.exit(main())
