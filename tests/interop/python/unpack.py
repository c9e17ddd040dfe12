"""`unpack.py FOLDER PATTERN`: unpacks what pip has downloaded into the folder, a wheel or a source archive, but only files whose path matches."""
from __future__ import annotations

import sys
import tarfile
import zipfile
from fnmatch import fnmatch
from pathlib import Path


def keep(folder: Path, name: str, text: bytes) -> None:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text)


def main(folder: Path, pattern: str) -> None:
    (package,) = folder.iterdir()
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as wheel:
            for name in wheel.namelist():
                if fnmatch(name, pattern):
                    keep(folder, name, wheel.read(name))
    else:
        with tarfile.open(package) as archive:
            for entry in archive:
                name = entry.name.partition("/")[2]  # without the folder of the archive
                file = archive.extractfile(entry) if entry.isreg() and fnmatch(name, pattern) and ".." not in name else None
                if file is not None:
                    keep(folder, name, file.read())
    package.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
