"""binary.py READELF COMMAND OBJECT…: checks the linker's hardening of the built command (position-independent, no memory both writable and executable, read-only relocation
tables), and the compiler's hardening of objects and archives that are built with the flags of optimised builds."""
import os
import re
import subprocess
import sys

from sources import close

READELF = sys.argv[1]


def readelf(*arguments):
    return subprocess.run([READELF, "-W", *arguments], env={**os.environ, "LC_ALL": "C"}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          check=True).stdout


def faults_of_command(path):
    text = readelf("-h", "-l", "-d", path)
    segments = re.findall(r"^  (\w+) +0x\w+ 0x\w+ 0x\w+ 0x\w+ 0x\w+ ([R ][W ][E ])", text, re.M)
    if not re.search(r"^  Type: +DYN ", text, re.M) or "INTERP" not in [kind for kind, _ in segments]:
        yield "it is no position-independent program"
    stack = [flags for kind, flags in segments if kind == "GNU_STACK"]
    if stack != ["RW "]:
        yield f"its stack can be run: {stack}"
    if any("WE" in flags for _, flags in segments):
        yield "a segment can be both written and run"
    if "GNU_RELRO" not in [kind for kind, _ in segments] or not re.search(r"\((FLAGS|FLAGS_1|BIND_NOW)\).*\b(BIND_NOW|NOW)\b", text):
        yield "its tables of addresses stay writable (-z relro, -z now)"
    if "(TEXTREL)" in text or "(RPATH)" in text or "(RUNPATH)" in text:
        yield "it changes its own code, or looks for libraries in folders of its own (TEXTREL, RPATH, RUNPATH)"


def faults_of_objects(path):
    undefined = set(re.findall(r" UND (\S+)", readelf("-s", path)))
    if "__stack_chk_fail" not in undefined:
        yield "no function of it checks its stack (-fstack-protector-strong)"
    if not any("glibcxx_assert_fail" in name for name in undefined):
        yield "no index is checked (-D_GLIBCXX_ASSERTIONS)"
    if not path.endswith(".a") and "__memcpy_chk" not in undefined:
        yield "no copy is checked (-D_FORTIFY_SOURCE)"
    if os.uname().machine == "x86_64":
        notes = readelf("-n", path)
        files = max(notes.count("File: "), 1)
        if notes.count("IBT") < files or notes.count("SHSTK") < files:
            yield "not all of it is ready for control-flow protection (-fcf-protection)"


def main():
    command, *objects = sys.argv[2:]
    faults = [f"{command}: {fault}" for fault in faults_of_command(command)]
    faults += [f"{path}: {fault}" for path in objects for fault in faults_of_objects(path)]
    close(1 + len(objects), faults)


main()
