// The simulated Kubernetes API compared with a real one: status, headers, bodies, chunks.
#include "sim/kubernetes/k8s_api.hpp"
#include "sim/kubernetes/k8s_support.hpp"

namespace rollcall::sim {

namespace {

// The set of the captured pods.
constexpr std::string_view trainer = R"({
  "kind": "job_set", "name": "trainer", "count": 3, "image": "example.com/trainer:1", "command": ["python3", "train.py"],
  "ports": {"tf": 8470, "coordinator": 8471}, "env": {"TPU_WORKER_ID": "{i}"}, "tpus": 4, "service_account": "trainer",
  "node": "gke-tpu-{g}-{i}", "pod_ips": ["10.4.0.2", "fd00:10:4:1::2"],
  "node_selector": {"cloud.google.com/gke-tpu-accelerator": "tpu-v5-lite-podslice", "cloud.google.com/gke-tpu-topology": "4x4"}})";

struct Asked {
  std::string sample;
  std::string target;
  std::string token = "train";
  std::string method = "GET";
  std::string accept = {};
};

Reply ask(Cloud& cloud, const Asked& asked, double at = 0) {
  Request request = kube_request(asked.target, asked.token);
  request.method = asked.method;
  if (!asked.accept.empty()) request.headers.add("Accept", asked.accept);
  return ask_kube_request(cloud, request, at);
}

void check_headers(const Reply& reply, const Captured& real) {
  std::vector<std::string> names;
  for (const auto& [name, value] : real.headers) names.push_back(name);
  CHECK(reply.status == real.status);
  CHECK(header_names(reply) == names);
  for (const auto& [name, value] : real.headers) {
    if (name == "Content-Type" || name == "Cache-Control" || name == "Retry-After" || name == "X-Content-Type-Options")
      CHECK(header(reply, name) == value);
  }
}

// All paths of keys, in order; of an array its first element. The field trees depend on the values, so they are skipped.
void add_paths(std::vector<std::string>& out, const std::string& at, const boost::json::value& value) {
  if (const auto* object = value.if_object()) {
    for (const auto& [key, child] : *object) {
      const std::string path = at + "/" + std::string(key);
      out.push_back(path);
      if (key != "fieldsV1" && key != "env") add_paths(out, path, child);
    }
  } else if (const auto* array = value.if_array(); array && !array->empty()) {
    for (const auto& one : *array) add_paths(out, at + "[]", one);
  }
}

std::vector<std::string> paths_of(const std::string& text) {
  std::vector<std::string> out;
  add_paths(out, "", boost::json::parse(text));
  return out;
}

}  // namespace

TEST_CASE("k8s: refusals are equal to those of a real API server") {
  const auto cloud = kube_cloud(trainer);
  const std::string anonymous_token;
  const std::vector<Asked> all = {
      {"400-continue", pods_of("?limit=2&continue=bm90LWEtdG9rZW4")},
      {"400-field-selector-syntax", pods_of("?fieldSelector=status.phase")},
      {"400-field-selector-unknown", pods_of("?fieldSelector=spec.nope%3Db")},
      {"400-label-selector", pods_of("?labelSelector=a%3D%3D%3Db")},
      {"400-limit", pods_of("?limit=many")},
      {"400-page-2-with-resource-version",
       pods_of("?limit=2&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NDUsInN0YXJ0IjoiL3RyYWluZXItd29ya2Vycy0wLTEtY2RwNWZcdTAwMDAifQ&"
               "resourceVersion=45")},
      {"400-resource-version", pods_of("?resourceVersion=abc")},
      {"401-unknown-token", pods_of(), "wrong"},
      {"403-all-namespaces", "/api/v1/pods"},
      {"403-other-namespace", pods_of("", "other")},
      {"403-path", "/metrics"},
      {"403-get-pod", pods_of("/trainer-workers-0-2-lgwcs"), "lister"},
      {"403-anonymous", pods_of(), anonymous_token},
      {"404-group", "/apis/kueue.x-k8s.io/v1beta2/namespaces/train/workloads", "admin"},
      {"404-namespace", "/api/v1/namespaces/no-such", "admin"},
      {"404-pod", pods_of("/no-such-pod")},
      {"404-resource", "/api/v1/namespaces/train/podz", "admin"},
      {"405-put-list", pods_of(), "admin", "PUT"},
      {"406-accept", pods_of(), "train", "GET", "text/html"},
      {"422-match-without-rv", pods_of("?resourceVersionMatch=Exact")},
      {"422-watch-list-without-match", pods_of("?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&timeoutSeconds=3")},
      {"500-resource-version-watch", pods_of("?watch=1&resourceVersion=abc")},
  };
  for (const Asked& asked : all) {
    INFO(asked.sample);
    const Captured real(asked.sample);
    const Reply reply = ask(*cloud, asked);
    check_headers(reply, real);
    CHECK(reply.body == real.body);
  }
}

TEST_CASE("k8s: a version of the future is waited for, then refused") {
  const auto cloud = kube_cloud(trainer, "\"first_version\": 48");
  const Captured real("504-list-future-rv");
  const Request request = kube_request(pods_of("?resourceVersion=999999999"));
  const Reply held = cloud->handle(request, second(7));
  REQUIRE(held.hold);
  CHECK(held.hold->ask_again == second(10));
  const Reply reply = ask_kube_request(*cloud, request, 7);
  check_headers(reply, real);
  CHECK(reply.body == real.body);
}

TEST_CASE("k8s: answers for versions that are no longer kept") {
  const auto cloud =
      kube_cloud(R"({"name": "a-{i}", "count": 4}, {"name": "later", "created_at": 60})", "\"history\": 30, \"first_version\": 41");
  const Reply first = ask_kube(*cloud, pods_of("?limit=2"));
  const std::string token(json_of(first).at("metadata").at("continue").as_string());
  CHECK(ask_kube(*cloud, pods_of("?limit=2&continue=" + token), 80).status == 200);
  const Reply gone = ask_kube(*cloud, pods_of("?limit=2&continue=" + token), 95);
  const Captured real("410-continue-expired");
  check_headers(gone, real);
  CHECK(json_of(gone).at("message") == boost::json::parse(real.body).at("message"));
  CHECK(paths_of(gone.body) == paths_of(real.body));
  // The new token continues at the current version.
  const std::string again(json_of(gone).at("metadata").at("continue").as_string());
  const Reply rest = ask_kube(*cloud, pods_of("?continue=" + again), 95);
  CHECK(names_of_items(rest) == std::vector<std::string>{"a-2", "a-3", "later"});
  CHECK(json_of(rest).at("metadata").at("resourceVersion") == "46");

  const Captured exact("410-list-exact-rv");
  const Reply too_old = ask_kube(*cloud, pods_of("?resourceVersion=45&resourceVersionMatch=Exact"), 95);
  check_headers(too_old, exact);
  CHECK(too_old.body == exact.body);
}

TEST_CASE("k8s: pods have every field of real ones, in their order") {
  const auto cloud = kube_cloud(trainer);
  const Captured real("list-3-pods");
  const Reply reply = ask_kube(*cloud, pods_of());
  check_headers(reply, real);
  CHECK(paths_of(reply.body) == paths_of(real.body));
  REQUIRE(reply.chunks.size() == real.chunks.size());
  CHECK(reply.chunks.front() == 2048);
  CHECK(reply.chunks.back() == 3);

  const std::string name = names_of_items(reply).at(2);
  const Captured one("get-pod");
  const Reply got = ask_kube(*cloud, pods_of("/" + name));
  check_headers(got, one);
  CHECK(paths_of(got.body) == paths_of(one.body));
  CHECK(got.chunks == std::vector<std::size_t>{got.body.size()});

  const Captured metadata("list-3-pods-metadata-only");
  const Reply partial = ask(*cloud, {"", pods_of(), "train", "GET", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"});
  check_headers(partial, metadata);
  CHECK(paths_of(partial.body) == paths_of(metadata.body));
}

TEST_CASE("k8s: indented for people, compact for programs") {
  const auto cloud = kube_cloud(trainer);
  Request request = kube_request(pods_of());
  request.headers.add("User-Agent", "curl/8");
  const Reply pretty = ask_kube_request(*cloud, request);
  const Captured real("list-3-pods-pretty");
  CHECK(pretty.body.substr(0, 60) == real.body.substr(0, 60));
  CHECK(pretty.body.ends_with("  ]\n}\n"));
  CHECK(pretty.chunks.size() == 1);
  CHECK(ask_kube(*cloud, pods_of("?pretty=1&limit=1")).body.starts_with("{\n  \"kind\""));
  CHECK(ask_kube(*cloud, pods_of("/nobody?pretty=true")).body.starts_with("{\n  \"kind\": \"Status\""));
  CHECK(ask_kube(*cloud, "/version").body.starts_with("{\n  \"major\": \"1\""));
  check_headers(ask_kube(*cloud, "/readyz"), Captured("readyz"));
}

TEST_CASE("k8s: an empty list, also of a namespace that does not exist") {
  const auto cloud = kube_cloud("", "\"first_version\": 3");
  const Captured real("list-empty");
  for (const char* const namespace_name : {"empty", "no-such"}) {
    const Reply reply = ask_kube(*cloud, pods_of("", namespace_name), 0, "admin");
    check_headers(reply, real);
    CHECK(reply.body == real.body);
  }
}

TEST_CASE("k8s: large lists are compressed when asked for") {
  const auto cloud = kube_cloud(R"({"name": "p-{i}", "count": 100})");
  Request request = kube_request(pods_of());
  request.headers.add("Accept-Encoding", "gzip");
  const Reply large = ask_kube_request(*cloud, request);
  REQUIRE(large.body.size() > 128 * 1024);
  CHECK(large.is_gzip);
  CHECK(header(large, "Vary") == "Accept-Encoding");
  request.target += "?limit=5";
  CHECK_FALSE(ask_kube_request(*cloud, request).is_gzip);
  CHECK_FALSE(ask_kube(*cloud, pods_of()).is_gzip);
}

TEST_CASE("k8s: writes pass through a buffer of 2,048 bytes") {
  using Sizes = std::vector<std::size_t>;
  CHECK(kube_chunks({2048}) == Sizes{});
  CHECK(kube_chunks({2049}) == Sizes{2049});
  CHECK(kube_chunks({80, 6737, 6736, 6734, 3}) == Sizes{2048, 4769, 6736, 6734, 3});
  CHECK(kube_chunks({80, 1000, 1000, 3}) == Sizes{2048, 35});
}

}  // namespace rollcall::sim
