"""A kubeconfig whose user has an exec plugin: real programs against `rollcall sim`, both correct and faulty ones."""
import shlex

from support import *

CLUSTER = {"kubernetes": {"namespace": "train", "users": [{"name": "launcher", "token": "launcher-token"}],
                          "pods": [{"name": "a-{i}", "count": 2, "labels": {"app": "a"}, "host_ips": ["10.1.0.2"]}]}}
TARGET = "kubernetes:train,job.worker=app=a"
VERSION = "client.authentication.k8s.io/v1"
GOOD = '{"kind":"ExecCredential","apiVersion":"%s","status":{"token":"launcher-token"}}' % VERSION


class ExecPlugin(Command):
    def setUp(self):
        self.simulate(CLUSTER)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.original = self.sim.environment["KUBECONFIG"]

    def path(self, name):
        return os.path.join(self.folder, name)

    def plug(self, script, mode="IfAvailable", change=lambda text: text):
        """From now on this shell script, beside the kubeconfig, makes the user's credentials."""
        with open(self.path("plugin"), "w") as file:
            file.write("#!/bin/sh\n" + script + "\n")
        os.chmod(self.path("plugin"), 0o700)
        with open(self.original) as file:
            text = file.read()
        plugin = f"exec: {{apiVersion: {VERSION}, command: ./plugin, args: [one, 'two three'], interactiveMode: {mode}, installHint: 'get it there'}}"
        text, count = re.subn(r"(?m)^    token: .*$", "    " + plugin, text)
        self.assertEqual(count, 1)
        with open(self.path("config"), "w") as file:
            file.write(change(text))
        os.chmod(self.path("config"), 0o600)
        self.sim.environment["KUBECONFIG"] = self.path("config")

    def refused(self, *words, **variables):
        done = self.run_it("spec", TARGET, *words, **variables)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertEqual(done.stdout, "")
        self.assertNotIn("hush", done.stderr)
        self.assertIn("the exec plugin '" + self.folder, done.stderr)
        return done.stderr

    def test_its_token_is_sent(self):
        self.plug(f"""printf '%s\\n' "$@" "${{ROLLCALL_ACCESS_TOKEN-none}}" "$KUBERNETES_EXEC_INFO" >> {shlex.quote(self.path("record"))}; cat; echo '{GOOD}'""")
        self.assertIn("10.1.0.2:8470", self.spec(TARGET, ROLLCALL_ACCESS_TOKEN="other-token"))
        with open(self.path("record")) as file:
            *words, info = file.read().splitlines()
        self.assertEqual(words, ["one", "two three", "none"])  # once, for two requests
        self.assertEqual(json.loads(info), {"kind": "ExecCredential", "apiVersion": VERSION, "spec": {"interactive": False}})

    def test_it_fails(self):
        self.plug("echo first >&2; echo please log in, token=hush >&2; exit 3")
        self.assertIn("failed with exit code 3: first | please log in, token=***", self.refused())
        self.plug("kill -SEGV $$")
        self.assertIn("was ended by signal 11", self.refused())
        self.plug("exec no-such-program-anywhere 2>/dev/null")
        self.assertIn("get it there", self.refused())

    def test_it_is_not_there(self):
        self.plug("")
        os.unlink(self.path("plugin"))
        self.assertIn("there is no such program", self.refused())
        self.assertIn("get it there", self.refused())
        self.plug("")
        os.chmod(self.path("plugin"), 0o600)
        self.assertIn("Permission denied", self.refused())

    def test_what_it_prints(self):
        self.plug("echo hush")
        self.assertIn("did not print a credential", self.refused())
        self.plug(f"echo '{GOOD}' | sed s/v1/v1beta1/")
        self.assertIn("answered in version", self.refused())
        self.plug("cat /dev/zero")
        self.assertIn("prints more than 1048576 bytes", self.refused())

    def test_what_it_leaves_behind_is_not_waited_for(self):
        os.mkfifo(self.path("stop"))
        self.plug(f"(read line < {shlex.quote(self.path('stop'))}) & echo '{GOOD}'")
        self.assertIn("10.1.0.2:8470", self.spec(TARGET))
        with open(self.path("stop"), "w"):  # opens when the process that was left behind still reads
            pass

    def test_it_hangs_and_heeds_nothing(self):
        os.mkfifo(self.path("alive"))
        alive = os.open(self.path("alive"), os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, alive)
        self.plug(f"exec 3>{shlex.quote(self.path('alive'))}; trap '' TERM INT; echo >&3; (tail -f /dev/null) & tail -f /dev/null")
        self.assertIn("did not end within", self.refused("--timeout", "1s"))
        os.set_blocking(alive, True)
        self.assertEqual(os.read(alive, 100), b"\n")
        self.assertEqual(os.read(alive, 100), b"")  # every process with the other end has gone

    def test_a_signal_ends_it(self):
        os.mkfifo(self.path("alive"))
        alive = os.open(self.path("alive"), os.O_RDWR)
        self.addCleanup(os.close, alive)
        self.plug(f"echo > {shlex.quote(self.path('alive'))}; exec tail -f /dev/null")
        process = self.start("spec", TARGET)
        self.assertEqual(os.read(alive, 100), b"\n")
        self.interrupt(process)

    def test_it_asks_the_user(self):
        self.plug(f"""printf 'code: ' >&2; read -r code; test "$code" = 7 && echo '{GOOD}'""")
        self.assertIn("failed with exit code 1: code:", self.refused())
        status, shown = self.on_terminal("spec", TARGET, keys=[(b"code: ", b"7\n")])
        self.assertEqual(status, 0, shown)
        self.assertIn("10.1.0.2:8470", shown)
        self.plug(f"echo '{GOOD}'", mode="Always")
        self.assertIn("there is no terminal to ask at", self.refused())
        self.plug(f"read -r x; test -z \"$x\" && echo '{GOOD}'", mode="Never")
        status, shown = self.on_terminal("spec", TARGET)
        self.assertEqual(status, 0, shown)

    def test_plugins_can_be_forbidden(self):
        self.plug(f"touch {shlex.quote(self.path('ran'))}; echo '{GOOD}'")
        self.assertIn("ROLLCALL_EXEC_PLUGINS is never", self.refused(ROLLCALL_EXEC_PLUGINS="never"))
        self.assertFalse(os.path.exists(self.path("ran")))

    def test_a_server_that_is_not_verified(self):
        self.plug(f"echo '{GOOD}'", change=lambda text: re.sub("certificate-authority-data: .*", "insecure-skip-tls-verify: true", text))
        done = self.run_it("spec", TARGET)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"\Arollcall: warning: the certificate of https://[^ ]+ is not verified .*\n\Z")
        self.assertIn("is not verified", self.run_it("spec", TARGET, "--verbose").stderr)
        self.plug(f"echo '{GOOD}'", change=lambda text: text.replace("certificate-authority-data:", "insecure-skip-tls-verify: true\n    certificate-authority-data:"))
        done = self.run_it("spec", TARGET)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("has a certificate-authority, and insecure-skip-tls-verify", done.stderr)


main()
