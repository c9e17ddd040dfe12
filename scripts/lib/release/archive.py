"""Archives whose bytes follow from their content alone: sorted names, one time, root as owner."""
import gzip
import io
import tarfile


def tar_of(entries, time):
    """A tar archive. `entries` maps a name to (content, mode); content None is a folder. `time` is in seconds since 1970."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name in sorted(entries):
            content, mode = entries[name]
            info = tarfile.TarInfo(name)
            info.mtime, info.mode = time, mode
            if content is None:
                info.type = tarfile.DIRTYPE
                tar.addfile(info)
            else:
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def gzipped(data):
    return gzip.compress(data, 9, mtime=0)


def with_folders(entries):
    """The entries, and the folders that they lie in."""
    folders = {}
    for name in entries:
        parts = name.split("/")[:-1]
        for count in range(1, len(parts) + 1):
            folders["/".join(parts[:count])] = (None, 0o755)
    return {**folders, **entries}


def of_folder(folder, prefix):
    """The entries of the files below a folder, under `prefix`; a file that its owner may execute keeps that."""
    return with_folders({f"{prefix}/{path.relative_to(folder).as_posix()}": (path.read_bytes(), 0o755 if path.stat().st_mode & 0o100 else 0o644)
                         for path in sorted(folder.rglob("*")) if path.is_file()})
