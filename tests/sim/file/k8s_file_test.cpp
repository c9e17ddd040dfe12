// The section `kubernetes` of a simulation file.
#include "sim/kubernetes/k8s_support.hpp"

namespace rollcall::sim {

namespace {

std::string problem(const std::string& kubernetes) {
  const auto cloud = Cloud::parse("{\"kubernetes\": " + kubernetes + "}", "cloud.json");
  return cloud ? std::string("none") : std::string(cloud.error().what());
}

std::string problem_of_pods(const std::string& pods) { return problem("{\"pods\": [" + pods + "]}"); }

boost::json::value pod(const std::string& entry, const std::string& name, double at = 0) {
  const auto cloud = kube_cloud(entry);
  const Reply reply = ask_kube(*cloud, pods_of("/" + name), at);
  INFO(reply.body);
  REQUIRE(reply.status == 200);
  return json_of(reply);
}

}  // namespace

TEST_CASE("k8s: mistakes in the file are reported with their position") {
  CHECK(problem("[]") == "cloud.json:1:16: kubernetes: expected an object, found an array");
  CHECK(problem_of_pods("{\"nmae\": \"a\"}") == "cloud.json:1:27: kubernetes.pods[0].nmae: unknown key, did you mean 'name'?");
  CHECK(problem_of_pods("{\"name\": \"a\", \"phase\": \"Runing\"}") ==
        "cloud.json:1:49: kubernetes.pods[0].phase: unknown phase 'Runing', did you mean 'Running'?");
  CHECK(problem_of_pods("{}") == "cloud.json:1:26: kubernetes.pods[0]: pods need a name");
  CHECK(problem_of_pods("{\"name\": \"a\"}, {\"name\": \"a\"}") ==
        "cloud.json:1:41: kubernetes.pods[1]: name: there are two pods default/a");
  CHECK(problem_of_pods("{\"name\": \"A\"}") == "cloud.json:1:26: kubernetes.pods[0]: name: A is no name of a pod");
  CHECK(problem_of_pods("{\"name\": \"a\", \"count\": 2}").ends_with("name: with a count the name must contain {i}"));
  CHECK(problem_of_pods("{\"name\": \"a\", \"groups\": 2}").ends_with("groups: only a job_set and a leader_worker_set have groups"));
  CHECK(problem_of_pods("{\"name\": \"a\", \"namespace\": \"a/b\"}")
            .ends_with("'a/b' is no namespace: expected at most 63 of a-z, 0-9 and -"));
  CHECK(problem_of_pods("{\"name\": \"a\", \"pod_ips\": [\"10.4.0\"]}").ends_with("pod_ips: '10.4.0' is no IP address"));
  CHECK(problem_of_pods("{\"name\": \"a-{i}\", \"count\": 9, \"host_ips\": [\"10.255.255.250\"]}").find("host_ips: the network of") !=
        std::string::npos);
  CHECK(
      problem_of_pods("{\"name\": \"a\", \"labels\": {\"-x\": \"1\"}}").find("kubernetes.pods[0].labels[\"-x\"]: name part must consist") !=
      std::string::npos);
  CHECK(problem_of_pods("{\"name\": \"a\", \"running_after\": 5, \"timeline\": [{\"at\": 3, \"phase\": \"Failed\"}]}")
            .ends_with("timeline: the first entry must not come before the pod is ready, at 5 s"));
  CHECK(problem_of_pods("{\"name\": \"a\", \"phase\": \"Failed\", \"running_after\": 5}").find("need a pod whose phase is Running") !=
        std::string::npos);
  CHECK(problem_of_pods("{\"name\": \"a\", \"except\": [{\"pod\": 1}]}")
            .ends_with("except: there is no pod 1, they are numbered from 0 to 0"));
  CHECK(problem("{\"users\": [{\"token\": \"x\"}]}").ends_with("kubernetes.users[0]: a user needs a name"));
  CHECK(problem("{\"users\": [{\"name\": \"x\", \"token\": \"t\", \"rules\": [{\"verbs\": [\"lst\"]}]}]}")
            .ends_with("unknown verb 'lst', did you mean 'list'?"));
  CHECK(problem("{\"version\": \"2\"}").ends_with("'2' is no version of Kubernetes: expected one such as \"1.34\""));
}

TEST_CASE("k8s: a small file cannot make a huge model") {
  const std::string text(4000, 'x');
  CHECK(problem_of_pods("{\"kind\": \"job\", \"name\": \"a\", \"count\": 100000, \"image\": \"" + text + "\"}")
            .ends_with("count: this would be too large"));
}

TEST_CASE("k8s: controllers name and label their pods") {
  const auto names = [](const std::string& entry) { return names_of_items(ask_kube(*kube_cloud(entry), pods_of())); };
  CHECK(names(R"({"kind": "stateful_set", "name": "web", "count": 2})") == std::vector<std::string>{"web-0", "web-1"});
  CHECK(names(R"({"kind": "leader_worker_set", "name": "lws", "count": 2, "groups": 2})") ==
        std::vector<std::string>{"lws-0", "lws-0-1", "lws-1", "lws-1-1"});
  const std::string job = names(R"({"kind": "indexed_job", "name": "j"})").at(0);
  CHECK(job.starts_with("j-0-"));
  CHECK(job.size() == 9);
  const auto labels = pod(R"({"kind": "indexed_job", "name": "j"})", job).at("metadata").at("labels");
  CHECK(labels.at("batch.kubernetes.io/job-completion-index") == "0");
  CHECK(labels.at("job-name") == "j");
  const auto lws = pod(R"({"kind": "leader_worker_set", "name": "lws", "count": 2})", "lws-0-1").at("metadata");
  CHECK(lws.at("labels").at("leaderworkerset.sigs.k8s.io/worker-index") == "1");
  CHECK(lws.at("annotations").at("leaderworkerset.sigs.k8s.io/leader-name") == "lws-0");
}

TEST_CASE("k8s: addresses, hosts, exceptions and raw values") {
  const std::string entry =
      R"({"name": "a-{i}", "count": 4, "pods_per_host": 2, "host_ips": ["10.0.0.1", "fd00::1"], "pod_ips": ["10.4.0.1"],
                                "labels": {"host": "{h}"}, "except": [{"pod": 2, "phase": "Pending", "waiting": "ImagePullBackOff"}],
                                "raw": {"spec": {"priority": 7, "dnsPolicy": null}, "metadata": {"labels": {"more": "yes"}}}})";
  const auto last = pod(entry, "a-3");
  CHECK(last.at("status").at("hostIP") == "10.0.0.2");
  CHECK(text_of(last.at("status").at("hostIPs")) == R"([{"ip":"10.0.0.2"},{"ip":"fd00::2"}])");
  CHECK(last.at("status").at("podIP") == "10.4.0.4");
  CHECK(last.at("metadata").at("labels").at("host") == "1");
  CHECK(last.at("spec").at("priority") == 7);
  CHECK_FALSE(last.at("spec").as_object().contains("dnsPolicy"));
  CHECK(names_of_items(ask_kube(*kube_cloud(entry), pods_of("?labelSelector=more%3Dyes"))).size() == 4);
  const auto ill = pod(entry, "a-2").at("status");
  CHECK(ill.at("phase") == "Pending");
  CHECK(ill.at("containerStatuses").at(0).at("state").at("waiting").at("reason") == "ImagePullBackOff");
  const auto net = pod(R"({"name": "n", "host_network": true})", "n");
  CHECK(net.at("status").at("podIP") == net.at("status").at("hostIP"));
  CHECK(pod(R"({"name": "late-{i}", "count": 3, "stagger": 10})", "late-1", 10).at("metadata").at("creationTimestamp") ==
        "2026-01-01T00:00:10Z");
}

}  // namespace rollcall::sim
