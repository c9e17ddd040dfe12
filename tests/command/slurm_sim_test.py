"""Slurm jobs against `rollcall sim`, as a user types it: by the address and the token that it exports."""
import http.client
from urllib.parse import urlsplit

from support import *

EXAMPLE = os.path.join(EXAMPLES, "slurm.json")


class Jobs(Command):
    def job(self, name):
        return f"slurm:job/{name},restd={self.sim.environment['ROLLCALL_SIM_SLURM']}"

    def test_a_pending_job_names_the_drained_nodes_and_then_runs(self):
        self.simulate(EXAMPLE)
        first = self.run_it("status", self.job(7))
        self.assertIn("n3 is drained by bob: gpu 3 fell off the bus (Xid 79); n4 is drained by bob: bad PSU, ticket 4711", first.stdout)
        waited = self.run_it("wait", self.job(7), "--timeout", "1m")
        self.assertEqual((waited.returncode, waited.stdout), (0, "worker 0 n1:8888\nworker 1 n2:8888\nworker 2 n3:8888\n"))
        self.assertEqual(self.run_it("hosts", self.job("train"), "--format", "deepspeed").stdout, "n1 slots=8\nn2 slots=8\nn3 slots=8\n")
        self.assertEqual(self.sim.stop(), 0)
        self.assertRegex(self.sim.counts, r"(?m)^ +\d+ slurm\.job$")

    def test_why_and_watch(self):
        self.simulate(EXAMPLE)
        why = self.run_it("why", self.job(9))
        self.assertIn("drained by bob: bad PSU, ticket 4711 (node n4)", why.stdout)
        self.assertIn("scontrol update nodename=", why.stdout)
        self.assertNotIn("pod", why.stdout)
        watch = self.start("watch", self.job(7))
        seen = ""
        while "is ready: 3 members" not in seen:
            line = watch.stdout.readline()
            self.assertTrue(line, seen)
            seen += line
        self.assertIn("worker 2 (n3:8888) joined", seen)
        watch.terminate()
        watch.communicate(timeout=PATIENCE)

    def test_the_address_with_a_certificate_authority(self):
        with tempfile.TemporaryDirectory() as folder:
            authority = os.path.join(folder, "ca.pem")
            self.simulate({"slurm": {"nodes": [{"name": "n1"}], "jobs": [{"id": 7, "nodes": "n1", "state": "RUNNING"}]}}, "--ca-out", authority)
            self.assertTrue(self.sim.environment["ROLLCALL_SIM_SLURM"].startswith("https://"))
            done = self.run_it("status", self.job(7), "--ca", authority)
            self.assertIn("1/1 ready", done.stdout)

    def test_devices_of_a_job_without_gpus(self):
        self.simulate({"slurm": {"nodes": [{"name": "n1"}], "jobs": [
            {"id": 7, "nodes": "n1", "state": "RUNNING"},
            {"id": 8, "node_count": 2, "tres_per_node": "gres/gpu:h100:8", "reason": "Priority"}]}})
        for job, why in ((7, "slurm:job/7 has no GPUs from Slurm"), (8, "slurm:job/8 waits for its nodes; it asks for 16 GPUs")):
            done = self.run_it("devices", self.job(job))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(why, done.stderr)

    def test_a_token_is_refused_in_slurms_words(self):
        self.simulate({"slurm": {"jobs": [{"id": 7}]}})
        server = urlsplit(self.sim.environment["ROLLCALL_SIM_SLURM"])
        connection = http.client.HTTPConnection(server.hostname, server.port, timeout=PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", "/slurm/v0.0.42/jobs", headers={"X-SLURM-USER-NAME": "alice", "X-SLURM-USER-TOKEN": "abc"})
        answer = connection.getresponse()
        self.assertEqual(answer.status, 511)
        self.assertEqual(json.loads(answer.read())["errors"][0]["error_number"], 1007)
        self.assertEqual(self.run_it("status", self.job(7), SLURM_JWT="").returncode, 4)

    def test_a_service_follows_jobs_by_its_own_settings(self):
        self.simulate(EXAMPLE)
        direct = dict(self.sim.environment)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with open(os.path.join(folder.name, "jwt"), "w", encoding="utf-8") as file:
            file.write(direct["SLURM_JWT"])
        os.chmod(os.path.join(folder.name, "jwt"), 0o600)
        config = os.path.join(folder.name, "fleet.json")
        with open(config, "w", encoding="utf-8") as file:
            slurm = {"restd": direct["ROLLCALL_SIM_SLURM"], "token_file": "jwt"}
            json.dump({"listen": ["127.0.0.1:0"], "slurm": [slurm], "follow": [{"slurm": {}}]}, file)
        checked = self.run_it("serve", "--config", config, "--check")
        self.assertIn(f"slurm    {slurm['restd']}, token {folder.name}/jwt\nclients", checked.stdout.replace("follow", "clients", 1))
        service = self.begin("serve", "--config", config, SLURM_JWT="")
        url = exports(service.stdout.readline())["ROLLCALL_SERVER"]
        waited = self.run_it("wait", "slurm:job/7", "--timeout", "1m", ROLLCALL_SERVER=url, SLURM_JWT="")
        self.assertEqual((waited.returncode, waited.stdout), (0, "worker 0 n1:8888\nworker 1 n2:8888\nworker 2 n3:8888\n"))
        for job in (8, 9):
            served = self.run_it("status", f"slurm:job/{job}", ROLLCALL_SERVER=url, SLURM_JWT="")
            alone = self.run_it("status", self.job(job))
            self.assertEqual(served.stdout.split(": ", 1)[1], alone.stdout.split(": ", 1)[1])
        refused = self.run_it("status", "slurm:job/7,cluster=other", ROLLCALL_SERVER=url)
        self.assertIn("its cluster is 'cluster', not 'other'", refused.stdout + refused.stderr)

    def test_no_variables_without_a_cluster(self):
        self.simulate({})
        self.assertNotIn("SLURM_JWT", self.sim.environment)
        self.assertNotIn("ROLLCALL_SIM_SLURM", self.sim.environment)


if __name__ == "__main__":
    main()
