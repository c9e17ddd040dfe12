"""printing.py: paths from outside are printed by base/path_text.hpp, since a file's content may stand in the place of a path. All output to standard output and standard error
goes through src/command/terminal/console.cpp, which escapes it; no other file writes there.
"""
import re

from sources import bare, close, line_of, name_of, sources

# The second file is the writer that the first one uses.
EDGES = {"src/command/terminal/console.cpp", "src/command/terminal/reader_write.cpp"}
# Texts into a pipe of this process, into a child's descriptors, or into a file that a user named.
PIPES = {"src/command/terminal/signals.cpp"}
STREAMS = re.compile(r"\bstd::(?:cout|cerr|clog|wcout|wcerr|print|println|puts|fputs|fwrite|perror|putchar)\b|\b(?:fmt::print|fmt::println)\s*\("
                     r"|(?<![\w:.>])(?:::)?(?:printf|fprintf|vprintf|dprintf|puts|fputs|fwrite|putchar|fputc|perror|psignal)\s*\(")
WRITES = re.compile(r"(?<![\w:.>])::(?:write|writev|pwrite|send|sendfile|splice|tee)\s*\(")
OURS = re.compile(r"\bwrite_all\s*\(\s*(?:STDOUT_FILENO|STDERR_FILENO|[12]\b)")
PATHS = re.compile(r"\b(?:quoted|quoted_words|printable)\(\s*(?:[\w.>()-]*[\w)](?:\.|->))?\w*(?:path|file|folder|authorities|certificate)s?_?(?:\(\)|\.native\(\)|\.front\(\))?\s*[,)]")
NO_FILES = {"src/fleet/http/route_table.cpp"}  # its paths are those of requests
ESCAPES = re.compile(r"\\x1b|\\033|\\e\[|\\u001b", re.I)


def main():
    faults = []
    checked = 0
    for path in sources("src"):
        name = name_of(path)
        text = path.read_text(encoding="utf-8")
        checked += 1
        if name in EDGES:
            continue
        code = bare(text)
        for found in PATHS.finditer(code) if name not in NO_FILES else ():
            faults.append(f"{name}:{line_of(code, found.start())}: {found.group()}: a path is put into words by path_text() or quoted_path()")
        for found in STREAMS.finditer(code):
            faults.append(f"{name}:{line_of(code, found.start())}: {found.group().strip()}: write by command/terminal/console.hpp")
        if not name.startswith("src/command/"):
            continue
        for pattern in (WRITES,) * (name not in PIPES) + (OURS,):
            for found in pattern.finditer(code):
                faults.append(f"{name}:{line_of(code, found.start())}: {found.group().strip()}: write by command/terminal/console.hpp")
        for number, line in enumerate(text.splitlines(), 1):
            if ESCAPES.search(line) and name not in ("src/command/terminal/safe_text.hpp", "src/command/terminal/safe_text.cpp") and not line.lstrip().startswith("//"):
                faults.append(f"{name}:{number}: an escape sequence: styles are named in command/terminal/safe_text.hpp, the rest is the console's")
    close(checked, faults)


main()
