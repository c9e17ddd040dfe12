"""Version, help, completion and manual, as the shells and man see them."""
import shutil
import signal
import tempfile

from support import *


CTRL_U = b"\x15"  # all typed characters are removed again


class Words(Command):
    def test_version(self):
        for words in (["--version"], ["-V"], ["spec", "--version"]):
            done = self.run_it(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            first, *libraries = done.stdout.splitlines()
            self.assertRegex(first, r"^rollcall \d+\.\d+\.\d+$")
            self.assertEqual([line.split()[0] for line in libraries],
                             ["OpenSSL", "gRPC", "c-ares", "nghttp2", "zlib", "protobuf", "libyaml", "fmt", "Boost", "Asio", "glibc", "libstdc++"])
            for line in libraries:
                self.assertRegex(line, r"^\S+ \d[\w.-]* \((static|shared|headers)\)(, compiled by .*(GCC|Clang) .+)?$")

    def test_help(self):
        for words in (["--help"], ["help"], ["spec", "--help"], ["help", "spec"], ["sim", "-h"], ["help", "targets"], ["help", "environment"],
                      ["help", "exit-codes"]):
            done = self.run_it(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.isascii() and done.stdout.endswith("\n"))
        self.assertEqual(self.run_it("help").stdout, self.run_it("--help").stdout)
        self.assertIn("Examples:", self.run_it("help", "spec").stdout)
        self.assertIn("rollcall help spec", self.run_it("spec", "--help").stdout)
        self.assertIn("ROLLCALL_TARGET", self.run_it("help", "environment").stdout)

    def test_help_explains_one_thing_at_a_time(self):
        self.assertEqual(self.run_it("help", "help").stdout, self.run_it("help").stdout)
        self.assertEqual(self.run_it("help", "spec", "--help").stdout, self.run_it("help", "spec").stdout)
        for words in (["spec", "wait"], ["targets", "spec"], ["spec", "targets"]):
            done = self.run_it("help", *words)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (2, "", f"rollcall: help explains one command or topic at a time: try rollcall help {words[0]}\n"))

    def test_help_of_targets_names_the_default_selector(self):
        self.assertIn("job-name=tensorflow", self.run_it("help", "targets").stdout)

    def test_help_is_as_wide_as_the_terminal(self):
        for words in (["help", "exec"], ["exec", "--help"], ["help", "targets"]):
            code, shown = self.on_terminal(*words, columns=60)
            self.assertEqual(code, 0)
            texts = [line for line in shown.replace("\r", "").splitlines() if not line.endswith("\\")]
            self.assertTrue(all(len(line) <= 60 or " " not in line.strip() or "'" in line for line in texts), shown)

    def test_no_command(self):
        for words in ([], ["spce"], ["--nonsense"], ["tpu:trainer"], ["completion", "csh"], ["completion"]):
            done = self.run_it(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertEqual(done.stderr.count("\n"), 1)

    def bash(self, *lines, **variables):
        """The content of bash's COMPREPLY for lines whose last word is being typed, a row each."""
        script = 'source <("$0" completion bash); complete_line() { COMP_LINE="$1"; COMP_POINT=${#1}; _rollcall 2>/dev/null; echo "${COMPREPLY[*]}"; }\n'
        script += "".join(f"complete_line '{ROLLCALL} {line}'\n" for line in lines)
        done = subprocess.run(["bash", "-c", script, ROLLCALL], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE,
                              env=self.environment(**variables))
        return done.stdout.splitlines()

    def test_bash_completion(self):
        self.assertEqual(self.bash("stat", "spec --tim", "spec --format js", "spec tp", "spec --timeout ", "wait tpu:x,zo", "wait --until state,re", "wait --until=st"),
                         ["status", "--timeout", "json", "tpu:", "", "x,zone=", "state,reachable", "state"])

    def complete_at_a_terminal(self, shell, setup):
        """Types into a real shell; each piece is completed before the next one is typed."""
        typed = ((setup, b"\n", rb"\n[^\n>]*> $"), ("rollcall spec tpu:x,zo", b"\t", rb"zone=$"), ("us-central2-b --form", b"\t", rb"--format $"), ("js", b"\t", rb"json $"))
        pid, terminal = pty.fork()
        if pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # it may be ignored where the tests run
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))  # a terminal redraws a line that does not fit again and again
            path = os.path.dirname(os.path.abspath(ROLLCALL)) + ":" + os.environ["PATH"]
            os.execvpe(shell[0], shell, {**self.environment(), "HOME": "/", "PATH": path, "PS1": "> ", "TERM": "dumb"})
        shown = b""

        def show_until(pattern):
            nonlocal shown
            while not re.search(pattern, re.sub(rb"\x1b\[\?2004[hl]|\r", b"", shown)):
                ready, _, _ = select.select([terminal], [], [], PATIENCE)
                self.assertTrue(ready, shown)
                shown += os.read(terminal, 65536)

        show_until(rb"> $")
        for text, key, then in typed:
            shown = b""
            os.write(terminal, text.encode() + key)
            show_until(then)
        os.write(terminal, CTRL_U + b"exit\n")  # an interrupt may come while the shell still completes, and is lost then
        os.waitpid(pid, 0)
        os.close(terminal)

    def test_a_real_bash_at_a_terminal(self):
        self.complete_at_a_terminal(["bash", "--norc", "--noprofile", "-i"], f"source <({ROLLCALL} completion bash)")

    def test_a_real_zsh_at_a_terminal(self):
        if not shutil.which("zsh"):
            self.skipTest("zsh is not installed")
        self.complete_at_a_terminal(["zsh", "-f", "-i"], f"autoload -Uz compinit; compinit -u -D; source <({ROLLCALL} completion zsh); PS1='> '")

    def test_names_are_searched_once_a_minute(self):
        self.simulate({"project": "p", "zone": "z", "nodes": [{"name": name, "accelerator_type": "v4-8"} for name in ("trainer", "trailer", "other")]})
        with tempfile.TemporaryDirectory() as folder:
            cache = {"XDG_CACHE_HOME": folder}
            # A search without time finds nothing, and is not cached.
            rows = next(rows for _ in range(60) if all(rows := self.bash("spec tpu:tra", "spec tpu:o", **cache)))
            self.assertEqual([sorted(row.split()) for row in rows], [["trailer,project=p,zone=z", "trainer,project=p,zone=z"], ["other,project=p,zone=z"]])
            self.sim.stop()
            self.assertEqual(sorted(self.bash("spec tpu:tra", **cache)[0].split()), ["trailer,project=p,zone=z", "trainer,project=p,zone=z"])
            kept, = os.listdir(folder + "/rollcall")
            os.utime(f"{folder}/rollcall/{kept}", (0, 0))
            self.assertEqual(self.bash("spec tpu:tra", **cache), [""])
            self.assertEqual(self.run_it("complete", "--", "spec", "tpu:tra", XDG_CACHE_HOME="/proc/none").returncode, 0)

    def test_names_are_searched_as_the_options_before_say(self):
        self.simulate({"project": "p", "zone": "z", "nodes": [{"name": "trainer", "accelerator_type": "v4-8"}]})
        nobodys_token = {name: "127.0.0.1:1" for name in ("GCE_METADATA_HOST", "GCE_METADATA_IP", "GCE_METADATA_ROOT")}
        with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile("w") as token:
            token.write("a-token")
            token.flush()
            place = {"XDG_CACHE_HOME": folder, **nobodys_token}
            lines = [f"spec --project p --zone z {option} tpu:tra" for option in (f"--token-file {token.name}", f"--token-file={token.name}")]
            rows = next((rows for _ in range(60) if all(rows := self.bash(*lines, **place))), [])
            self.assertEqual(rows, ["trainer,project=p,zone=z"] * 2)
            self.assertEqual(self.bash("spec --project p --zone z tpu:tra", **place), [""])
            self.bash(f"spec --project p --zone z --token-file {token.name} --proxy http://me:secret@127.0.0.1:1 tpu:tra", **place)
            kept = [open(os.path.join(folder, "rollcall", name)).read() for name in os.listdir(os.path.join(folder, "rollcall"))]
            self.assertTrue(kept and not any("secret" in text for text in kept), kept)

    def test_other_shells_accept_their_scripts(self):
        for shell in ("zsh", "fish"):
            with self.subTest(shell=shell):
                if not shutil.which(shell):
                    self.skipTest(f"{shell} is not installed")
                script = self.run_it("completion", shell).stdout
                done = subprocess.run([shell, "-n"], input=script, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_fish_completion(self):
        if not shutil.which("fish"):
            self.skipTest("fish is not installed")
        for line, offered in (("stat", ["status"]), ("spec --format js", ["json"]), ("spec tpu:x,zo", ["tpu:x,zone="]), ("wait --until state,re", ["state,reachable"])):
            script = f"{ROLLCALL} completion fish | source; complete -C '{ROLLCALL} {line}'"
            done = subprocess.run(["fish", "--no-config", "-c", script], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=PATIENCE, env=self.environment())
            self.assertEqual([row.split("\t")[0] for row in done.stdout.splitlines()], offered, done.stderr)

    def test_manual(self):
        page = self.run_it("man")
        self.assertEqual(page.returncode, 0)
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=page.stdout, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_targets_need_no_quotes_in_a_shell(self):
        done = subprocess.run(["bash", "-c", '"$0" spec simple:job.worker=10.0.0.1:8470+[fd00::1]:8470,job.ps=c:3', ROLLCALL], stdout=subprocess.PIPE, text=True, timeout=PATIENCE)
        self.assertEqual(done.stdout, "worker 0 10.0.0.1:8470\nworker 1 [fd00::1]:8470\nps     0 c:3\n")


if __name__ == "__main__":
    main()
