"""A client and a service of different versions. ROLLCALL_LAST_RELEASE is the command of the last release, as its tarball has it; without it nothing is tried."""
import urllib.parse

from fleet_test import PLACE, Serving
from support import *

LAST_RELEASE = os.environ.get("ROLLCALL_LAST_RELEASE")


class TwoVersions:
    """Tests of a service by one command and clients by another. The cloud is simulated by the new one."""

    service_program = client_program = None

    def program(self, words):
        return self.service_program if words[0] == "serve" else self.client_program

    def test_the_answers_are_those_without_a_service(self):
        self.serve()
        for words in (["spec", "tpu:trainer"], ["spec", "tpu:trainer", "--format", "json"], ["spec", "tpu:trainer", "simple:job.ps=10.9.0.1:1"], ["status", "tpu:trainer"],
                      ["wait", "tpu:trainer"], ["spec", "tpu:trainee"], ["wait", "tpu:trainee"], ["spec", "tpu:gone"], ["wait", "tpu:gone"], ["why", "tpu:gone"],
                      ["hosts", "tpu:trainer"], ["flags", "tpu:trainer", "--as", "torchrun", "--task", "worker:1"]):
            with self.subTest(words):
                direct, served = self.both(*words)
                self.assertEqual((direct.returncode, direct.stdout), (served.returncode, served.stdout), served.stderr)

    def test_status_in_json_has_the_members_and_states(self):
        self.serve()
        for target in ("tpu:trainer", "tpu:gone"):
            direct, served = (json.loads(one.stdout) for one in self.both("status", target, "--format", "json"))
            for key in ("ready", "total", "is_ready"):
                self.assertEqual(direct.get(key), served.get(key), (direct, served))
            states = [[(one.get("address"), one.get("state")) for one in said.get("members", [])] for said in (direct, served)]
            self.assertEqual(states[0], states[1])

    def test_a_wait_and_a_watch_end_when_the_cluster_is_ready(self):
        self.serve()
        watch = self.begin("watch", "tpu:late", "--format", "json")
        waiting = self.start("wait", "tpu:late")
        changes = [json.loads(line)["change"] for line in lines_until(watch.stdout, "cluster_ready")]
        self.assertEqual(changes[-1], "cluster_ready")
        out, err = waiting.communicate(timeout=PATIENCE)
        self.assertEqual(waiting.returncode, 0, err)
        self.assertIn("10.1.0.1", out)

    def test_what_does_not_exist_yet_is_waited_for(self):
        self.serve()
        done = self.run_it("wait", "tpu:made", "--for-existence", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("10.2.0.1:8470", done.stdout)

    def test_a_program_gets_the_generation(self):
        self.serve()
        reported = json.load(self.get(f"/v1/clusters/{urllib.parse.quote('tpu:trainer' + PLACE, safe='')}"))["generation"]
        served = self.run_it("exec", "tpu:trainer", "--task", "worker:0", "--", "sh", "-c", "echo $ROLLCALL_GENERATION")
        self.assertEqual(served.stdout, f"{reported}\n", served.stderr)

    def test_the_list_of_clusters(self):
        self.serve()
        self.get("/v1/clusters/tpu:trainer" + PLACE).read()
        listed = self.run_it("fleet", "--format", "json")
        self.assertEqual([(one["target"], one["ready"]) for one in json.loads(listed.stdout)["clusters"]], [("tpu:trainer" + PLACE, 4)], listed.stderr)

    def test_tasks_meet_at_the_service(self):
        self.serve()
        target = "simple:job.worker=192.0.2.1:1+192.0.2.2:1"
        program = [sys.executable, "-c", "import os; print(os.environ['ROLLCALL_TASK_INDEX'], os.environ['ROLLCALL_GENERATION'])"]
        for index, task in enumerate([self.start("exec", target, "--task", f"worker:{index}", "--barrier", "--", *program) for index in range(2)]):
            out, err = task.communicate(timeout=PATIENCE)
            self.assertEqual((task.returncode, out), (0, f"{index} 1\n"), err)


class NewClientsOfTheLastService(TwoVersions, Serving):
    service_program, client_program = LAST_RELEASE, ROLLCALL


class LastClientsOfTheNewService(TwoVersions, Serving):
    service_program, client_program = ROLLCALL, LAST_RELEASE


class Upgrade(Serving):
    """The service is replaced while a client of either version waits."""

    def test_a_new_service_takes_over(self):
        for client in (LAST_RELEASE, ROLLCALL):
            with self.subTest(client):
                services = []
                for program in (LAST_RELEASE, ROLLCALL):
                    self.program = lambda _words, program=program: program
                    services.append((self.serve(), self.url))
                self.program = lambda _words: client
                waiting = self.start("wait", "tpu:late", ROLLCALL_SERVER=",".join(url for _, url in services))
                services[0][0].kill()
                out, err = waiting.communicate(timeout=PATIENCE)
                self.assertEqual(waiting.returncode, 0, err)
                self.assertIn("10.1.0.1", out)


if __name__ == "__main__":
    if not LAST_RELEASE:
        print("skipped: ROLLCALL_LAST_RELEASE names no command of the last release")
        sys.exit(77)
    main()
