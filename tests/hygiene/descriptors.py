"""descriptors.py: every descriptor must be close-on-exec from the moment it is opened: another thread may start a program at any time."""
import re

from sources import close, line_of, name_of, sources

OPENS = re.compile(r"(?<![\w.>])(?:::|std::)?(open|openat|socket|socketpair|pipe2|accept4|mkostemp|mkostemps|memfd_create|epoll_create1|eventfd|timerfd_create|"
                   r"signalfd|inotify_init1|fcntl)\s*\(([^;]*);")
NEVER = re.compile(r"(?<![\w.>])(::pipe\s*\(|::accept\s*\(|::dup\s*\(|::dup3?\s*\((?=[^,]*\))|\bfopen\s*\(|\bfdopen\s*\(|\bpopen\s*\(|\bmkstemp\s*\(|\btmpfile\s*\(|"
                   r"\bepoll_create\s*\(|\bcreat\s*\(|\b[io]?fstream\b)")
ASIO_OPENS = re.compile(r"\b(\w+)\.open\s*\([^;]*(?:protocol\(\)|tcp::v[46]|udp::v[46])[^;]*;|ip::(?:tcp|udp)::(?:acceptor|socket)\s+\w+\([^;)]*,[^;]*;")
MEANT = {"src/command/terminal/console.cpp": '"/dev/null"'}  # descriptors 0 to 2 are for started programs


def faults_of(path):
    name = name_of(path)
    text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
    for found in OPENS.finditer(text):
        kind, rest = found.groups()
        if kind == "fcntl" and "F_DUPFD" not in rest:
            continue
        if kind != "fcntl" and not found.group().lstrip().startswith("::") and kind in ("open", "socket"):
            continue  # a member or a function of ours
        before = text[:found.start()].rsplit("\n", 4)[-4:]
        if "CLOEXEC" not in rest and not any("CLOEXEC" in line for line in before) and MEANT.get(name, "\0") not in rest:
            yield f"{name}:{line_of(text, found.start())}: {kind}() without close-on-exec"
    for pattern, what in ((NEVER, "cannot be close-on-exec from the start"), (ASIO_OPENS, "Asio opens without close-on-exec: open_tcp() does not")):
        for found in pattern.finditer(text):
            yield f"{name}:{line_of(text, found.start())}: {found.group().strip()[:40]}: {what}"


def main():
    paths = list(sources("src", "include"))
    close(len(paths), [fault for path in paths for fault in faults_of(path)])


main()
