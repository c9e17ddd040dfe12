"""examples.py COMMAND PROGRAM…: the documentation's examples are correct.

Every example program runs against `rollcall sim examples/demo.json` and prints examples/<name>.out; every examples/<name>.sh starts a simulation of its own and prints its .out,
except for the width of columns; every C++ block of the pages in CODE is part of an example, every YAML block of the pages in TYPED part of a file of examples/recipes, and every
CMake block of those in BUILT part of a CMakeLists.txt of the examples. The console blocks of each page in TYPED are typed into one shell, and print the text on the page. There,
numbers before a unit of time, ports and process ids may differ, and a line `...` matches any lines.
"""
import os
import pathlib
import re
import select
import subprocess
import sys

from sources import ROOT, close

BLOCK = re.compile(r"```(\w+)[^\n]*\n(.*?)```", re.S)
SKIPPED = re.compile(r"^\$ (\./scripts/|sudo |git |apt|cmake )", re.M)
CODE = ("README.md", "docs/cpp.md", "docs/own-resolver.md")
BUILT = ("docs/install.md",)
TYPED = ("README.md", "docs/questions.md", "docs/agents.md", "docs/first-hour.md", "docs/recipes.md", "docs/troubleshooting.md")
MARK = "==next-command=="


def blocks(kind, name):
    path = ROOT / name
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [body for language, body in BLOCK.findall(text) if language == kind]


def same_words(text):
    return " ".join(text.split())


def blurred(text):
    text = re.sub(r"\d+(\.\d+)?(?= ?(ns|us|µs|ms|s|m)\b)", "N", text)
    text = re.sub(r"(?<=127\.0\.0\.1:)\d+|(?<=localhost:)\d+", "P", text)
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def matches(shown, printed):
    """Lines equal, `...` for any number of them."""
    if not shown:
        return not printed
    if shown[0].strip() in ("...", "…"):
        return any(matches(shown[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and shown[0] == printed[0] and matches(shown[1:], printed[1:])


def environment(command):
    # Nothing of the caller's own settings: they would be answers of another cloud.
    kept = {key: os.environ[key] for key in ("HOME", "ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS") if key in os.environ}
    return {**kept, "PATH": f"{pathlib.Path(command).parent}:/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8"}


def wait_until_ended(pid):
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    select.select([process], [], [], 30)
    os.close(process)


def shell(command, script):
    """Its output. The simulation that it started has ended then: the next one may listen on the same addresses."""
    ended, ending = os.pipe()
    end = f'[ -z "$ROLLCALL_SIM_PID" ] || {{ kill "$ROLLCALL_SIM_PID" 2>/dev/null; echo "$ROLLCALL_SIM_PID" >&{ending}; }}'
    full = f"trap '{end}' EXIT\n{script}\n"
    run = subprocess.run(["bash", "-c", full], cwd=ROOT, env=environment(command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, timeout=240, pass_fds=[ending])
    os.close(ending)
    with open(ended, encoding="utf-8") as pids:
        for pid in pids:
            wait_until_ended(int(pid))
    return run.stdout


def programs_faults(command, programs):
    for program in programs:
        name = pathlib.Path(program).name.removeprefix("example_")
        printed = shell(command, f'eval "$(rollcall sim examples/demo.json --background --quiet)"\n{program}\n')
        wanted = ROOT / "examples" / f"{name}.out"
        if not wanted.exists():
            yield f"examples/{name}.out is missing; the program printed:\n{printed}"
        elif not matches(blurred(wanted.read_text(encoding="utf-8")), blurred(printed)):
            yield f"examples/{name}.cpp printed:\n{printed}"


def squeezed(text):
    return [re.sub(r" {2,}", "  ", re.sub(r"\bN ms\b", "N s", line)) for line in blurred(text)]


def scripts_faults(command, scripts):
    for script in scripts:
        printed = shell(command, str(script))
        wanted = script.with_suffix(".out")
        if not wanted.exists() or not matches(squeezed(wanted.read_text(encoding="utf-8")), squeezed(printed)):
            yield f"examples/{script.name} printed:\n{printed}"


def code_faults():
    examples = same_words("\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").glob("*.cpp"))))
    recipes = same_words("\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples/recipes").glob("*.yaml"))))
    builds = same_words("\n".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "examples").glob("*/CMakeLists.txt"))))
    for kind, names, known in (("cpp", CODE, examples), ("yaml", TYPED, recipes), ("cmake", BUILT, builds)):
        for name in names:
            for body in blocks(kind, name):
                if same_words(body) not in known:
                    yield f"{name}: this stands in no example:\n{body}"


def commands_of(body):
    for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
        lines = part.rstrip("\n").split("\n")
        last = 0
        while lines[last].endswith("\\") or lines[last + 1:] and lines[last + 1].startswith("> "):
            last += 1
        yield "\n".join(line.removeprefix("> ") for line in lines[:last + 1]), "\n".join(lines[last + 1:])


def typed_bodies(name):
    return [body for body in blocks("console", name) if not SKIPPED.search(body)]


def console_faults(command, name):
    bodies = typed_bodies(name)
    typed = [pair for body in bodies for pair in commands_of(body)]
    printed = shell(command, "\n".join(f"{line}\necho '{MARK}'" for line, _ in typed)).split(MARK + "\n")
    for (line, shown), answer in zip(typed, printed):
        if not matches(blurred(shown), blurred(answer)):
            yield f"{name}: $ {line}\n--- shown\n{shown}\n--- printed\n{answer}"


def main():
    command, programs = sys.argv[1], sys.argv[2:]
    # With sanitizers the pages' hundreds of commands take minutes, and run the same code as the tests.
    typed = [] if any(name in os.environ for name in ("ASAN_OPTIONS", "TSAN_OPTIONS")) else TYPED
    scripts = sorted((ROOT / "examples").glob("*.sh"))
    faults = [*programs_faults(command, programs), *scripts_faults(command, scripts), *code_faults(), *(fault for name in typed for fault in console_faults(command, name))]
    judged = sum(len(blocks("cpp", name)) for name in CODE) + sum(len(blocks("yaml", name)) for name in TYPED)
    judged += sum(len(blocks("cmake", name)) for name in BUILT)
    close(len(programs) + len(scripts) + judged + sum(len(list(commands_of(body))) for name in typed for body in typed_bodies(name)), faults)


main()
