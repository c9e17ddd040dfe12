"""chart.py CHART FOLDER: packs the Helm chart in the folder CHART as `helm package` does, NAME-VERSION.tgz in FOLDER, with the same bytes each time.
Times are SOURCE_DATE_EPOCH. CHART/.helmignore may have names and patterns of files without a folder, and comments.
"""
import fnmatch
import os
import pathlib
import re
import sys

from archive import gzipped, of_folder, tar_of


def field(text, name):
    found = re.search(rf'^{name}: *"?([A-Za-z0-9.+-]+)"? *$', text, re.M)
    if not found:
        sys.exit(f"chart: Chart.yaml has no {name}")
    return found[1]


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: chart.py CHART FOLDER")
    chart, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    text = (chart / "Chart.yaml").read_text(encoding="utf-8")
    name, version = field(text, "name"), field(text, "version")
    ignored = chart / ".helmignore"
    lines = ignored.read_text(encoding="utf-8").splitlines() if ignored.is_file() else []
    patterns = [line.strip().rstrip("/") for line in lines if line.strip() and not line.startswith("#")]
    entries = {path: entry for path, entry in of_folder(chart, name).items()
               if not any(fnmatch.fnmatch(part, pattern) for part in path.split("/")[1:] for pattern in patterns)}
    # As `helm package`: no entries for folders.
    files = {path: entry for path, entry in entries.items() if entry[0] is not None}
    (folder / f"{name}-{version}.tgz").write_bytes(gzipped(tar_of(files, int(os.environ["SOURCE_DATE_EPOCH"]))))


if __name__ == "__main__":
    main()
