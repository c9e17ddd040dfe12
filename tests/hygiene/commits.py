"""commits.py: a commit's subject has at most 72 characters, begins with a capital letter, has no ";" and no period at its end;
a commit adds at most 1,500 lines by hand.

It checks the commits made on top of the one that added this file, merges excepted. Skipped without a full history.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from sources import ROOT, close

MAX_SUBJECT = 72
MAX_LINES = 1500
# Written by a program, captured from a service, or kept as input of a test.
NOT_BY_HAND = re.compile(r"(^|/)(corpus|samples|vectors)/|(^|/)transcript[^/]*\.md$|\.(lock|sum|svg|pem|out|http)$|\.schema\.json$|(^|/)requirements[^/]*\.txt$")
# Commits that must be refused: subject, file, lines, a part of the fault.
PLANTED = [
    ("Add " + "a" * 69, "a.cpp", 1, "73 characters"),
    ("Add one; remove another", "b.cpp", 1, "joins changes"),
    ("Add a line.", "c.cpp", 1, "ends with a period"),
    ("add a line", "d.cpp", 1, "capital letter"),
    ("Add too much", "e.cpp", MAX_LINES + 1, "1501 lines"),
]
# Commits that must pass.
ALLOWED = [
    ("Add " + "a" * 68, "f.cpp", 1),
    ("Add as much as is allowed", "g.cpp", MAX_LINES),
    ("Add a sample", "tests/samples/large.json", MAX_LINES + 1),
]


class NoHistory(Exception):
    pass


def git(root, *words):
    # A hook of git that runs the tests sets variables that lead to its own repository.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(["git", "-C", str(root), "-c", "core.quotepath=off", *words], env=environment, capture_output=True, text=True, errors="replace")
    except OSError as error:
        raise NoHistory(str(error)) from error
    if done.returncode:
        raise NoHistory(done.stderr.strip())
    return done.stdout


def faults_of_subject(subject):
    if len(subject) > MAX_SUBJECT:
        yield f"the subject has {len(subject)} characters, at most {MAX_SUBJECT}"
    if ";" in subject:
        yield "the subject joins changes by \";\": one change a commit"
    if subject.endswith("."):
        yield "the subject ends with a period"
    if not subject[:1].isupper():
        yield "the subject does not begin with a capital letter"


def lines_by_hand(root, commit):
    """How many lines a commit adds that it does not remove elsewhere, in files that are written by hand."""
    added, removed, is_by_hand = collections.Counter(), collections.Counter(), False
    for line in git(root, "show", "--format=", "--unified=0", "--no-color", "--no-ext-diff", "--no-renames", commit).split("\n"):
        if line.startswith("diff --git "):
            is_by_hand = not NOT_BY_HAND.search(line.rsplit(" b/", 1)[-1])
        elif is_by_hand and line.startswith("+") and not line.startswith("+++ "):
            added[line[1:].strip()] += 1
        elif is_by_hand and line.startswith("-") and not line.startswith("--- "):
            removed[line[1:].strip()] += 1
    return sum((added - removed).values())


def faults_of_commit(root, commit, subject):
    yield from (f"{commit[:8]} {subject[:40]}: {fault}" for fault in faults_of_subject(subject))
    if (lines := lines_by_hand(root, commit)) > MAX_LINES:
        yield f"{commit[:8]} {subject[:40]}: adds {lines} lines by hand, at most {MAX_LINES}"


def commits_since(root, base):
    listed = git(root, "log", "--no-merges", "--ancestry-path", "--format=%H %s", f"{base}..HEAD")
    return [line.partition(" ")[::2] for line in listed.splitlines()]


def faults_of_check():
    """Plants commits in a scratch repository and compares what the check finds."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        author = ("-c", "user.name=planted", "-c", "user.email=planted@localhost", "-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null")

        def commit(subject):
            git(root, "add", "--all")
            git(root, *author, "commit", "--quiet", "--allow-empty", "--message", subject)

        git(root, "init", "--quiet")
        commit("the base; it is not checked.")
        base = git(root, "rev-parse", "HEAD").strip()
        for subject, name, lines, *_ in [*PLANTED, *ALLOWED]:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text("".join(f"{name} {line}\n" for line in range(lines)))
            commit(subject)
        (root / "e.cpp").rename(root / "h.cpp")
        commit("Move a file")
        found = {subject: list(faults_of_commit(root, made, subject)) for made, subject in commits_since(root, base)}
        refused = {subject: part for subject, _, _, part in PLANTED}
        for subject, faults in found.items():
            if subject not in refused:
                yield from (f"the check refuses a good commit: {fault}" for fault in faults)
        for subject, part in refused.items():
            if len(found[subject]) != 1 or part not in found[subject][0]:
                yield f"the check does not find: {subject}: {part}"
        if len(found) != len(PLANTED) + len(ALLOWED) + 1:
            yield f"the check sees {len(found)} commits of its own repository"


def commits_to_check():
    """The commits made on top of the one that added this file. Raises NoHistory."""
    if git(ROOT, "rev-parse", "--is-shallow-repository").strip() != "false":
        raise NoHistory("a shallow clone")
    name = pathlib.Path(__file__).resolve().relative_to(ROOT).as_posix()
    base = git(ROOT, "log", "--diff-filter=A", "--format=%H", "-1", "--", name).strip()
    if not base:
        raise NoHistory(f"no commit has added {name}")
    return commits_since(ROOT, base)


def main():
    try:
        commits = commits_to_check()
    except NoHistory as why:
        print(f"not checked: {why}")
        print("0 passed, 0 failed, 1 skipped")
        sys.exit(0)
    faults = [*faults_of_check(), *(fault for commit, subject in commits for fault in faults_of_commit(ROOT, commit, subject))]
    close(len(PLANTED) + len(ALLOWED) + 1 + len(commits), faults)


main()
