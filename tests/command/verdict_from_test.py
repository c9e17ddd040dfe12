"""`rollcall preflight --verdict-from CMD`: scripts stand for other programs."""
import shlex
import socket
import time

from json_schema import Schema
from support import *

SCHEMA = Schema(read_json(os.path.join(HERE, "../../docs/output.schema.json")), knows_all=True)
DIAGNOSTIC = {"DCGM Diagnostic": {"test_categories": [{"category": "Hardware", "tests": [
    {"name": "memory", "results": [{"entity_group": "GPU", "entity_group_id": 1, "entity_id": 3, "status": "Fail", "warnings": [{"error_id": 29, "warning": "row remapping failed"}]}],
     "test_summary": {"status": "Fail"}}]}]}}
HEALTH = {"overall_severity": "WARNING", "affected": [{"category": "GPU", "check_ids": ["gpu_power_limit"], "entities": ["GPU-5c1f"], "max_severity": "WARNING"}]}


class VerdictFrom(Command):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def environment(self, **variables):
        return super().environment(**{"NO_GCE_CHECK": "true", "VERDICT_FROM_TEST": self.folder, **variables})

    def script(self, name, text):
        path = f"{self.folder}/{name}"
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text + "\n")
        os.chmod(path, 0o755)
        return path

    def verdict(self, *commands, code=118, words=(), **variables):
        words = [*words, *(word for command in commands for word in ("--verdict-from", command))]
        done = self.run_it("preflight", "--checks", "kernel", "--no-nvml", "--format", "json", *words, **variables)
        self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout)
        answer = json.loads(done.stdout)
        self.assertEqual(list(SCHEMA.faults(answer, "preflight")), [])
        return [(one["check"], one["severity"], one["text"].split(" ", 1)[1]) for one in answer["findings"]]

    def check_nothing_is_left(self):
        self.check_none_left("VERDICT_FROM_TEST", self.folder)

    def test_each_form(self):
        dcgmi = self.script("dcgmi", f"printf %s {shlex.quote(json.dumps(DIAGNOSTIC))}; exit 226")
        nvhv = self.script("nvhv", f"printf '%s\\n' {shlex.quote(json.dumps(HEALTH))}")
        nhc = self.script("nhc", "echo 'ERROR:  nhc:  Health check failed:  check_fs_mount:  /data not mounted'; exit 1")
        disk = self.script("check_disk", "echo \"DISK CRITICAL - $1 | /data=99%\"; exit 2")
        own = self.script("own", "echo no quorum >&2; exit 3")
        found = self.verdict(f"{dcgmi} diag -r 1 -j", nvhv, nhc, f"nagios:{disk} '/data is full'", own, "true", f"nagios:{self.script('check_ok', 'echo OK')}")
        self.assertEqual(found, [
            ("others/dcgmi", "failure", "gpu 3: dcgmi says: memory failed: row remapping failed"), ("others/nhc", "failure", "nhc says: check_fs_mount:  /data not mounted"),
            ("others/check_disk", "failure", "check_disk says: DISK CRITICAL - /data is full"), ("others/own", "failure", "own ended with exit code 3: no quorum"),
            ("others/nvhv", "warning", "GPU-5c1f: nvhv says WARNING of gpu_power_limit")])
        self.check_nothing_is_left()

    def test_a_host_that_all_find_healthy_passes(self):
        self.assertEqual(self.verdict("true", "nagios:true", "A=1 sh -c 'echo fine; exit $((A - 1))'", code=0), [])
        self.assertEqual(self.verdict("nagios:false", code=0), [("others/false", "warning", "false ended with exit code 1")])

    def test_a_command_that_hangs_is_ended_with_its_children(self):
        hanging = self.script("hanging", "trap '' TERM\nsleep 1000 & sleep 1000; sleep 1000")
        began = time.monotonic()
        (check, severity, text), = self.verdict(hanging, words=("--timeout", "2s"))
        self.assertEqual((check, severity), ("others/hanging", "failure"))
        # What is left of four fifths of the time-out.
        self.assertRegex(text, r"^hanging did not end within (1\.[0-6] s|[1-9]\d{0,2} ms), and was ended$")
        self.assertLess(time.monotonic() - began, PATIENCE / 2)
        self.check_nothing_is_left()

    def test_a_command_that_ends_leaves_no_child(self):
        self.assertEqual(self.verdict(self.script("leaving", "sleep 1000 & echo fine"), code=0), [])
        self.check_nothing_is_left()

    def test_a_child_that_ignores_the_end_is_killed(self):
        began = time.monotonic()
        script = self.script("leaving", f"mkfifo {self.folder}/ready; (trap '' TERM; echo >{self.folder}/ready; while :; do sleep 1000; done) & read -r _ <{self.folder}/ready; echo fine; exit 4")
        self.assertEqual(self.verdict(script), [("others/leaving", "failure", "leaving ended with exit code 4: fine")])
        self.assertLess(time.monotonic() - began, PATIENCE / 2)
        self.check_nothing_is_left()

    def test_two_commands_of_one_program_have_names_of_their_own(self):
        disk = self.script("check_disk", "echo $2 is full; exit 2")
        self.assertEqual(self.verdict(f"nagios:{disk} -c /data", f"nagios:{disk} -c /scratch"),
                         [("others/check_disk /data", "failure", "check_disk /data says: /data is full"), ("others/check_disk /scratch", "failure", "check_disk /scratch says: /scratch is full")])

    def test_a_command_that_prints_too_much(self):
        self.assertEqual(self.verdict("yes"), [("others/yes", "failure", "yes printed more than 1 MiB, and was ended")])
        self.check_nothing_is_left()

    def test_a_command_that_cannot_be_started(self):
        (check, severity, text), = self.verdict("nonesuch-health-check -j")
        self.assertEqual((check, severity), ("others/nonesuch-health-check", "failure"))
        self.assertRegex(text, r"^nonesuch-health-check could not be started \(exit code 127\): .*not found$")

    def test_garbage_and_secrets(self):
        (_, _, text), = self.verdict(self.script("half", "printf '{\"overall_severity\":\"PA'"))
        self.assertIn("half prints what begins as JSON and is none (", text)
        self.assertIn("; it ended with exit code 0", text)
        (_, _, text), = self.verdict(self.script("bytes", r"printf '\033[31m\377\001token=ya29.a0AfH6SMBxxxxxxxxxxx\n'; exit 1"))
        self.assertNotIn("ya29", text)
        self.assertTrue(text.isprintable(), text)

    def test_the_token_stays_here(self):
        self.assertEqual(self.verdict("test -z \"$ROLLCALL_ACCESS_TOKEN\"", code=0, ROLLCALL_ACCESS_TOKEN="hidden-token"), [])

    def test_all_of_a_cluster_hear_what_one_found(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            target = f"simple:job.worker=127.0.0.1:{free.getsockname()[1]}+127.0.0.2:{free.getsockname()[1]}"
        bad = self.script("own", "echo no quorum; exit 3")
        processes = [self.start("preflight", target, "--task", f"worker:{index}", "--checks", "kernel", "--format", "json", "--quiet", "--verdict-from", ("true", bad)[index]) for index in range(2)]
        for process in processes:
            out, error = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 118, error)
            finding, = json.loads(out)["findings"]
            self.assertEqual((finding["check"], finding["members"][0]["index"]), ("others/own", 1))
            self.assertTrue(finding["text"].endswith(": own ended with exit code 3: no quorum"), finding["text"])
        started = [self.start("exec", target, "--task", f"worker:{index}", "--preflight", "--checks", "kernel", "--verdict-from", ("true", bad)[index], "--", "echo", "started") for index in range(2)]
        for process in started:
            out, error = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, out), (118, ""), error)
            self.assertIn("own ended with exit code 3: no quorum", error)

    def test_a_daemon_that_is_not_there_or_does_not_answer(self):
        self.assertEqual(self.verdict(f"nvhcd:unix://{self.folder}/none", code=0), [("others/nvhcd", "warning", f"nvhcd gave no verdict: unix://{self.folder}/none: there is no such socket")])
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(f"{self.folder}/left")
        self.assertEqual(self.verdict(f"nvhcd:unix://{self.folder}/left", code=0)[0][2], f"nvhcd gave no verdict: unix://{self.folder}/left: connection refused")
        with socket.socket(socket.AF_UNIX) as mute:
            mute.bind(f"{self.folder}/mute")
            mute.listen()
            (check, severity, text), = self.verdict(f"nvhcd:unix://{self.folder}/mute --group gpu", code=0, words=("--timeout", "1s"))
            self.assertEqual((check, severity), ("others/nvhcd", "warning"))
            # What is left of four fifths of the time-out.
            self.assertRegex(text, f"^nvhcd gave no verdict: unix://{self.folder}/mute did not answer within [1-8][0-9]{{0,2}} ms$")

    def test_wrong_usage(self):
        for words, text in ((["--verdict-from", ""], "empty"), (["--verdict-from", "nagios:"], "a command for a verdict is empty"),
                            (["--verdict-from", "nvhcd:/run/nvhcd.sock"], "write nvhcd:unix:///PATH"),
                            (["--verdict-from", "true"] * 9, "9 commands for verdicts are too many: at most 8")):
            done = self.run_it("preflight", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(text, done.stderr)
        done = self.run_it("exec", "simple:job.worker=127.0.0.1:1", "--verdict-from", "true", "--", "true")
        self.assertEqual(done.returncode, 112)
        self.assertIn("--verdict-from needs --preflight", done.stderr)


if __name__ == "__main__":
    main()
