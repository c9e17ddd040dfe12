"""`rollcall spec kubernetes:…` against examples/kubernetes.json, as a user types it: by the kubeconfig that `rollcall sim` exports."""
from support import *

TRAINER = "jobset.sigs.k8s.io/jobset-name=trainer"


def at_rest():
    """The example without the late pod and the later failure, which other tests cover."""
    document = read_json(os.path.join(EXAMPLES, "kubernetes.json"))
    pods = document["kubernetes"]["pods"]
    del pods[0]["except"], pods[2]["timeline"]
    pods[0]["count"] = 12
    pods.append({"kind": "replica_set", "name": "slow", "count": 2, "labels": {"app": "slow"}, "running_after": 3600})
    return document


class Pods(Case):
    cloud = at_rest()

    def test_pods_in_the_order_of_their_indices(self):
        lines = [line.split() for line in self.spec(f"kubernetes:train,job.worker={TRAINER},address=pod").splitlines()]
        self.assertEqual([line[:2] for line in lines], [["worker", str(i)] for i in range(12)])
        self.assertEqual([line[2] for line in lines], [f"10.4.0.{2 + i}:8470" for i in range(12)])

    def test_the_order_of_names_is_tensorflows(self):
        by_name = self.spec(f"kubernetes:train,job.worker={TRAINER},address=pod,order=name").split()[2::3]
        self.assertEqual(by_name[:3], ["10.4.0.2:8470", "10.4.0.3:8470", "10.4.0.12:8470"])  # 0, 1, 10

    def test_hosts_families_ports_jobs_and_ones_own_namespace(self):
        reported = json.loads(self.spec(f"kubernetes:.,job.worker={TRAINER},job.ps=app=ps,port=2222", "--format", "json"))["cluster"]
        self.assertEqual(reported["ps"], ["10.128.1.2:2222", "10.128.1.3:2222"])
        self.assertEqual(len(reported["worker"]), 12)
        self.assertIn("[fd00:10:4:1::2]:8470", self.spec(f"kubernetes:train,job.worker={TRAINER},address=pod,family=ipv6"))

    def test_several_selectors_and_one_without_pods(self):
        reported = json.loads(self.spec(f"kubernetes:train,job.all=app=ps+app=eval,job.none=app=nobody", "--format", "json"))["cluster"]
        self.assertEqual((len(reported["all"]), reported["none"]), (3, {}))

    def test_what_is_wrong_is_said(self):
        for target, code, words in [
                ("kubernetes:train,job.w=app=slow", 1, ["slow-", "Pending"]),
                ("kubernetes:,job.w=app=ps", 4, ["pods", "list", "kind: ClusterRole"]),
                ("kubernetes:tools,job.w=app=ps", 4, ["'tools'", "kind: Role", "verbs: [list, watch]"]),
                ("kubernetes:train,job.w=app%20in%20(", 1, ["HTTP 400", "unable to parse requirement"]),
                ("kubernetes:Train", 2, ["'Train' is not a namespace"]),
                ("kubernetes:train,port=0", 2, ["port='0' is not a port"]),
                ("kubernetes:train,context=nobody", 1, ["'nobody'"]),
                ("kubernetes:train,kubeconfig=/nowhere/config", 1, ["/nowhere/config"]),
        ]:
            done = self.run_it("spec", target)
            self.assertEqual((done.returncode, done.stdout), (code, ""), target + ": " + done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)
            self.assertNotIn("launcher-token", done.stderr)

    def test_what_keeps_from_asking_is_not_taken_for_the_answer(self):
        with open(self.sim.environment["KUBECONFIG"]) as file:
            text = re.sub(r"(?m)^( *)token: .*$", r"\1tokenFile: none", file.read())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kubeconfig")
            with open(path, "w") as file:
                file.write(text)
            for command in ("spec", "devices"):
                for target in (f"kubernetes:train,job.worker={TRAINER}", "kubernetes:train/jobset/trainer"):
                    done = self.run_it(command, target, KUBECONFIG=path)
                    self.assertEqual((done.returncode, done.stdout), (4, ""), done.stderr)
                    self.assertIn(f"token file: cannot read '{folder}/none'", done.stderr)
        self.assertIn("JobSet 'no' in namespace 'train' does not exist", self.run_it("devices", "kubernetes:train/jobset/no").stderr)


if __name__ == "__main__":
    main()
