// The Kubernetes resolver in virtual time: its requests, its checks of pods, pages, and its explanations of refusals.
#include "resolvers/kubernetes/kubernetes_support.hpp"

using namespace rollcall;
using namespace rollcall::testing;
using Catch::Contains;

TEST_CASE("the default request is upstream's") {
  TestRuntime t;
  t.answer(200, list_json(pod_json("b", "10.0.0.2") + "," + pod_json("a", "10.0.0.1")));
  CHECK(workers_of(t) == "10.0.0.1:8470 10.0.0.2:8470");
  REQUIRE(t.transport->requests.size() == 1);
  const HttpRequest& asked = t.transport->requests[0];
  CHECK(asked.url.target == "/api/v1/pods?labelSelector=job-name%3Dtensorflow&limit=500");
  CHECK(asked.bearer.reveal() == "test-token");
  CHECK(asked.headers.get("accept") == "application/json");
}

TEST_CASE("a namespace, a path before the API, selectors that need escapes") {
  TestRuntime t;
  t.answer(200, list_json(""));
  KubernetesOptions options = at_test_server();
  options.api_server("https://k8s.test/k8s/clusters/c-1").namespace_name("train").job("worker", {"app in (a,b),tier!=x/y&z"});
  CHECK(workers_of(t, options).empty());
  CHECK(t.transport->requests.at(0).url.target ==
        "/k8s/clusters/c-1/api/v1/namespaces/train/pods?labelSelector=app%20in%20%28a%2Cb%29%2Ctier%21%3Dx%2Fy%26z&limit=500");
}

TEST_CASE("hostile namespaces, selectors and addresses are refused before a request is sent") {
  TestRuntime t;
  t.answer(200, list_json(""));
  for (const char* const name : {"a/b", "A", "-a", "a-", "a b", "..", "\n"}) {
    KubernetesOptions options = at_test_server();
    options.namespace_name(name);
    CHECK_THAT(workers_of(t, options), Contains("is not a namespace"));
  }
  for (const std::string& selector : {std::string("a=b\nHost: x"), std::string("a\0b", 3), std::string("\xff"), std::string(10'000, 'a')}) {
    KubernetesOptions options = at_test_server();
    options.job("worker", {selector});
    CHECK_THAT(workers_of(t, options), Contains("invalid_argument: the selector"));
  }
  for (const char* const server : {"k8s.test", "ftp://x", "https://x/?a=b", "https://user@x", "http://k8s.test:80"}) {
    KubernetesOptions options = at_test_server();
    options.api_server(server).credentials(static_token(Secret<std::string>("hush")));
    const std::string reported = workers_of(t, options);
    CHECK_THAT(reported, Contains("api_server") || Contains("refused_by_policy"));
    CHECK_THAT(reported, !Contains("hush"));
  }
  KubernetesOptions no_port = at_test_server();
  no_port.port(0);
  CHECK_THAT(workers_of(t, no_port), Contains("invalid_argument"));
  CHECK(t.transport->requests.empty());
}

TEST_CASE("plain http on loopback has credentials of its own") {
  TestRuntime t;
  t.answer(200, list_json(pod_json("a", "10.0.0.1")));
  KubernetesOptions options;
  options.api_server("http://127.0.0.1:8001");
  CHECK(workers_of(t, options) == "10.0.0.1:8470");
  CHECK(t.transport->requests.at(0).bearer.empty());
}

TEST_CASE("the first pod in order of names that does not run is named, with its reason") {
  TestRuntime t;
  const std::string why = R"(,"containerStatuses":[{"state":{"waiting":{"reason":"ErrImagePull"}}}])";
  t.answer(200,
           list_json(pod_json("c", "", "", "", "Failed") + "," + pod_json("b", "", "", why, "Pending") + "," + pod_json("a", "10.0.0.1")));
  const std::string reported = workers_of(t);
  CHECK_THAT(reported, Contains("not_ready: pod 'train/b' is Pending (ErrImagePull), not Running"));
  CHECK_THAT(reported, !Contains("'train/c'"));
}

TEST_CASE("a pod that is being deleted is skipped in every phase") {
  TestRuntime t;
  const std::string leaving = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";
  t.answer(200, list_json(pod_json("a", "10.0.0.1") + "," + pod_json("b", "10.0.0.2", leaving) + "," +
                          pod_json("c", "", leaving, "", "Failed")));
  CHECK(workers_of(t) == "10.0.0.1:8470");
}

TEST_CASE("a running pod without an address, with an invalid one, and without a phase") {
  TestRuntime t;
  t.transport->answers.clear();
  const auto reported = [&t](const std::string& pod) {
    t.transport->answers.clear();
    t.answer(200, list_json(pod));
    return workers_of(t);
  };
  CHECK_THAT(reported(pod_json("a", "")), Contains("malformed_response: pod 'train/a' is Running but has no hostIP"));
  CHECK_THAT(reported(pod_json("a", "10.0.0.1,evil:1")),
             Contains("malformed_response: pod 'train/a' has '10.0.0.1,evil:1' for an address"));
  CHECK_THAT(reported(pod_json("a", "10.0.0.1", "", "", "")), Contains("malformed_response: pod 'train/a' has no status.phase"));
  CHECK_THAT(reported(R"({"metadata":{"name":"a"}})"), Contains("has no status.phase"));
  CHECK_THAT(reported(R"({"metadata":{"name":7}})"), Contains("malformed_response: pods with 'job-name=tensorflow' in all namespaces"));
}

TEST_CASE("host or pod, and the family") {
  TestRuntime t;
  t.answer(200,
           list_json(pod_json("a", "10.0.0.1", "", R"(,"hostIPs":[{"ip":"10.0.0.1"},{"ip":"fd00::1"}],"podIPs":[{"ip":"10.8.0.1"}])")));
  KubernetesOptions options = at_test_server();
  CHECK(workers_of(t, options) == "10.0.0.1:8470");
  CHECK(workers_of(t, options.family(AddressFamily::ipv6)) == "[fd00::1]:8470");
  CHECK(workers_of(t, options.family(AddressFamily::ipv4).port(1)) == "10.0.0.1:1");
  CHECK(workers_of(t, options.address(PodAddress::pod)) == "10.8.0.1:1");
  CHECK_THAT(workers_of(t, options.family(AddressFamily::ipv6)),
             Contains("failed_precondition: pod 'train/a' has no IPv6 address, only 10.8.0.1"));
}

TEST_CASE("pages are followed to the last, empty ones too") {
  TestRuntime t;
  t.answer(200, list_json(pod_json("b", "10.0.0.2"), "p/2 +"));
  t.answer(200, list_json("", "p3"));
  t.answer(200, list_json(pod_json("a", "10.0.0.1")));
  CHECK(workers_of(t) == "10.0.0.1:8470 10.0.0.2:8470");
  REQUIRE(t.transport->requests.size() == 3);
  CHECK(t.transport->requests[1].url.target == "/api/v1/pods?labelSelector=job-name%3Dtensorflow&limit=500&continue=p%2F2%20%2B");
  CHECK(query_of(t.transport->requests[2], "continue") == "p3");
}

TEST_CASE("pages in circles and without end are bounded") {
  Limits limits;
  limits.max_pages = 5;
  TestRuntime t({}, limits);
  t.answer(200, list_json("", "again"));
  CHECK_THAT(workers_of(t), Contains("malformed_response") && Contains("came twice"));
  CHECK(t.transport->requests.size() == 2);
  int page = 0;
  t.transport->respond = [&page](const HttpRequest&) {
    return ScriptedTransport::Answer(ScriptedTransport::reply(200, list_json("", fmt::format("p{}", ++page))));
  };
  CHECK_THAT(workers_of(t), Contains("limit_exceeded") && Contains("more than 5 pages"));
  CHECK(page == 5);
}

TEST_CASE("how long a text of an answer may be is a limit of the runtime; what is only shown is cut") {
  const std::string talk = R"(,"conditions":[{"type":"PodScheduled","status":"False","message":")" + std::string(100'000, 'm') + R"("}])";
  TestRuntime t;
  t.answer(200, list_json(pod_json("a", "10.0.0.1", "", talk) + "," + pod_json(std::string(20'000, 'b'), "10.0.0.2")));
  CHECK(t.run(make_kubernetes_resolver(t.runtime, at_test_server())->cluster_status()).members.size() == 2);
  Limits limits;
  limits.max_string_bytes = 100;
  TestRuntime strict({}, limits);
  strict.answer(200, list_json(pod_json(std::string(101, 'a'), "10.0.0.1")));
  CHECK_THAT(workers_of(strict), Contains("limit_exceeded") && Contains("more than 100 bytes"));
}

TEST_CASE("an expired token starts the list again, in one piece") {
  TestRuntime t;
  t.answer(200, list_json(pod_json("old", "10.0.0.9"), "p2"));
  t.answer(410, status_json(410, "Expired", "The provided continue parameter is too old"));
  t.answer(200, list_json(pod_json("a", "10.0.0.1") + "," + pod_json("b", "10.0.0.2")));
  CHECK(workers_of(t) == "10.0.0.1:8470 10.0.0.2:8470");
  REQUIRE(t.transport->requests.size() == 3);
  CHECK(t.transport->requests[2].url.target == "/api/v1/pods?labelSelector=job-name%3Dtensorflow");
}

TEST_CASE("410 again, or without a token, is final") {
  TestRuntime t;
  t.answer(410, status_json(410, "Expired", "too old"));
  CHECK_THAT(workers_of(t), Contains("HTTP 410 (Expired): too old"));
  CHECK(t.transport->requests.size() == 1);
}

TEST_CASE("a page that broke off is read again, and its pods are not there twice") {
  TestRuntime t;
  t.answer(200, list_json(pod_json("a", "10.0.0.1"), "p2"));
  t.answer(503, "");
  t.answer(200, list_json(pod_json("b", "10.0.0.2")));
  CHECK(workers_of(t) == "10.0.0.1:8470 10.0.0.2:8470");
}

TEST_CASE("a 403 names verb, resource and namespace, and the Role that would help") {
  TestRuntime t;
  t.answer(403, status_json(403, "Forbidden",
                            R"(pods is forbidden: User \"u\" cannot list resource \"pods\" in API group \"\" in the namespace \"train\")",
                            R"({"kind":"pods"})"));
  KubernetesOptions options = at_test_server();
  const std::string cluster_wide = workers_of(t, options);
  CHECK_THAT(cluster_wide, Contains("permission_denied") && Contains("list pods in all namespaces") && Contains("kind: ClusterRole") &&
                               Contains("name one namespace"));
  const std::string reported = workers_of(t, options.namespace_name("train"));
  CHECK_THAT(
      reported,
      Contains("HTTP 403 (Forbidden): pods is forbidden: User \"u\" cannot list") && Contains("list pods in namespace 'train'") &&
          Contains(
              R"(kind: Role, metadata: {name: rollcall, namespace: train}, rules: [{apiGroups: [""], resources: [pods], verbs: [list, watch]}])"));
  CHECK(t.transport->requests.size() == 2);
}

TEST_CASE("a refused token is renewed once, and a text/plain 429 is retried after its delay") {
  TestRuntime refused;
  refused.answer(401, status_json(401, "Unauthorized", "Unauthorized"));
  CHECK_THAT(workers_of(refused), Contains("unauthenticated") && Contains("401"));
  CHECK(refused.transport->requests.size() == 1);

  TestRuntime busy;
  HttpResponse slow = ScriptedTransport::reply(429, "Too many requests, please try again later.");
  slow.headers.add("Retry-After", "2");
  busy.transport->answers.emplace_back(Result<HttpResponse>(std::move(slow)));
  busy.answer(429, status_json(429, "TooManyRequests", "storage is (re)initializing", R"({"retryAfterSeconds":3})"));
  busy.answer(200, list_json(pod_json("a", "10.0.0.1")));
  CHECK(workers_of(busy) == "10.0.0.1:8470");
  CHECK(busy.seconds() >= 5);
  CHECK(busy.seconds() <= 5.6);
}

TEST_CASE("selectors are listed concurrently, and their pods come in the order of the selectors") {
  TestRuntime t;
  t.transport->respond = [](const HttpRequest& request) {
    const std::string selector = query_of(request, "labelSelector");
    ScriptedTransport::Answer answer(ScriptedTransport::reply(200, list_json(pod_json("p", "10.0.0." + selector.substr(2)))));
    answer.after = selector == "n=1" ? 3s : 1s;
    return answer;
  };
  KubernetesOptions options = at_test_server();
  options.job("worker", {"n=1", "n=2"}).job("ps", {"n=3", "n=1"}).job("none", {});
  const Result<ClusterSpec> spec = spec_of(t, options);
  REQUIRE(spec.has_value());
  CHECK(spec->jobs() == std::vector<std::string>{"worker", "ps", "none"});
  CHECK(spec->task_address("worker", 0).value() == "10.0.0.1:8470");
  CHECK(spec->task_address("ps", 0).value() == "10.0.0.3:8470");
  CHECK(spec->num_tasks("ps").value() == 2);
  CHECK(spec->num_tasks("none").value() == 0);
  CHECK(t.seconds() == 3);
  CHECK(t.transport->max_in_flight == 4);
}

TEST_CASE("the failure is that of the first selector, even when a later one fails sooner") {
  TestRuntime t;
  t.transport->respond = [](const HttpRequest& request) {
    const std::string selector = query_of(request, "labelSelector");
    ScriptedTransport::Answer answer(ScriptedTransport::reply(selector == "n=1" ? 404 : 403, status_json(0, "X", selector)));
    answer.after = selector == "n=1" ? 3s : selector == "n=2" ? 1s : 60s;
    return answer;
  };
  KubernetesOptions options = at_test_server();
  options.job("worker", {"n=1", "n=2", "n=3"});
  CHECK_THAT(workers_of(t, options), Contains("not_found") && Contains("n=1"));
  CHECK(t.seconds() == 3);
}

TEST_CASE("the master is the task's address; without a task no request is sent") {
  TestRuntime t;
  t.answer(200, list_json(pod_json("a", "10.0.0.1")));
  const auto resolver = make_kubernetes_resolver(t.runtime, at_test_server());
  CHECK(t.run(resolver->master()).empty());
  CHECK(t.transport->requests.empty());
  CHECK(t.run(resolver->master("worker", 0)) == "grpc://10.0.0.1:8470");
  CHECK(t.run(resolver->master("worker", 0, "")) == "grpc://10.0.0.1:8470");
  CHECK(t.run(resolver->master("worker", 0, "uptc")) == "uptc://10.0.0.1:8470");
  CHECK(resolver->rpc_layer() == "grpc");
  CHECK_FALSE(resolver->task_type());
}

TEST_CASE("answers that are not pod lists") {
  TestRuntime t;
  for (const char* const body : {"", "<html>", "[]", "{}", R"({"kind":"Status","items":[]})", R"({"items":[)"}) {
    t.transport->answers.clear();
    t.answer(200, body);
    CHECK_THAT(workers_of(t), Contains("malformed_response") && Contains("asked https://k8s.test:6443/api/v1/pods"));
  }
}

TEST_CASE("targets") {
  TestRuntime t;
  t.answer(200, list_json(pod_json("a", "10.0.0.1")));
  const auto reported = [&t](const std::string& target) {
    const Result<std::shared_ptr<ClusterResolver>> made = make_resolver(t.runtime, target);
    if (!made) return made.error().message();
    const Result<std::string> master = t.run((*made)->try_master());
    return master ? *master : master.error().message();
  };
  CHECK(reported("kubernetes:train,job.w=app=x%2Ctier!=y+app=z,port=1,address=pod,api_server=https://k8s.test,type=w,task=1,rpc_layer=") ==
        "10.8.0.1:1");
  REQUIRE(t.transport->requests.size() == 2);
  CHECK(t.transport->requests[0].url.target == "/api/v1/namespaces/train/pods?labelSelector=app%3Dx%2Ctier%21%3Dy&limit=500");
  CHECK(query_of(t.transport->requests[1], "labelSelector") == "app=z");
  CHECK(reported("kubernetes:api_server=https://k8s.test,type=worker,task=0,order=name,family=ipv4") == "grpc://10.0.0.1:8470");
  CHECK_THAT(reported("kubernetes:job.worker="), Contains("job.worker= has no selector"));
  for (const char* const items : {"app=x+", "+app=x", "app=x++app=y", "+", "app=x+%20"})
    CHECK_THAT(reported(std::string("kubernetes:x,job.worker=") + items),
               Contains("job.worker= has an empty selector, which would select"));
  CHECK_THAT(reported("kubernetes:x,address=node"), Contains("address='node' is none of host, pod"));
  CHECK_THAT(reported("kubernetes:x,order=up"), Contains("order='up' is none of automatic, name, index"));
  CHECK_THAT(reported("kubernetes:x,family=ipv5"), Contains("family='ipv5' is none of"));
  CHECK_THAT(reported("kubernetes:x,port=0"), Contains("not a port"));
  CHECK_THAT(reported("kubernetes:x,location=moon"), Contains("'moon' is not an executable location"));
  CHECK_THAT(reported("kubernetes:x,task=-1"), Contains("not a task index"));
  CHECK_THAT(reported("kubernetes:x,nodeport=1"), Contains("has no option"));
  CHECK_THAT(reported("kubernetes:x,kubeconfig=/gone,type=worker,task=0"), Contains("/gone, which does not exist"));
}
