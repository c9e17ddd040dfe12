"""The recipes of docs/recipes.md for images that do not have the command: applied to a real API server and run by kubelets, whose containers do not
run; then the containers' own words, by hand, in the pods' place."""
import json
import os
import re
import shutil
import subprocess

import yaml

from helm import kubectl
from pods import ACCOUNT, ROLLCALL, until
from table import check, section, skip

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../docs/recipes.md")
HOST_LINKS = ("bin", "sbin", "lib", "lib64")  # into /usr, which is this machine's
USER_OF_IMAGE = "65532:65532"
MOUNT = {
    "written": 'mount --bind "{what}" "{at}"',
    "read": 'mount --bind "{what}" "{at}"; mount -o remount,bind,ro "{at}"',  # an image volume of containerd is read so, too
    "not run": 'mount --bind "{what}" "{at}"; mount -o remount,bind,ro,noexec,nosuid,nodev "{at}"',
    "as CRI-O": 'mkdir -p "{own}/lower" "{own}/empty"; mount --bind "{what}" "{own}/lower"; mount -o remount,bind,ro,noexec,nosuid,nodev "{own}/lower"; '
                'mount -t overlay overlay -o "lowerdir={own}/lower:{own}/empty" "{at}"',
}
CHROOT = shutil.which("chroot", path="/usr/sbin:/usr/bin:/sbin:/bin")
INDEX = "batch.kubernetes.io/job-completion-index"


def part(heading):
    """What stands below a heading, up to the next one."""
    with open(DOCS, encoding="utf-8") as file:
        return re.search(rf"(?ms)^#+ {re.escape(heading)}\n(.*?)^#+ ", file.read())[1]


def manifests(heading):
    return [thing for block in re.findall(r"(?ms)^```yaml\n(.*?)^```", part(heading)) for thing in yaml.safe_load_all(block)]


def with_image_volume(job):
    """The Job as the lines below it change it."""
    lines = yaml.safe_load("\n".join(line.strip() for line in re.findall(r"(?m)^    (?:volumes|command): .*$", part("In an image that does not have the command"))))
    spec = job["spec"]["template"]["spec"]
    words = spec["containers"][0]["command"]
    del spec["initContainers"]
    spec["volumes"] = lines["volumes"]
    spec["containers"][0]["command"] = [*lines["command"][:2], *words[2:]]
    return job


def with_words(job, words):
    """The containers' runtime pretends, and ends a container only by such words."""
    job["spec"]["template"]["spec"]["initContainers"][0].update(args=words)
    return job


class Containers:
    """Runs words in a root of their own, which has this machine's /usr and no command, or the command and what it is linked with alone."""

    def __init__(self, cluster, pods, folder):
        self.cluster, self.pods, self.folder = cluster, pods, os.path.join(folder, "containers")
        self.image = os.path.join(self.folder, "image")
        linked = re.findall(r"(/\S+)", subprocess.run(["ldd", ROLLCALL], capture_output=True, text=True, check=True).stdout)
        for path, at in [("usr/bin/rollcall", shutil.which(ROLLCALL)), *((file.lstrip("/"), file) for file in linked)]:
            os.makedirs(os.path.dirname(os.path.join(self.image, path)), exist_ok=True)
            shutil.copy(at, os.path.join(self.image, path))

    def root(self, name):
        """Of the program's image: it has no command."""
        root = os.path.join(self.folder, name)
        shutil.rmtree(root, ignore_errors=True)
        os.makedirs(root)
        for link in HOST_LINKS:
            os.symlink("usr/" + link, os.path.join(root, link))
        with open(os.path.join(root, "train.py"), "w", encoding="utf-8") as file:
            file.write("import json, os\nprint(json.dumps({name: os.environ.get(name) for name in ('RANK', 'WORLD_SIZE', 'MASTER_ADDR')}))\n")
        return root

    def account(self, pod):
        """The mount of the account's token, as the kubelet makes it."""
        folder = os.path.join(self.folder, "account-" + pod["metadata"]["name"])
        os.makedirs(folder, exist_ok=True)
        name, namespace = pod["spec"]["serviceAccountName"], pod["metadata"]["namespace"]
        for end, text in (("token", self.pods.token(namespace, name)), ("namespace", namespace), ("ca.crt", self.cluster.read("pki/apiserver.crt"))):
            with open(os.path.join(folder, end), "w", encoding="utf-8") as file:
                file.write(text)
        return ACCOUNT, folder, "read"

    def run(self, root, mounts, words, pod=None, user="0:0"):
        """`mounts`: a folder, what is mounted there, and how."""
        lines = ["set -e", 'root="$1"; shift', 'mount --bind "$root" "$root"; mkdir -p "$root/proc"; mount --bind /proc "$root/proc"']
        for at, what, how in mounts:
            lines.append(f'mkdir -p "$root/{at}"; {MOUNT[how].format(what=what, at=f"$root/{at}", own=self.folder)}')
        variables = {"PATH": "/usr/local/bin:/usr/bin:/bin", **self.pods.service()}
        if pod:
            lines.append(f'hostname "{pod["spec"].get("hostname", pod["metadata"]["name"])}"')
            variables["HOSTNAME"] = pod["metadata"]["name"]
            if "JOB_COMPLETION_INDEX" in (one["name"] for one in pod["spec"]["containers"][0].get("env", [])):
                variables["JOB_COMPLETION_INDEX"] = pod["metadata"]["labels"][INDEX]
        lines.append(f'mount -o remount,bind,ro "$root"; exec "{CHROOT}" --userspec={user} "$root" "$@"')
        return subprocess.run(["unshare", "--mount", "--uts", "--propagation", "private", "sh", "-c", "\n".join(lines), "sh", root, *words], cwd="/",
                              env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)


def pods_of(cluster, job):
    """The Job's pods in their order, once all run."""
    def all_run():
        found = cluster.pods(f"job-name={job}", "train")
        return found if len(found) == 4 and all(pod["status"]["phase"] == "Running" for pod in found) else None
    found = until(all_run, 40) or cluster.pods(f"job-name={job}", "train")
    return sorted(found, key=lambda pod: int(pod["metadata"]["labels"][INDEX]))


def check_programs(found, ran, how=""):
    """What the programs of all pods got."""
    got = [json.loads(one.stdout) if one.returncode == 0 else {"failed": one.stderr} for one in ran]
    address = found[0]["status"].get("podIP")
    check(f"`rollcall exec` of each pod starts its program{how}: ranks", [one.get("RANK", one) for one in got], ["0", "1", "2", "3"])
    check("each of the four has the first pod's address", [(one.get("WORLD_SIZE"), one.get("MASTER_ADDR") == address) for one in got],
          lambda seen: seen == [("4", True)] * 4)


def run_programs(containers, found, program, volumes, how="read"):
    """The words of the Job's own container for each pod, with its volume."""
    at = program["volumeMounts"][0]["mountPath"]
    ran = []
    for number, (pod, volume) in enumerate(zip(found, volumes)):
        mounts = [("usr", "/usr", "read"), ("dev", "/dev", "written"), (at, volume, how), containers.account(pod)]
        ran.append(containers.run(containers.root(f"program-{number}"), mounts, program["command"], pod))
    return ran


def look_at_copies(containers, cluster):
    heading = "In an image that does not have the command"
    (job,) = manifests(heading)
    taken = kubectl(cluster, "apply", "--dry-run=server", "-f", "-", text=json.dumps(job))
    check("the API server takes the Job as it stands", [taken.returncode, taken.stderr], [0, ""])
    (made,) = manifests(heading)
    cluster.create(with_words(made, ["sim", "exit", "3"]))
    reasons = until(lambda: {pod["status"].get("phase") for pod in cluster.pods("job-name=trainer", "train")} == {"Failed"})
    check("where the copy fails no program starts: all pods have failed", reasons, True)
    kubectl(cluster, "-n", "train", "delete", "job", "trainer", "--wait")
    until(lambda: not cluster.pods("job-name=trainer", "train"))
    (made,) = manifests(heading)
    cluster.create(with_words(made, ["sim", "exit", "0"]))
    found = pods_of(cluster, "trainer")
    check("its pods run once the copy has ended", [pod["status"]["initContainerStatuses"][0]["state"].get("terminated", {}).get("reason") for pod in found], ["Completed"] * 4)
    spec = job["spec"]["template"]["spec"]
    (init,), (program,) = spec["initContainers"], spec["containers"]
    volumes = []
    for number, _ in enumerate(found):
        volumes.append(os.path.join(containers.folder, f"volume-{number}"))
        os.makedirs(volumes[-1])
        os.chmod(volumes[-1], 0o777)  # as an emptyDir is
        copied = containers.run(containers.image, [(init["volumeMounts"][0]["mountPath"], volumes[-1], "written")], ["/usr/bin/rollcall", *init["args"]], user=USER_OF_IMAGE)
        check(f"pod {number}: the init container's words, as the image's user", [copied.returncode, copied.stderr, os.listdir(volumes[-1])], [0, "", ["rollcall"]])
    check_programs(found, run_programs(containers, found, program, volumes))
    return found


def look_at_image_volumes(containers, found, cluster):
    (job,) = manifests("In an image that does not have the command")
    with_image_volume(job)["metadata"]["name"] = "by-image"
    taken = kubectl(cluster, "apply", "--dry-run=server", "-f", "-", text=json.dumps(job))
    check("the API server takes the Job as those lines change it", [taken.returncode, taken.stderr], [0, ""])
    skip("the kubelet mounts the volume", "the kubelets of this cluster have no such volumes")
    program = job["spec"]["template"]["spec"]["containers"][0]
    images = [containers.image] * len(found)
    check_programs(found, run_programs(containers, found, program, images), ", the image mounted read-only, as by containerd")
    check_programs(found, run_programs(containers, found, program, images, "as CRI-O"), ", by an overlay over a mount that is noexec, as by CRI-O")
    (refused,) = run_programs(containers, found[:1], program, images[:1], "not run")
    check("mounted noexec it does not start", [refused.returncode, refused.stderr.strip()], lambda seen: seen[0] == 126 and "Permission denied" in seen[1])


def look_at_recipes(cluster, pods, folder):
    section("An image that does not have the command, as docs/recipes.md has it")
    kubectl(cluster, "-n", "train", "delete", "job", "trainer", "--wait")
    until(lambda: not cluster.pods("job-name=trainer", "train"))
    for thing in manifests("1. Rights of the pods"):
        cluster.apply(thing)
    containers = Containers(cluster, pods, folder)
    found = look_at_copies(containers, cluster)
    section("The command from an image volume, as docs/recipes.md has it")
    look_at_image_volumes(containers, found, cluster)
    return containers
