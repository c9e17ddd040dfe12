"""pages.py: comments cite rows of docs/facts.md as [facts: ID, ID], pages by links to them, and every row is cited; pages name files that exist; their table of rooms is layers.py's,
whose every room has a row there and a box in docs/rooms.svg; links of pages lead to existing files and headings, and docs/index.md and docs/llms.txt lead to every page;
docs/fleet.md names every route of the service.
"""
import re

from layers import ROOMS
from sources import ROOT, close, line_of, name_of, sources

CITED = re.compile(r"\[facts: ([^\]]*)\]")
ROW = re.compile(r'^\| <a id="([a-z0-9-]+)"></a>`([a-z0-9-]+)` \| (.*) \| (.*) \|$', re.M)
UNKNOWN_PAGE = re.compile(r"wire-facts|python-facts|upstream-behaviour|\bupstream \d+(\.\d+)?\b|\brule H\d+(?! of tests/vectors/README)\b", re.I)
FILE = re.compile(r"`((?:src|include|tests|fuzz|bench|cmake|docs|examples|scripts)/[A-Za-z0-9_./-]*[A-Za-z0-9_])`")
FOLDERS = ("src", "include", "tests", "fuzz", "bench", "examples")
PAGES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/llms.txt")
PLACEHOLDER = re.compile(r"NAME|ROOM|DOCUMENT")
NEW = re.compile(r"^\| `[^`]*` \(new\) \|")  # a walk-through may name files that are still to be written
ROOM = re.compile(r"^\| `([a-z_/]+)` \| .* \| (.*) \|$", re.M)
NAMED = re.compile(r"^\| `([a-z_/]+)` \|", re.M)
BOX = re.compile(r'<g data-room="([^"]+)">(.*?)</g>', re.S)
LABEL = re.compile(r"<text[^>]*>([^<]+)")
ROUTE = re.compile(r'routes_\.add\(Route\("([^"]+)", (get|post)')
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
CITED_BY_PAGE = re.compile(r"\]\((?:docs/)?facts\.md#([a-z0-9-]+)\)")
FENCED = re.compile(r"^```.*?^```", re.M | re.S)
PLANTED = ["// [facts: no-such-row]", "// Source: wire-facts C.4.", "// as there (upstream 10.2)", "// again (rule H3)"]


def faults_of_comments(name, text, rows, cited):
    for found in CITED.finditer(text):
        for one in found.group(1).split(", "):
            cited.add(one)
            if one not in rows:
                yield f"{name}:{line_of(text, found.start())}: docs/facts.md has no row {one}"
    for found in UNKNOWN_PAGE.finditer(text):
        yield f"{name}:{line_of(text, found.start())}: cites a document that is not here: {found.group()}"


def faults_of_page(path):
    text = path.read_text(encoding="utf-8")
    for found in FILE.finditer(text):
        line = text[text.rfind("\n", 0, found.start()) + 1:].split("\n", 1)[0]
        if NEW.match(line) and line.startswith(f"| `{found.group(1)}"):
            continue
        if not PLACEHOLDER.search(found.group(1)) and not (ROOT / found.group(1)).exists():
            yield f"{name_of(path)}:{line_of(text, found.start())}: there is no {found.group(1)}"


def anchors(text):
    """As forges make them from headings: lower case, without punctuation, blanks as hyphens; and explicit ones."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", text), re.M)
    made = [re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", heading).lower()).strip().replace(" ", "-") for heading in headings]
    return {*made, *re.findall(r'<a id="([^"]+)">', text)}


def faults_of_links(path):
    text = FENCED.sub(lambda block: "\n" * block.group().count("\n"), path.read_text(encoding="utf-8"))
    for found in LINK.finditer(text):
        to = (path.parent / found.group(1)).resolve() if found.group(1) else path
        if not to.exists():
            yield f"{name_of(path)}:{line_of(text, found.start())}: leads to {found.group(1)}, which is not there"
        elif found.group(2) and to.suffix == ".md" and found.group(2) not in anchors(to.read_text(encoding="utf-8")):
            yield f"{name_of(path)}:{line_of(text, found.start())}: {name_of(to)} has no heading #{found.group(2)}"


def faults_of_index(index):
    led_to = {found.group(1) for found in LINK.finditer(index.read_text(encoding="utf-8"))}
    for path in sorted((ROOT / "docs").glob("*.md")):
        if path.name not in led_to | {"index.md"}:
            yield f"{name_of(index)}: does not lead to {path.name}"


def faults_of_rooms(page):
    for found in ROOM.finditer(page):
        room, reported = found.group(1), set(re.findall(r"`([^`]+)`", found.group(2)))
        if room not in ROOMS:
            yield f"docs/architecture.md: layers.py has no room {room}"
        elif reported != set((ROOMS[room] or "").split()):
            yield f"docs/architecture.md: {room} may include {ROOMS[room] or 'nothing'}"


def all_rooms():
    """Those of layers.py, whose `command` has rooms of its own."""
    return [*ROOMS, *(name_of(path).removeprefix("src/") for path in sorted((ROOT / "src/command").iterdir()) if path.is_dir())]


def faults_of_picture(picture):
    boxes = [(found.group(1), LABEL.search(found.group(2))) for found in BOX.finditer(picture)]
    rooms = all_rooms()
    for room, label in boxes:
        if room not in rooms:
            yield f"docs/rooms.svg: there is no room {room}"
        elif not label or label.group(1).split("/")[-1] != room.split("/")[-1]:
            yield f"docs/rooms.svg: the box of {room} does not show its name"
    drawn = [room for room, _ in boxes]
    yield from (f"docs/rooms.svg: {drawn.count(room)} boxes of {room}, a <g data-room> each" for room in rooms if drawn.count(room) != 1)


def faults_of_missing_rooms(page):
    named = set(NAMED.findall(page))
    yield from (f"docs/architecture.md: no row of a table is {room}'s" for room in all_rooms() if room not in named)


def faults_of_routes():
    table = (ROOT / "src/fleet/http/fleet_http.cpp").read_text(encoding="utf-8")
    page = (ROOT / "docs/fleet.md").read_text(encoding="utf-8")
    routes = ROUTE.findall(table)
    if len(routes) < 2:
        yield "src/fleet/http/fleet_http.cpp: the check finds no routes"
    for path, methods in routes:
        if not re.search(rf"`{methods.upper()} {re.escape(path)}", page):
            yield f"docs/fleet.md: does not name {methods.upper()} {path}"


def main():
    page = (ROOT / "docs/facts.md").read_text(encoding="utf-8")
    rows = [row.group(1) for row in ROW.finditer(page)]
    faults = [f"docs/facts.md: the anchor of {row.group(2)} is {row.group(1)}" for row in ROW.finditer(page) if row.group(1) != row.group(2)]
    faults += [f"docs/facts.md: {page.count('<a id=')} anchors, but {len(rows)} rows of three columns"] * (page.count("<a id=") != len(rows))
    faults += [f"docs/facts.md: {one} stands twice" for one in sorted({one for one in rows if rows.count(one) > 1})]
    paths = list(sources(*FOLDERS))
    cited = set()
    faults += [f"the check does not find: {text}" for text in PLANTED if not list(faults_of_comments("planted", text, set(rows), set()))]
    faults += [fault for path in paths for fault in faults_of_comments(name_of(path), path.read_text(encoding="utf-8"), set(rows), cited)]
    rooms = (ROOT / "docs/architecture.md").read_text(encoding="utf-8").split("## The way", 1)[0]
    picture = (ROOT / "docs/rooms.svg").read_text(encoding="utf-8")
    faults += [*faults_of_rooms(rooms), *faults_of_missing_rooms(rooms), *faults_of_picture(picture)]
    # A picture and a page without their first room must be refused.
    if not list(faults_of_picture(BOX.sub("", picture, count=1))) or not list(faults_of_missing_rooms(NAMED.sub("|", rooms, count=1))):
        faults.append("the check does not find a missing room")
    pages = [*sorted((ROOT / "docs").glob("*.md")), *(ROOT / name for name in PAGES), *sorted((ROOT / ".github").glob("*.md"))]
    faults += [fault for path in pages for fault in [*faults_of_page(path), *faults_of_links(path)]]
    cited.update(one for path in pages for one in CITED_BY_PAGE.findall(path.read_text(encoding="utf-8")))
    faults += [f"docs/facts.md: no comment and no page rests on {one}" for one in rows if one not in cited]
    faults += [fault for name in ("docs/index.md", "docs/llms.txt") for fault in faults_of_index(ROOT / name)]
    faults += faults_of_routes()
    close(len(paths) + len(pages) + len(rows), faults)


main()
