"""Helm and kubectl."""
import os
import subprocess

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
HELM, CHART = os.environ["HELM"], os.path.normpath(os.path.join(ROOT, "packaging/helm/rollcall"))
SPACE = "rollcall-system"
# Helm that was built from its module takes the API server for an old one, where it does not ask it.
KUBERNETES = ["--kube-version", "1.36.3"]
IMAGE = ["--set", "image.repository=registry.example/rollcall", "--set", "image.tag=latest"]


def helm(*arguments, kubeconfig=None):
    return subprocess.run([HELM, *arguments], capture_output=True, text=True, check=False,
                          env={"PATH": os.environ["PATH"], "HOME": os.path.join(os.getcwd(), "helm-home"), **({"KUBECONFIG": kubeconfig} if kubeconfig else {})})


def rendered(*values, release="rollcall", kubernetes=KUBERNETES):
    ran = helm("template", release, CHART, "--namespace", SPACE, *kubernetes, *IMAGE, *values)
    if ran.returncode:
        raise SystemExit(ran.stderr)
    return ran.stdout


def kubectl(cluster, *arguments, text=None):
    return subprocess.run(["kubectl", "--kubeconfig", cluster.kubeconfig, *arguments], input=text, capture_output=True, text=True, check=False)
