"""names.py: no two files of a program of tests that is compiled as a few large ones define the same name at file level."""
import re

from sources import ROOT, close, line_of, name_of

# As in cmake/tests.cmake.
PROGRAMS = {"core": "base cluster accelerator json render metrics", "call": "async call auth", "net": "net"}
INSIDE = re.compile(r"^namespace \{\n(.*?)^\}  // namespace\n", re.S | re.M)
TYPE = re.compile(r"^(?:class|struct|enum|enum class) (\w+)", re.M)
# Overloads too: with default arguments they are ambiguous soon.
FUNCTION = re.compile(r"^(?!\s|using|static_assert|TEST_CASE|#|//)[\w:<>,&*\[\] ]+?[ &*>](\w+)\([^;{\n]*(?:\{.*)?$", re.M)
CONSTANT = re.compile(r"^(?:constexpr|const|inline|static)\b[^=({\n]*?\b(\w+)(?:\[\w*\])? ?[={]", re.M)


def definitions(path):
    text = path.read_text(encoding="utf-8")
    for region in INSIDE.finditer(text):
        for pattern in (TYPE, FUNCTION, CONSTANT):
            for found in pattern.finditer(region.group(1)):
                yield found.group(1), line_of(text, region.start(1) + found.start(1))


def main():
    count = 0
    faults = []
    pure = [path for path in (ROOT / "tests").rglob("*.cpp") if path.parent.name in ("wire", "rules")]
    for program, rooms in PROGRAMS.items():
        first = {}
        paths = [path for room in rooms.split() for path in (ROOT / "tests" / room).rglob("*.cpp") if path not in pure]
        for path in sorted(paths + pure * (program == "core")):
            count += 1
            for name, line in definitions(path):
                other = first.setdefault(name, path)
                if other != path:
                    faults.append(f"{name_of(path)}:{line}: {name} is also in {other.name}: with sanitizers they are compiled as one")
    close(count, faults)


main()
