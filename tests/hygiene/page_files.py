"""page_files.py: the page of the service is self-contained: it refers to no foreign host, contains no foreign code, and inserts text into the document only as text."""
import re

from sources import ROOT, close

NAMESPACES = {"http://www.w3.org/2000/svg"}
FAULTS = [
    (re.compile(r"(?:https?:)?//(?!\s)[\w.-]+\.[a-z]{2,}[^\s\"'`)]*", re.I), "names a host"),
    (re.compile(r"\b(?:innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|srcdoc|setHTML\w*)\b|document\.write\b"), "puts markup into the document"),
    (re.compile(r"\beval\s*\(|\bnew\s+Function\b|\bimport\s*\(|setTimeout\s*\(\s*[\"'`]"), "makes code of text"),
    (re.compile(r"\b(?:localStorage|sessionStorage|indexedDB|document\.cookie)\b"), "keeps something"),
    (re.compile(r"@import|url\("), "loads something else"),
]


def main():
    folder = ROOT / "src/fleet/page/files"
    faults = []
    files = sorted(folder.iterdir())
    for path in files:
        text = path.read_text(encoding="utf-8")
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, what in FAULTS:
                for found in pattern.finditer(line):
                    if found.group() not in NAMESPACES:
                        faults.append(f"src/fleet/page/files/{path.name}:{number}: {found.group()[:60]} {what}")
        for module in re.findall(r"^(?:import|export)\b.*?\bfrom\s+\"([^\"]+)\"", text, re.M):
            if not (folder / module).is_file() or not module.startswith("./"):
                faults.append(f"src/fleet/page/files/{path.name}: imports {module}, which is no file of the page")
    close(len(files), faults)


main()
