"""`rollcall preflight TARGET`: members that probe each other, on loopback addresses of one machine each; and evidence that is judged again."""
import socket

from json_schema import Schema
from support import *

SCHEMA = Schema(read_json(os.path.join(HERE, "../../docs/output.schema.json")), knows_all=True)
FOUR = "simple:job.worker=127.0.0.1:{0}+127.0.0.2:{0}+127.0.0.3:{0}+127.0.0.4:{0}"


class ClusterPreflight(Command):
    def setUp(self):
        super().setUp()
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.target = FOUR.format(self.port)

    def environment(self, **variables):
        return super().environment(**{"NO_GCE_CHECK": "true", **variables})

    def member(self, index, *words):
        return self.start("preflight", self.target, "--task", f"worker:{index}", "--no-nvml", "--checks", "kernel", "--format", "json", *words)

    def short(self):
        """A time-out in which members meet that come."""
        return "--timeout", f"{3 * self.slowness()}s"

    def verdicts(self, processes, code):
        answers = []
        for process in processes:
            out, error = process.communicate(timeout=120)
            self.assertEqual(process.returncode, code, out + error)
            answers.append(json.loads(out))
            self.assertEqual(list(SCHEMA.faults(answers[-1], "preflight")), [])
        return answers

    def test_healthy_members_pass_and_leave_their_ports(self):
        answers = self.verdicts([self.member(index) for index in range(4)], 0)
        for answer in answers:
            self.assertEqual((answer["passed"], answer["present"], answer["pairs_tested"], answer["findings"]), (True, 4, 12, []))
        for index in range(4):
            with socket.socket() as bound:
                bound.bind((f"127.0.0.{index + 1}", self.port))  # fails while a connection is in TIME_WAIT there

    def test_a_member_that_never_comes_is_named_and_its_evidence_is_judged_again(self):
        with tempfile.TemporaryDirectory() as folder:
            saved = os.path.join(folder, "evidence.json")
            short = self.short()
            processes = [self.member(0, *short, "--save", saved), self.member(1, *short), self.member(3, *short)]
            for answer in self.verdicts(processes, 118):
                finding, = answer["findings"]
                self.assertEqual((finding["check"], finding["action"], finding["members"][0]["index"]), ("absent", "start_process", 2))
            again = self.run_it("preflight", "--judge", saved, "--format", "json")
            self.assertEqual(again.returncode, 118, again.stderr)
            self.assertEqual(json.loads(again.stdout)["findings"], [finding])

    def test_a_member_whose_port_is_taken_says_so(self):
        with socket.create_server(("127.0.0.3", self.port)):
            short = self.short()
            answers = self.verdicts([self.member(index, *short) for index in range(4)], 118)
        for answer in answers:
            self.assertIn(f"worker 2 ({socket.gethostname()}): port {self.port} of this host is not free", json.dumps(answer["findings"]))

    def test_bandwidth_is_measured_in_rounds_between_hosts(self):
        with tempfile.TemporaryDirectory() as folder:
            processes = []
            for index in range(4):
                os.makedirs(f"{folder}/{index}/proc/sys/kernel")
                for name, text in (("hostname", f"n{index}"), ("osrelease", "6.1.0")):
                    with open(f"{folder}/{index}/proc/sys/kernel/{name}", "w", encoding="utf-8") as file:
                        file.write(text + "\n")
                processes.append(self.member(index, "--checks", "kernel,bandwidth", "--machine-root", f"{folder}/{index}", *(("--save", f"{folder}/evidence") if index == 0 else ())))
            answers = []
            for process in processes:  # on one machine the measures say little
                out, error = process.communicate(timeout=120)
                self.assertIn(process.returncode, (0, 118), out + error)
                answers.append(json.loads(out))
            evidence = read_json(f"{folder}/evidence")
        self.assertEqual([answer["passed"] for answer in answers], [answers[0]["passed"]] * 4)
        self.assertEqual(evidence["bandwidth"], "yes")
        for member in evidence["members"]:
            self.assertGreaterEqual(len(member["measures"]), 2)
            self.assertTrue(all(measure["bytes_per_second"] > 10**6 for measure in member["measures"]))

    def test_a_stranger_does_not_learn_the_run(self):
        process = self.member(0, "--timeout", "1m")
        lines_until(process.stderr, "1/4 here")
        with socket.create_connection(("127.0.0.1", self.port), 10) as stranger:
            stranger.sendall(b"PUT /v1/preflight/a/small/0/0 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            answer = stranger.recv(4096)
            with self.assertRaises(ConnectionResetError):  # nothing stays on the port
                answer += stranger.recv(4096)
        process.kill()
        process.communicate()
        self.assertEqual(answer, b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 8\r\n\r\nrollcall")

    def secret(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".secret")
        self.addCleanup(file.close)
        file.write(text)
        file.flush()
        return file.name

    def test_members_that_share_a_secret_pass_and_one_with_another_is_named(self):
        right, wrong = self.secret("a secret of that many bytes\nsecond line\n"), self.secret("another secret of that size")
        for answer in self.verdicts([self.member(index, "--secret-file", right) for index in range(4)], 0):
            self.assertTrue(answer["authenticated"])
        short = self.short()
        processes = [self.member(index, *short, "--secret-file", wrong if index == 2 else right) for index in range(4)]
        answers = self.verdicts(processes, 118)
        for index in (0, 1, 3):
            finding, = answers[index]["findings"]
            self.assertEqual((finding["check"], finding["members"][0]["index"]), ("identity", 2))
            self.assertIn("worker 2, at 127.0.0.1, has another secret", finding["text"])

    def test_a_secret_that_cannot_be_used_is_refused_and_not_shown(self):
        for words, text in ((["--secret-file", self.secret("tooshort-51a9\n")], "has 13 bytes, and the secret of a meeting at least 16"),
                            (["--secret-file", "/nonexistent"], "cannot read '/nonexistent'")):
            done = self.run_it("preflight", self.target, "--task", "worker:0", "--checks", "kernel", "--no-nvml", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(text, done.stderr)
            self.assertNotIn("51a9", done.stderr)

    def start_checked(self, index, *words):
        return self.start("exec", self.target, "--task", f"worker:{index}", "--preflight", "--checks", "kernel", *words, "--", "sh", "-c", "echo started $ROLLCALL_TASK_INDEX")

    def test_a_program_starts_behind_the_verdict_of_all(self):
        for words in ((), ("--barrier",)):
            processes = [self.start_checked(index, *words) for index in range(4)]
            for index, process in enumerate(processes):
                out, error = process.communicate(timeout=120)
                self.assertEqual((process.returncode, out), (0, f"started {index}\n"), error)
                self.assertIn("rollcall: preflight: passed, 4 of 4 members are there, 12 of 12 ways between them tested", error)

    def test_progress_as_json_and_none(self):
        forms = [("--progress", "json"), ("--progress", "none"), ("--log", "json"), ("--progress", "lines")]
        for index, process in [(index, self.start_checked(index, *form)) for index, form in enumerate(forms)]:
            _, error = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, error)
            objects = [json.loads(line) for line in error.splitlines() if line.startswith("{")]
            found = [line for line in objects if line.get("stage") == "preflight"]
            for line in found:
                self.assertEqual(list(SCHEMA.faults(line, "barrier")), [])
            self.assertEqual([line["total"] for line in found][-1:], [4] if "json" in forms[index] else [])
            self.assertEqual("rollcall: preflight: members probed" in error, index == 3)

    def test_addresses_without_ports_meet_at_the_port_for_all(self):
        target = self.target.replace(f":{self.port}", "")
        processes = [self.start("exec", target, "--task", f"worker:{index}", "--preflight", "--preflight-port", str(self.port), "--checks", "kernel", "--", "true") for index in range(4)]
        for process in processes:
            out, error = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 0, out + error)

    def test_no_program_starts_where_one_is_missing(self):
        short = self.short()
        processes = [self.start_checked(index, *short, "--quiet") for index in (0, 1, 3)]
        for process in processes:
            out, error = process.communicate(timeout=120)
            self.assertEqual((process.returncode, out), (118, ""), error)
            self.assertIn("worker 2", error)
            self.assertIn("rollcall: the preflight failed: sh is not started", error)

    def test_what_fails_here_fails_before_the_others_are_met(self):
        for code, words, text in ((112, ["--checks", "kernel"], "--checks needs --preflight"),
                                  (112, ["--preflight-port", "29500"], "--preflight-port needs --preflight"), (112, ["--preflight", "--restart-on", "lost"], "--preflight cannot be used with --restart-on"),
                                  (112, ["--preflight", "--checks", "kernle"], "'kernle' is no check"),
                                  (111, ["--preflight"], "must know which one it is")):
            done = self.run_it("exec", self.target.replace("127.0.0.", "198.51.100."), *words, "--", "true")
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
            self.assertIn(text, done.stderr)

    def test_wrong_usage(self):
        for words, text in (([self.target, "--judge", "x"], "--judge takes no target"), (["--save", "x"], "need a target"),
                            (["--task", "worker:0"], "need a target"), (["--preflight-port", "29500"], "need a target"), ([self.target, "--preflight-port", "0"], "'0' is no port"), (["--secret-file", __file__], "need a target"), ([self.target, "--task", "worker:9"], "worker:9"),
                            (["simple:job.worker=127.0.0.1+127.0.0.2", "--task", "worker:0"], "no port")):
            done = self.run_it("preflight", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
            self.assertIn(text, done.stderr)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            for text, words in (('{"format":"rollcall preflight 1","members":[]}', "has no members"), ('{"members":NaN}', "is not JSON")):
                file.seek(0)
                file.truncate()
                file.write(text)
                file.flush()
                done = self.run_it("preflight", "--judge", file.name)
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr)
                self.assertIn("--save", done.stderr)


if __name__ == "__main__":
    main()
