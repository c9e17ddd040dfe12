"""`rollcall doctor`: its table, its JSON, its exit codes, and that no secret is in either."""
import os
import stat
import tempfile

from support import *

NAMES = ["proxy", "credentials", "quota project", "token", "metadata server", "project", "zone", "name look-up", "connection", "TLS", "clock"]


class Doctor(Case):
    def doctor(self, *words, code=0, **variables):
        done = self.run_it("doctor", *words, **variables)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def checks(self, *words, code=0, **variables):
        report = json.loads(self.doctor(*words, "--format", "json", code=code, **variables))
        self.assertEqual(report["healthy"], code == 0)
        for check in report["checks"]:
            self.assertEqual(set(check), {"name", "outcome", "found", "hint", "took_ms"})
            self.assertIn(check["outcome"], ("pass", "warning", "fail", "skipped"))
        return {check["name"]: check for check in report["checks"]}

    def test_table(self):
        lines = self.doctor("tpu:trainer").splitlines()
        self.assertEqual([line[9:26].rstrip() for line in lines if line[:1] not in " 0123456789"][:4], [f"{n}" for n in NAMES[:4]])
        self.assertRegex(lines[-1], r"^\d+ of \d+ checks passed, \d+ skipped$")
        self.assertTrue(any(line.startswith("pass     target ") for line in lines), lines)

    def test_json(self):
        checks = self.checks("tpu:trainer")
        self.assertEqual(list(checks)[:len(NAMES)], NAMES)
        self.assertEqual({n: checks[n]["outcome"] for n in ("token", "metadata server", "name look-up", "connection", "permissions", "target")},
                         dict.fromkeys(("token", "metadata server", "name look-up", "connection", "permissions", "target"), "pass"))

    def test_without_target(self):
        checks = self.checks()
        self.assertEqual(checks["API"]["outcome"], "pass")
        self.assertEqual(next(iter(checks)), "cluster here")
        self.assertEqual(checks["cluster here"]["outcome"], "skipped")
        for variable in ("TF_CONFIG", "SM_HOSTS", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "TPU_WORKER_HOSTNAMES", "JOB_COMPLETION_INDEX"):
            self.assertIn(variable, checks["cluster here"]["found"])
        done = self.run_it("doctor", "--format", "json", SM_HOSTS='["algo-1"]', SM_CURRENT_HOST="algo-1")
        here = json.loads(done.stdout)["checks"][0]
        self.assertEqual((here["outcome"], here["found"]), ("pass", "sagemaker: SM_HOSTS and SM_CURRENT_HOST are set"))
        self.assertIn("rollcall doctor auto:", here["hint"])

    def test_a_failure_has_its_hint_below(self):
        out = self.doctor("tpu:nobody", code=1)
        lines = out.splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("FAIL     target"))
        self.assertTrue(lines[at + 1].startswith("         -> "), out)
        self.assertIn("1 failed", lines[-1])
        self.assertEqual(self.checks("tpu:nobody", code=1)["target"]["outcome"], "fail")

    def test_no_secret_is_printed_and_open_files_are_reported(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("secret-token-0123456789\n")
            file.flush()
            os.chmod(file.name, 0o644)
            checks = self.checks("tpu:trainer", "--token-file", file.name)
            self.assertEqual(checks["file mode"]["outcome"], "warning")
            self.assertNotIn("secret-token", json.dumps(checks))
            os.chmod(file.name, stat.S_IRUSR | stat.S_IWUSR)
            self.assertEqual(self.checks("tpu:trainer", "--token-file", file.name)["file mode"]["outcome"], "pass")

    def test_as_wide_as_the_terminal(self):
        code, shown = self.on_terminal("doctor", "tpu:nobody", columns=70, NO_COLOR="1")
        self.assertEqual(code, 1)
        self.assertIn("FAIL     target", shown)
        for line in re.split(r"[\r\n]+(?:\x1b\[K)?", shown):  # on a slow machine there are lines on what is awaited, each in place of the other
            self.assertTrue(len(line) <= 70 or len(line.split()[-1]) > 20, line)

    def test_members_that_nobody_asked_are_not_called_ready(self):
        self.assertEqual(self.checks("simple:job.worker=a:1+b:1")["target"]["found"], "2 of 2 members are listed, not asked")

    def test_a_target_that_matches_nothing_is_not_to_be_waited_for(self):
        self.simulate({"kubernetes": {"namespace": "train", "pods": [{"kind": "indexed_job", "name": "web", "count": 1, "labels": {"app": "web"}}]}})
        check = self.checks("kubernetes:train,job.worker=app=wbe")["target"]
        self.assertEqual((check["outcome"], check["hint"]),
                         ("warning", "the service answers, and knows nothing that belongs to the target: look at its names and selectors"))

    def test_wrong_usage(self):
        for words in (["trainer"], ["tpu:a", "tpu:b"], ["tpu:a,colour=red"]):
            self.doctor(*words, code=2)


if __name__ == "__main__":
    main()
