"""The prohibitions of the command's process, and the secrets in its memory, for processes that it serves and starts."""
from serve_client import *

CLUSTER = {"kubernetes": {"namespace": "train", "users": [{"name": "launcher", "token": "launcher-token"}],
                          "pods": [{"name": "a-{i}", "count": 2, "labels": {"app": "a"}, "host_ips": ["10.1.0.2"]}]}}
PLUGIN = "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}"
CREDENTIAL = '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"launcher-token"}}'
TOKEN = "token-of-the-parent"
LOOK = "tr '\\0' '\\n' < /proc/$PPID/environ | grep ACCESS; echo looked"


class Sessions(Command):
    """A client's `environment` replaces the process's, but cannot allow anything that the process forbids."""

    def setUp(self):
        self.simulate(CLUSTER)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text, mode=0o600):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def ask(self, target, given, **own):
        child = Child(self.environment(**own))
        self.addCleanup(child.close)
        child.ask(request(0, "initialize", protocol=1, options={"environment": given, "retries": 0}))
        return json.dumps(child.ask(request(1, "resolve", targets=[target], timeout=20)))

    def ask_by_plugin(self, given, **own):
        with open(self.sim.environment["KUBECONFIG"]) as file:
            text = re.sub(r"(?m)^    token: .*$", "    " + PLUGIN, file.read())
        self.write("plugin", f"#!/bin/sh\necho '{CREDENTIAL}'\n", 0o700)
        return self.ask(f"kubernetes:train,job.worker=app=a,kubeconfig={self.write('config', text)}", given, **own)

    def test_exec_plugins(self):
        for given in ({}, {"ROLLCALL_EXEC_PLUGINS": "always"}, {"ROLLCALL_EXEC_PLUGINS": ""}):
            self.assertIn("ROLLCALL_EXEC_PLUGINS is never", self.ask_by_plugin(given, ROLLCALL_EXEC_PLUGINS="never"))
        self.assertIn("ROLLCALL_EXEC_PLUGINS is never", self.ask_by_plugin({"ROLLCALL_EXEC_PLUGINS": "never"}))
        self.assertIn("10.1.0.2", self.ask_by_plugin({}))

    def test_executables(self):
        account = {"type": "external_account", "audience": "//iam.googleapis.com/x", "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
                   "token_url": "https://127.0.0.1:1/token", "credential_source": {"executable": {"command": "/bin/false"}}}
        path = self.write("account.json", json.dumps(account))
        allowed = {"GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES": "1"}
        target = "tpu:n,project=p,zone=z,endpoint=https://127.0.0.1:1/"
        for given, own, runs in ((allowed, {}, False), ({}, allowed, False), (allowed, allowed, True)):
            reported = self.ask(target, {"GOOGLE_APPLICATION_CREDENTIALS": path, **given}, **own)
            self.assertEqual("ALLOW_EXECUTABLES is not 1" not in reported, runs, reported)
            self.assertEqual("ended with exit code 1" in reported, runs, reported)


class Parents(Command):
    """A started program finds no token in its parent."""

    def looked(self, done):
        self.assertIn("looked", done.stdout + done.stderr)
        self.assertNotIn(TOKEN, done.stdout + done.stderr)

    def test_of_exec(self):
        for words in (("--on-preempt", "USR1"), ("--restart-on", "lost")):
            self.looked(self.run_it("exec", "simple:job.worker=10.0.0.1:1", "--task", "worker:0", *words, "--", "sh", "-c", LOOK,
                                    ROLLCALL_ACCESS_TOKEN=TOKEN))

    def test_of_a_hook(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write('{"worker": ["10.0.0.1:1"]}')
            file.flush()
            process = self.begin("watch", "file:" + file.name, "--exec", LOOK, ROLLCALL_ACCESS_TOKEN=TOKEN)
            said = "".join(lines_until(process.stderr, "looked"))
            self.assertIn("looked", said)
            self.assertNotIn(TOKEN, said)

    def test_the_token_is_used_all_the_same(self):
        self.simulate(CLOUD)
        done = self.run_it("spec", "tpu:trainer", "-v", ROLLCALL_ACCESS_TOKEN=TOKEN)
        self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipIf(os.getuid() != 0, "as another user, whom only root can become")
    def test_the_memory_of_a_parent_is_closed(self):
        look = "head -c 1 /proc/$PPID/environ; head -c 1 /proc/$PPID/maps"
        done = subprocess.run([ROLLCALL, "exec", "simple:job.worker=10.0.0.1:1", "--task", "worker:0", "--on-preempt", "USR1", "--", "sh", "-c", look],
                              user=65534, group=65534, extra_groups=[], env=self.environment(), capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.stderr.count("Permission denied"), 2, done.stderr)


if __name__ == "__main__":
    unittest.main()
