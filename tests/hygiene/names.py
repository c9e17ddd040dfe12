"""names.py: no two files that may be compiled as one (UNITY_BUILD) define the same name in an unnamed namespace."""
import re

from sources import ROOT, bare, close, line_of, name_of

NAMESPACE = re.compile(r"^(?:inline )?namespace ?([\w:]*) ?\{\n|^\}  @namespace\b.*\n", re.M)
TYPE = re.compile(r"^(?:class|struct|union|enum class|enum) (\w+)[^;(\n]*(?:\{|$)", re.M)
ALIAS = re.compile(r"^using (\w+) = ", re.M)
# A line that begins with a type: the text after the name decides whether it is a function or a value.
OTHER = re.compile(r"^(?!using |typedef |template|namespace |static_assert|class |struct |union |enum |friend |extern |return |TEST_CASE|#)"
                   r"[\w:][\w:<>,&*\[\] .]*?[ &*>](\w+)(?:\[[^\]\n]*\])* ?(?=([({=;]))", re.M)


# A literal may fit either of two overloads that differ only in these types.
TEXTS = {"std::string", "const std::string", "const std::string&", "std::string&&", "std::string_view", "const std::string_view", "const char*"}


def parameters(text, at):
    """The types of the parameter list that opens at `at`; all that accept a literal count as one."""
    depth, start, found = 0, at + 1, []
    for i in range(at, len(text)):
        c = text[i]
        depth += (c in "(<[{") - (c in ")]}" or c == ">" and text[i - 1] != "-")
        if (c == "," and depth == 1) or depth == 0:
            found.append(" ".join(text[start:i].split()))
            start = i + 1
        if depth == 0:
            break
    types = []
    for one in found:
        one = re.sub(r" ?=.*", "", one)
        named = re.fullmatch(r"(.*[ &*>])\w+((?:\[[^\]]*\])*)", one)
        types.append(named[1].strip() + named[2] if named and named[1].strip() not in ("const", "unsigned", "struct", "class") else one)
    return ", ".join("text" if one in TEXTS else one for one in types)


def definitions(text):
    """For each name in an unnamed namespace: its key, which must be unique (the qualified name, with the parameters of a function), its kind, and its place."""
    text = bare(text.replace("}  // namespace", "}  @namespace"))  # the closing braces have comments
    outer, begin = [], 0
    for mark in NAMESPACE.finditer(text):
        if outer and outer[-1] == "":
            region = text[begin:mark.start()]
            inside = "::".join(name for name in outer if name)
            for found in TYPE.finditer(region):
                yield (inside, found[1]), "type", line_of(text, begin + found.start(1))
            for found in ALIAS.finditer(region):
                yield (inside, found[1]), "alias", line_of(text, begin + found.start(1))
            for found in OTHER.finditer(region):
                is_function = found[2] == "("
                key = (inside, found[1], parameters(region, found.end())) if is_function else (inside, found[1])
                yield key, "function" if is_function else "value", line_of(text, begin + found.start(1))
        if mark[0].startswith("}"):
            outer = outer[:-1]
        else:
            outer.append(mark[1])
        begin = mark.end()


def faults_of(group, texts):
    """`texts`: pairs of a file's name and its text."""
    first = {}
    # Files of tests open the namespaces of others (`using namespace`), and later files see the names of both.
    are_open = group.startswith("test_")
    for name, text in texts:
        for key, kind, line in definitions(text):
            if are_open:
                key = ("", *key[1:])
            other = first.setdefault(key, name)
            if other != name:
                yield f"{name}:{line}: the {kind} {key[1]} is also in {other}: in {group} they may be compiled as one"


def groups():
    """The targets that are compiled so, as defined in cmake/library.cmake and cmake/tests.cmake."""
    library = (ROOT / "cmake/library.cmake").read_text(encoding="utf-8")
    tests = (ROOT / "cmake/tests.cmake").read_text(encoding="utf-8")
    core, rooms = (re.search(rf"^set\({which} ([\w ]+)\)", library, re.M)[1].split() for which in ("core_rooms", "library_rooms"))

    def files(folder, names):
        return [path for name in names for path in sorted((ROOT / folder / name).rglob("*.cpp"))]

    def is_pure(path):
        return path.parent.name in ("wire", "rules")

    yield "rollcall_core", files("src", core) + [path for path in files("src", rooms) if is_pure(path)]
    yield "rollcall", [path for path in files("src", rooms) if not is_pure(path)]
    yield "rollcall_sim", files("src", ["sim"])
    yield "rollcall_command_rooms", [path for path in files("src", ["command"]) if path.name != "main.cpp"]
    pure = [path for path in sorted((ROOT / "tests").rglob("*.cpp")) if is_pure(path)]
    for ring, names in re.findall(r"^rollcall_test\((\w+) \w+ ([\w ]+)\)", tests, re.M):
        yield f"test_{ring}", [path for path in files("tests", names.split()) if not is_pure(path)] + pure * (ring == "core")
    yield "conformance", files("tests", ["conformance"])
    yield "fuzz_replay", [path for path in sorted((ROOT / "fuzz").rglob("*.cpp")) if path.name != "replay_main.cpp"]


# Tests the check itself: the same names in two files, where only the marked ones clash.
SAMPLE = """namespace rollcall {{
namespace {{
class Shared{0} {{}};
constexpr int limit{0} = 1;
int{1} parse(std::string_view text, int base{0} = 10) {{ return base; }}
template <class T>
bool is_long(const std::vector<T>& all{0},
             std::size_t most) {{
  int local = 0;
}}
int calls{0} = 0;
}}  // namespace
int parse_all();
}}  // namespace rollcall
namespace rollcall::{2} {{
namespace {{
constexpr int elsewhere = 2;
}}  // namespace
}}  // namespace rollcall::{2}
"""


def faults_of_the_check():
    clash = list(faults_of("the sample", [("a.cpp", SAMPLE.format("", "", "a")), ("b.cpp", SAMPLE.format("", " long", "b"))]))
    found = [re.search(r"the (\w+ \w+) is", fault)[1] for fault in clash]
    if sorted(found) != ["function is_long", "function parse", "type Shared", "value calls", "value limit"]:
        yield f"names.py: of the sample's clashes it finds {found}"
    overloads = ["namespace {\nint f(int a) {\n}\n}  // namespace\n", "namespace {\nint f(const char* a, int) {\n}\n}  // namespace\n"]
    if list(faults_of("the sample", zip(("a.cpp", "b.cpp"), overloads))):
        yield "names.py: overloads are no clash"
    ambiguous = ["namespace {\nint f(std::string a) {\n}\n}  // namespace\n", "namespace {\nint f(std::string_view a) {\n}\n}  // namespace\n"]
    if not list(faults_of("the sample", zip(("a.cpp", "b.cpp"), ambiguous))):
        yield "names.py: overloads of texts are a clash"
    opened = ["namespace a {\nnamespace {\nclass One {};\n}  // namespace\n}  // namespace a\n", "namespace {\nclass One {};\n}  // namespace\n"]
    if len(list(faults_of("test_sample", zip(("a.cpp", "b.cpp"), opened)))) != 1 or list(faults_of("the sample", zip(("a.cpp", "b.cpp"), opened))):
        yield "names.py: in tests names of two namespaces are a clash, elsewhere they are none"


def main():
    count = 0
    faults = list(faults_of_the_check())
    for group, paths in groups():
        count += len(paths)
        faults += faults_of(group, [(name_of(path), path.read_text(encoding="utf-8")) for path in paths])
    close(count, faults)


main()
