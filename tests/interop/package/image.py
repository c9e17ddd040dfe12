"""image.py FILE ROOT: unpacks the image of scripts/image into the new folder ROOT, by its documents and with each digest checked, prints its content, and
runs the command there as the image's user."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile


def unpacked(path, root):
    """The settings of the image, whose one layer is unpacked."""
    with tarfile.open(path) as archive:
        def blob(descriptor):
            kind, digest = descriptor["digest"].split(":")
            content = archive.extractfile(f"blobs/{kind}/{digest}").read()
            if kind != "sha256" or hashlib.sha256(content).hexdigest() != digest or len(content) != descriptor["size"]:
                sys.exit(f"image.py: {descriptor['digest']} is not what the image says")
            return content

        index = json.load(archive.extractfile("index.json"))
        manifest = json.loads(blob(index["manifests"][0]))
        for layer in manifest["layers"]:
            root.mkdir()
            subprocess.run(["tar", "-xzf", "-", "-C", root], input=blob(layer), check=True)
        return json.loads(blob(manifest["config"]))


def main():
    path, root = (pathlib.Path(argument) for argument in sys.argv[1:])
    image = unpacked(path, root)
    print(f"{image['os']}/{image['architecture']}, user {image['config']['User']}, {' '.join(image['config']['Entrypoint'])}")
    files = sorted(str(file.relative_to(root)) for file in root.rglob("*") if file.is_file())
    certificates = [name for name in files if name.startswith("etc/ssl/certs/")]
    for name in files:
        if name not in certificates:
            print(f"/{name} {(root / name).stat().st_size}")
    print(f"/etc/ssl/certs: {'some' if len(certificates) > 100 else 'few'} certificates")
    if any(re.search(r"(^|/)(sh|bash|dash|busybox)$", name) for name in files):
        sys.exit("image.py: there is a shell in the image")
    sys.stdout.flush()
    for arguments in (["--version"], ["spec", "simple:job.worker=10.0.0.1:8470"]):
        subprocess.run([shutil.which("chroot"), f"--userspec={image['config']['User']}", root, *image["config"]["Entrypoint"], *arguments], check=True, env={"LC_ALL": "C"},
                       cwd=os.sep)


main()
