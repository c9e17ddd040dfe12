"""image.py CONTAINERFILE CONTEXT ROOT IMAGE: executes the file, with the folder ROOT (a Debian root) as its first image and IMAGE as the second, and prints the image's content
and the command's output in it. Supports only the instructions that the file uses."""
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys


def build(text, context, root, image):
    stage, settings = None, {}
    for line in text.splitlines():
        if not line or line.startswith("#"):
            continue
        word, rest = line.split(None, 1)
        if word == "FROM":
            stage = image if rest == "scratch" else root
        elif word == "RUN":
            subprocess.run(["chroot", stage, "sh", "-c", rest], check=True, stdout=subprocess.DEVNULL)
        elif word == "ADD":
            pattern, to = rest.split()
            (stage / to.lstrip("/")).mkdir(parents=True, exist_ok=True)
            for found in glob.glob(str(context / pattern)):
                subprocess.run(["tar", "-xzf", found, "-C", stage / to.lstrip("/")], check=True)
        elif word == "COPY" and (found := re.fullmatch(r"--from=system (\S+) /", rest)):
            shutil.copytree(root / found.group(1).lstrip("/"), stage, symlinks=True)
        elif word in ("USER", "ENTRYPOINT"):
            settings[word] = rest
        else:
            sys.exit(f"image.py: does not know: {line}")
    return settings


def main():
    containerfile, context, root, image = (pathlib.Path(argument) for argument in sys.argv[1:])
    settings = build(containerfile.read_text(encoding="utf-8"), context, root, image)
    files = sorted(str(path.relative_to(image)) for path in image.rglob("*") if path.is_file())
    certificates = [name for name in files if name.startswith("etc/ssl/certs/")]
    for name in files:
        if name not in certificates:
            print(f"/{name} {(image / name).stat().st_size}")
    print(f"/etc/ssl/certs: {'some' if len(certificates) > 100 else 'few'} certificates")
    if any(re.search(r"(^|/)(sh|bash|dash|busybox)$", name) for name in files):
        sys.exit("image.py: there is a shell in the image")
    sys.stdout.flush()
    command = settings["ENTRYPOINT"].strip('[]"')
    for arguments in (["--version"], ["spec", "simple:job.worker=10.0.0.1:8470"]):
        subprocess.run([shutil.which("chroot"), f"--userspec={settings['USER']}", image, command, *arguments], check=True, env={"LC_ALL": "C"}, cwd=os.sep)


main()
