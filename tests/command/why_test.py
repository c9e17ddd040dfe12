"""`rollcall why`: groups of members and what holds them up; one line where only a state is known."""
from support import *

CLOUD = {
    "project": "p", "zone": "z",
    "nodes": [{"name": "ready", "accelerator_type": "v4-16", "endpoints": {"base": "10.0.0.1"}},
              {"name": "creating", "accelerator_type": "v4-16", "state": "CREATING"}],
    "kubernetes": {"namespace": "train", "pods": [{"kind": "indexed_job", "name": "web", "count": 2, "labels": {"app": "web"}}]}}


class Why(Case):
    cloud = CLOUD

    def why(self, *words, **variables):
        return self.run_it("why", *words, **variables)

    def test_all_ready_is_said_plainly(self):
        done = self.why("tpu:ready")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "tpu:ready: all 2 members are ready\n", ""))

    def test_a_state_is_one_line_for_its_group(self):
        done = self.why("tpu:creating")
        self.assertEqual((done.returncode, done.stderr), (7, ""))
        self.assertEqual(done.stdout, "tpu:creating: 0/2 ready\nworker 0-1: CREATING\n")

    def test_of_pods_that_are_ready_nothing_is_wrong(self):
        done = self.why("kubernetes:train,job.worker=app=web")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(": all 2 members are ready\n", done.stdout)

    def test_json(self):
        done = self.why("tpu:creating", "--format", "json")
        self.assertEqual(done.returncode, 7)
        why = json.loads(done.stdout)
        self.assertEqual((why["is_ready"], why["ready"], why["total"], why["warnings"], why["unread"]), (False, 0, 2, [], []))
        self.assertEqual([(one["members"], one["count"], one["state"], one["why"], one["causes"]) for one in why["groups"]],
                         [("worker 0-1", 2, "waiting", "CREATING", [])])
        self.assertEqual(why["status"]["phase"], "provisioning")

    def test_members_are_not_asked(self):
        done = self.why("tpu:ready", "--until", "reachable")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("why does not ask the members themselves", done.stderr)


if __name__ == "__main__":
    main()
