"""words.py: comments, names and texts use the field's words. Refuses words that say less than they seem to, and names that only this project would use.
"""
import io
import re
import tokenize

from sources import ROOT, close, line_of, name_of, sources

FOLDERS = ("src", "include", "examples", "tests", "bench", "fuzz", "cmake", "scripts", "python")
PHRASES = re.compile(r"\b(nobody|somebody|whoever|whomever|whom|whatever|whichever|anew|in vain|of use|tells?|told|telling)\b"
                     r"|(?:^|[.;:(]\s+|\b(?:of|for|from|to|by|with|or|than|as|but)\s+)who(?=\s+(?!.*\?))", re.I)
# A sentence that a program prints or a page shows may tell a user to do a thing: `tell` and `who` stay there.
TEXT_PHRASES = re.compile(r"\b(nobody|somebody|whoever|whomever|whom|whatever|anew|in vain|askers?|(?:is|are|was|were) told)\b", re.I)
PARTS = {"told", "untold", "asker", "askers", "seat", "seats", "making", "makings", "wish", "wishes", "wished", "beat", "beats", "senseless", "barred", "doubt",
         "doubts", "doubted", "doubtful"}
FIRST = re.compile(r"^(most|longest|least)_")
# Of the product alone: a test may tell a story.
PRODUCT = ("src/", "include/")
PRODUCT_PARTS = {"tell", "tells", "telling"}
# A parser may have feed(), and a list of waiters is one; an event and an observer are neither.
DECLARED = re.compile(r"\b(?:AsyncEvent[*&]?\s+(?:const\s+)?waiter_?|StatusObserver[*&]?\s+(?:const\s+)?feed_?)\b")
CPP = re.compile(r'R"(\w*)\((?P<raw>.*?)\)\1"|"(?P<text>(?:\\.|[^"\\\n])*)"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'|//[/!]?<?\s?(?P<comment>[^\n]*)', re.S)
NAME = re.compile(r"[A-Za-z_]\w*")
PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
MAX_LINE = 120
MAX_README_LINES = 120
MAX_LINES_WITHOUT_HEADING = 40
FENCE = re.compile(r"^\s*```")


def faults_of_names(name, code):
    parts = PARTS | PRODUCT_PARTS if name.startswith(PRODUCT) else PARTS
    for found in DECLARED.finditer(code):
        yield f"{name}:{line_of(code, found.start())}: the name in {found[0]}"
    for found in NAME.finditer(code):
        pieces = {piece.lower() for piece in PIECE.findall(found[0])}
        if parts & pieces or FIRST.match(found[0]):
            yield f"{name}:{line_of(code, found.start())}: the name {found[0]}"


def faults_of_cpp(name, text):
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])

    for found in CPP.finditer(text):
        where = f"{name}:{line_of(text, found.start())}"
        if found["comment"] is not None and (bad := PHRASES.search(found["comment"])):
            yield f"{where}: a comment says \"{bad[0].strip()}\""
        said = found["text"] if found["text"] is not None else found["raw"]
        if said is not None and not name.startswith("tests/") and (bad := TEXT_PHRASES.search(said)):
            yield f"{where}: a text says \"{bad[0].strip()}\""
    yield from faults_of_names(name, CPP.sub(blank, text))


def faults_of_python(name, text):
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_docstring = token.type == tokenize.STRING and token.string.lstrip("rRbBuUfF").startswith('"""')
        if token.type == tokenize.COMMENT or is_docstring:
            for at, line in enumerate(token.string.split("\n")):
                if bad := PHRASES.search(line.lstrip("#\" ")):
                    yield f"{name}:{token.start[0] + at}: a comment says \"{bad[0].strip()}\""
        elif token.type == tokenize.STRING and not name.startswith("tests/") and (bad := TEXT_PHRASES.search(token.string)):
            yield f"{name}:{token.start[0]}: a text says \"{bad[0].strip()}\""
        elif token.type == tokenize.NAME:
            for fault in faults_of_names(name, token.string):
                yield fault.replace(f"{name}:1:", f"{name}:{token.start[0]}:")


def faults_of_script(name, text):
    for at, line in enumerate(text.split("\n"), 1):
        comment = re.search(r"(?:^|\s)#+ (?=[^\"']*$)(.*)", line)
        if comment and not line.startswith("#!") and (bad := PHRASES.search(comment[1])):
            yield f"{name}:{at}: a comment says \"{bad[0].strip()}\""


def faults_of_page(name, text):
    lines = text.count("\n")
    if name == "README.md" and lines > MAX_README_LINES:
        yield f"{name}: {lines} lines, at most {MAX_README_LINES}"
    is_code, since_heading = False, 0
    for at, line in enumerate(text.split("\n"), 1):
        if FENCE.match(line):
            is_code = not is_code
        since_heading = 0 if line.startswith("#") and not is_code else since_heading + 1
        if since_heading == MAX_LINES_WITHOUT_HEADING + 1 and not is_code and not line.startswith("|"):
            yield f"{name}:{at}: more than {MAX_LINES_WITHOUT_HEADING} lines without a heading"
        if is_code or line.startswith(("|", "!", "    ")):
            continue
        # A link that does not fit stands on a line of its own.
        if len(line) > MAX_LINE and " " in re.sub(r"\]\([^)]*\)", "", line).strip():
            yield f"{name}:{at}: {len(line)} characters, at most {MAX_LINE}"
        if bad := TEXT_PHRASES.search(re.sub(r"`[^`]*`", "", line)):
            yield f"{name}:{at}: says \"{bad[0].strip()}\""


def faults_of(path):
    name = name_of(path)
    if name == "tests/hygiene/words.py":
        return
    text = path.read_text(encoding="utf-8")
    if path.suffix in (".cpp", ".hpp", ".proto", ".js"):
        yield from faults_of_cpp(name, text)
    elif path.suffix in (".py", ".pyi"):
        yield from faults_of_python(name, text)
    elif path.suffix == ".md":
        yield from faults_of_page(name, text)
    else:
        yield from faults_of_script(name, text)


def main():
    paths = [path for folder in FOLDERS for path in sources(folder, suffixes=(".cpp", ".hpp", ".proto", ".js", ".py", ".pyi", ".sh", ".cmake", ""))
             if not {"corpus", "samples", "vectors", "__pycache__", ".mypy_cache", ".ruff_cache"} & set(path.parts)]
    paths += [*ROOT.glob("*.md"), *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / ".github").glob("*.md")), ROOT / "CMakeLists.txt"]
    close(len(paths), [fault for path in paths for fault in faults_of(path)])


main()
