"""Version, help, completion and manual, as the shells and man see them."""
import shutil

from support import *


class Words(Command):
    def test_version(self):
        for words in (["--version"], ["-V"], ["spec", "--version"]):
            done = self.run_it(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            first, *libraries = done.stdout.splitlines()
            self.assertRegex(first, r"^rollcall \d+\.\d+\.\d+$")
            self.assertEqual([line.split()[0] for line in libraries],
                             ["OpenSSL", "gRPC", "c-ares", "zlib", "protobuf", "libyaml", "fmt", "Boost", "Asio", "glibc", "libstdc++"])
            for line in libraries:
                self.assertRegex(line, r"^\S+ \d[\w.-]* \((static|shared|headers)\)(, compiled by .*(GCC|Clang) .+)?$")

    def test_help(self):
        for words in (["--help"], ["help"], ["spec", "--help"], ["help", "spec"], ["sim", "-h"]):
            done = self.run_it(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("Examples:", done.stdout)
        self.assertEqual(self.run_it("help", "spec").stdout, self.run_it("spec", "--help").stdout)

    def test_no_command(self):
        for words in ([], ["spce"], ["--nonsense"], ["tpu:trainer"], ["completion", "csh"], ["completion"]):
            done = self.run_it(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_bash_completion(self):
        script = '''source <("$0" completion bash)
            complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rollcall; echo "${COMPREPLY[*]}"; }
            complete_words rollcall sp
            complete_words rollcall spec --tim
            complete_words rollcall spec --format js
            complete_words rollcall spec tp
            complete_words rollcall spec --timeout ""'''
        done = subprocess.run(["bash", "-c", script, ROLLCALL], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
        self.assertEqual(done.stdout.splitlines(), ["spec", "--timeout", "json", "tpu:", ""], done.stderr)

    def test_other_shells_accept_their_scripts(self):
        for shell in ("zsh", "fish"):
            if shutil.which(shell):
                script = self.run_it("completion", shell).stdout
                done = subprocess.run([shell, "-n"], input=script, stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

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
