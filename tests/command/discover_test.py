"""`rollcall discover`: tables, lines of JSON, filters, orders, missing parts."""
from support import *

PLACES = {
    "project": "p",
    "zone": "us-central2-b",
    "unreachable_zones": ["us-east1-d"],
    "nodes": [
        {"name": "n-{i}", "count": 12, "accelerator_type": "v4-8", "endpoints": {"base": "10.0.0.1"}},
        {"name": "pod", "accelerator_type": "v4-32", "endpoints": {"base": "10.1.0.1"}},
        {"name": "young", "zone": "us-west4-a", "accelerator_type": "v5litepod-4", "state": "CREATING"},
    ],
    "queued_resources": [{"name": "ms", "zone": "us-west4-a", "slices": 2, "state": "WAITING_FOR_RESOURCES"}],
    "compute": {"instances": [{"name": "w-{i}", "count": 2}], "groups": [{"name": "workers", "named_ports": {"grpc": 8470}}]},
    "kubernetes": {"namespace": "train", "pods": [{"kind": "job_set", "name": "trainer", "count": 2}]},
}


class Discover(Case):
    cloud = PLACES

    def discover(self, *words, code=0, **variables):
        done = self.run_it("discover", *words, **variables)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout


class Output(Discover):
    def test_a_pipe_gets_lines_of_json(self):
        lines = self.discover("--zone", "us-central2-b,us-west4-a").splitlines()
        finds = {(find["kind"], find["name"]): find for find in map(json.loads, lines)}
        self.assertEqual(len(finds), 16)
        self.assertEqual(finds["tpu", "pod"], {
            "kind": "tpu", "name": "pod", "project": "p", "zone": "us-central2-b", "target": "tpu:pod,project=p,zone=us-central2-b",
            "state": "READY", "health": "HEALTHY", "accelerator_type": "v4-32", "members": 4,
            "addresses": ["10.1.0.1:8470", "10.1.0.2:8470", "10.1.0.3:8470", "10.1.0.4:8470"], "queued_resource": "",
            "namespace": "", "workload": "", "expected_source": ""})
        self.assertEqual(finds["queued-resource", "ms"]["target"], "tpu:qr/ms,project=p,zone=us-west4-a")
        self.assertEqual(finds["instance-group", "workers"]["target"], "gce:workers,project=p,zone=us-central2-b,named_port=grpc")

    def test_a_table(self):
        self.assertEqual(self.discover("--format", "text", "--zone", "us-west4-a", "--columns", "kind,name,state,members,target", "--sort", "name"),
                         "KIND             NAME   STATE                  MEMBERS  TARGET\n"
                         "queued-resource  ms     WAITING_FOR_RESOURCES  2        tpu:qr/ms,project=p,zone=us-west4-a\n"
                         "tpu              young  CREATING               1        tpu:young,project=p,zone=us-west4-a\n")

    def test_the_usual_columns(self):
        self.assertEqual(self.discover("-f", "text", "--kind", "tpu", "--filter", "name=pod", "-z", "us-central2-b"),
                         "KIND  STATE  HEALTH   TYPE   MEMBERS  ADDRESSES        TARGET\n"
                         "tpu   READY  HEALTHY  v4-32  4        10.1.0.1:8470+3  tpu:pod,project=p,zone=us-central2-b\n")

    def test_the_jobs_of_a_cluster(self):
        self.assertEqual(self.discover("-n", "train", "-f", "text", "--columns", "namespace,name,type,state,members,target"),
                         "NAMESPACE  NAME     TYPE    STATE    MEMBERS  TARGET\n"
                         "train      trainer  JobSet  Running  2        "
                         "kubernetes:train,job.worker=jobset.sigs.k8s.io/jobset-name=trainer\n")
        [find] = map(json.loads, self.discover("--kind", "job").splitlines())
        self.assertEqual((find["kind"], find["name"], find["namespace"], find["workload"]), ("job", "trainer", "train", "JobSet"))
        self.assertEqual(self.run_it("spec", find["target"]).stdout.splitlines()[0], f"worker 0 {find['addresses'][0]}")
        self.assertEqual(self.discover("-n", "Bad", code=2), "")

    def test_a_terminal_gets_a_table(self):
        code, shown = self.on_terminal("discover", "--kind", "tpu", "--zone", "us-west4-a")
        self.assertEqual(code, 0, shown)
        self.assertIn("\x1b[1mKIND ", shown)
        self.assertIn("tpu:young,project=p,zone=us-west4-a", shown)

    def test_a_terminal_gets_a_table_that_fits_it_in_order(self):
        code, shown = self.on_terminal("discover", "--kind", "tpu", "--zone", "us-central2-b", NO_COLOR="1")
        lines = [line for line in shown.replace("\r\x1b[K", "").splitlines() if line.startswith(("KIND", "STATE", "tpu", "READY"))]
        self.assertEqual(code, 0, shown)
        self.assertGreater(len(lines), 10, shown)
        self.assertTrue(all(len(line) <= 80 for line in lines), shown)
        self.assertLess(shown.index("tpu:n-2,"), shown.index("tpu:n-10,"))

    def test_orders(self):
        names = [json.loads(line)["name"] for line in self.discover("--kind", "tpu", "-z", "us-central2-b", "--sort", "-type,name").splitlines()]
        self.assertEqual(names, ["pod"] + [f"n-{i}" for i in range(12)])
        names = [json.loads(line)["name"] for line in self.discover("--kind", "tpu", "-z", "us-central2-b", "--sort", "members,-name").splitlines()]
        self.assertEqual(names, [f"n-{i}" for i in reversed(range(12))] + ["pod"])

    def test_filters(self):
        lines = self.discover("--filter", "kind=tpu", "--filter", "name=n-1*+pod", "--filter", "type!=v4-32", "-z", "us-central2-b").splitlines()
        self.assertEqual(sorted(json.loads(line)["name"] for line in lines), ["n-1", "n-10", "n-11"])
        done = self.run_it("discover", "--zone", "us-west4-a", "--filter", "state=READY")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", "rollcall: nothing was found\n"))
        done = self.run_it("discover", "--zone", "us-west1-c")
        self.assertIn("--kind job", done.stderr)

    def test_targets_found_feed_the_other_commands(self):
        targets = "".join(json.loads(line)["target"] + "\n" for line in self.discover("--kind", "tpu", "-z", "us-central2-b").splitlines())
        done = self.run_it("spec", "--targets-from", "-", stdin=targets)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 16)


class Nowhere(Command):
    def test_what_was_looked_for_on_this_machine(self):
        self.simulate({"metadata": False})
        done = self.run_it("discover", "--format", "text")
        self.assertIn("found no cluster that this process belongs to (tfconfig: TF_CONFIG is not set; sagemaker: SM_HOSTS is not set", done.stderr)
        self.assertIn("slurm: SLURM_PROCID is not set", done.stderr)
        done = self.run_it("discover", "--format", "text", SM_HOSTS='["algo-1"]', SM_CURRENT_HOST="algo-1")
        self.assertIn("this process is in a cluster itself, which rollcall spec auto: shows (sagemaker: SM_HOSTS and SM_CURRENT_HOST are set)",
                      done.stderr)
        done = self.run_it("discover", "--format", "text", "--project", "p", "--zone", "z")
        self.assertNotIn("TF_CONFIG", done.stderr)


class Missing(Discover):
    def test_a_zone_that_does_not_answer(self):
        done = self.run_it("discover", "--kind", "tpu")
        self.assertEqual(done.returncode, 5)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(lines), 15)
        failure = [line for line in lines if line["kind"] == "failure"][0]
        self.assertEqual((failure["code"], failure["http_status"]), ("unavailable", 200))
        self.assertIn("TPUs of project 'p', all zones: 'us-east1-d' did not answer", done.stderr)
        self.assertEqual(self.run_it("discover", "--kind", "tpu", "--partial").returncode, 6)

    def test_a_project_that_must_not_be_seen(self):
        done = self.run_it("discover", "--project", "p,other", "-z", "us-west4-a", "--kind", "tpu", "--partial", "--format", "text")
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 2)
        self.assertIn("TPUs of project 'other', zone 'us-west4-a': ", done.stderr)
        done = self.run_it("discover", "--project", "other", "-z", "us-west4-a", "--kind", "tpu", "--partial")
        self.assertEqual(done.returncode, 4)

    def test_nobody_there(self):
        done = self.run_it("discover", "--retries", "0", "--kind", "tpu", CLOUDSDK_API_ENDPOINT_OVERRIDES_TPU="http://127.0.0.1:1/")
        self.assertEqual(done.returncode, 5, done.stderr)


    def test_what_all_lists_lack_is_said_once(self):
        nowhere = {"GCE_METADATA_HOST": "127.0.0.1:1", "GCE_METADATA_IP": "127.0.0.1:1", "GCE_METADATA_ROOT": "127.0.0.1:1"}
        done = self.run_it("discover", "--project", "p", "--retries", "0", **nowhere)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertEqual(len(done.stdout.splitlines()), 3)  # a program gets all of them
        self.assertEqual(done.stderr.count("no access token"), 1, done.stderr)


class Listed(Discover):
    def listed(self, *words, lines, code=0):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write("\n".join(lines) + "\n")
            file.flush()
            done = self.run_it("discover", "--targets-from", file.name, *words)
        self.assertEqual(done.returncode, code, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_a_context_says_where_to_search_beside_them(self):
        found, missing = sorted(self.listed("--context", "nope", lines=["simple:job.worker=a:1"], code=1), key=lambda find: find["kind"], reverse=True)
        self.assertEqual((found["kind"], missing["kind"]), ("target", "failure"))
        self.assertIn("no context 'nope'", missing["message"])

    def test_targets_of_a_file(self):
        finds = self.listed(lines=["tpu:pod", "simple:job.worker=a:1+b:2"])
        self.assertEqual(sorted((find["kind"], find["target"], find["members"]) for find in finds),
                         [("target", "simple:job.worker=a:1+b:2", 2), ("target", "tpu:pod", 4)])

    def test_beside_a_search(self):
        finds = self.listed("--kind", "queued-resource", "--zone", "us-west4-a", lines=["tpu:pod"])
        self.assertEqual(sorted(find["kind"] for find in finds), ["queued-resource", "target"])

    def test_a_bad_one(self):
        finds = self.listed("--partial", lines=["tpu:pod", "tpu:nobody"], code=6)
        self.assertEqual(sorted(find["kind"] for find in finds), ["failure", "target"])
        self.assertEqual([find["target"] for find in finds if find["kind"] == "failure"], ["tpu:nobody"])


class Usage(Discover):
    def refused(self, *words):
        done = self.run_it("discover", *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        return done.stderr

    def test_misspellings(self):
        self.assertIn("did you mean state?", self.refused("--columns", "stat"))
        self.assertIn("did you mean members?", self.refused("--sort", "-member"))
        self.assertIn("did you mean state=?", self.refused("--filter", "stat=READY"))
        self.assertIn("did you mean tpu?", self.refused("--kind", "tpus"))
        self.assertIn("'a/b' is not a project", self.refused("--project", "a/b"))
        self.assertIn("a value is empty", self.refused("--zone", "a,,b"))
        self.assertIn("unexpected argument 'tpu:x'", self.refused("tpu:x"))


class Signals(Case):
    cloud = {"project": "p", "nodes": [{"name": "n"}], "faults": [{"match": {"route": "queuedResources.list"}, "fault": "stall"}]}

    def test_ctrl_c(self):
        process = self.start("discover", "--timeout", "10m")
        self.assertEqual(json.loads(process.stdout.readline())["name"], "n")  # finds come before the search has ended
        self.assertEqual(self.interrupt(process)[1], "rollcall: interrupted\n")


if __name__ == "__main__":
    main()
