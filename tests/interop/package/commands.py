"""commands.py ROLLCALL [NAME…]: runs the files of tests/command (all, or those named) with a command for 64-bit ARM, which the kernel starts by QEMU,
and prints as a table which tests passed; on standard error, why others failed. The exit code is 1 if one did."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "command"
LONGEST = 600  # seconds until a file counts as hung


def run(script, environment):
    """Exit status and standard error of a file of tests; no status for one that did not end."""
    process = subprocess.Popen([sys.executable, script], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               text=True, errors="replace", start_new_session=True)
    try:
        said = process.communicate(timeout=LONGEST)[1]
        return process.returncode, said
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return None, process.communicate()[1]


def row(name, code, said):
    """A line of the table."""
    ran = re.search(r"^Ran (\d+) tests?", said, re.MULTILINE)
    skipped = re.search(r"skipped=(\d+)", said)
    notes = sorted(set(re.findall(r"^(?:FAIL|ERROR): (\w+)", said, re.MULTILINE)))
    passed = int(ran[1]) - len(notes) - (int(skipped[1]) if skipped else 0) if ran else 0
    if skipped:
        notes.append(f"{skipped[1]} skipped")
    if not ran:
        notes.append("did not end" if code is None else f"ended with {code}")
    return f"| {name} | {passed} of {ran[1] if ran else '?'} | {', '.join(notes) or '-'} |"


def main():
    command, *names = sys.argv[1:]
    names = names or sorted(path.name.removesuffix("_test.py") for path in FOLDER.glob("*_test.py"))
    version = subprocess.run([command, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()[0]
    print(f"# The tests of the command on 64-bit ARM\n\nWritten by `tests/interop/package/commands.py` with {version}, run by QEMU.\n\n"
          "| file | passed | did not pass |\n| --- | --- | --- |", flush=True)
    good = True
    with tempfile.TemporaryDirectory() as tools:
        os.symlink("/usr/bin/aarch64-linux-gnu-gcc", os.path.join(tools, "cc"))  # compiles the libraries that the command loads
        environment = {**os.environ, "ROLLCALL": os.path.abspath(command), "PYTHONDONTWRITEBYTECODE": "1", "PATH": tools + ":" + os.environ["PATH"]}
        for name in names:
            code, said = run(FOLDER / f"{name}_test.py", environment)
            print(row(name, code, said), flush=True)
            if code not in (0, 77):  # 77: skipped
                good = False
                print(said, file=sys.stderr, flush=True)
    sys.exit(0 if good else 1)


main()
