"""notes.py VERSION: prints the release notes, which are the changelog's section of VERSION. They are read outside the project's folder, so that a
link to a file of it becomes the file's name.
"""
import re
import sys

from version import ROOT, section_of

LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)#\s]+)(?:#[^)\s]*)?\)")


def notes_of(changelog, version):
    section = section_of(changelog, version)
    if not section:
        sys.exit(f"release: CHANGELOG.md has no section of {version}")
    date, text = section
    text = LINK.sub(lambda found: found[2] if found[1] == found[2] else f"{found[1]} ({found[2]})", text)
    return f"# Rollcall {version}\n\nReleased on {date}. SECURITY.md says how these files are verified, docs/install.md how they are installed.\n\n{text}"


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: notes.py VERSION")
    sys.stdout.write(notes_of((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), sys.argv[1]))


if __name__ == "__main__":
    main()
