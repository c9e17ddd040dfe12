// A Kubernetes API with workloads, and pods that they own.
#pragma once

#include "resolvers/kubernetes/kubernetes_support.hpp"
#include "resolvers/kubernetes/workload/workload_support.hpp"
#include "rollcall/wait.hpp"
#include "support/result.hpp"

namespace rollcall::testing {

inline std::string owner_json(const std::string& word, const std::string& name, const std::string& uid = {}) {
  return fmt::format(R"(,"ownerReferences":[{{"apiVersion":"{}/v1","kind":"{}","name":"{}","uid":"{}","controller":true}}])",
                     type_called(word).group, type_called(word).name, name, uid.empty() ? word + "-" + name : uid);
}

using PodLabels = std::vector<std::pair<std::string, std::string>>;

inline std::string owned_pod(const std::string& name, const PodLabels& labels, const std::string& owner, bool is_ready = true) {
  return pod_json(name, "10.0.0.1", fmt::format(R"(,"uid":"p-{}")", name) + labels_json(labels) + owner,
                  is_ready ? R"(,"conditions":[{"type":"Ready","status":"True"}])" : "");
}

// The pods of an Indexed Job `name`.
inline std::string job_pods(const std::string& name, int from, int to, const std::string& owner, const PodLabels& more = {}) {
  std::string pods;
  for (int i = from; i < to; ++i) {
    PodLabels labels = {{"batch.kubernetes.io/job-completion-index", std::to_string(i)}, {"job-name", name}};
    labels.insert(labels.end(), more.begin(), more.end());
    pods += (pods.empty() ? "" : ",") + owned_pod(fmt::format("{}-{}-abcde", name, i), labels, owner);
  }
  return pods;
}

inline std::string indexed(int number) {
  return fmt::format(R"({{"parallelism":{0},"completions":{0},"completionMode":"Indexed"}})", number);
}

// An API server with these objects. Watches end at once, so that pods are listed again.
class WorkloadApi : public TestRuntime {
 public:
  WorkloadApi() {
    transport->respond = [this](const HttpRequest& request) { return ScriptedTransport::Answer(answer_to(request)); };
  }
  std::map<std::string, std::string> objects;  // by path behind `/apis/`
  std::map<std::string, int> refused;          // the status of refused paths
  std::string pods;                            // of every selector
  std::map<std::string, std::string> pods_of;  // of one selector
  int gets = 0;
  std::function<void()> on_get;

  void add(const std::string& word, const std::string& name, const std::string& json) {
    const WorkloadType& type = type_called(word);
    objects[fmt::format("{}/v1/namespaces/train/{}/{}", type.group, type.resource, name)] = json;
    if (!type.is_built_in)
      objects[std::string(type.group)] = R"({"kind":"APIGroup","versions":[{"version":"v1"}],"preferredVersion":{"version":"v1"}})";
  }
  void refuse(const std::string& word, const std::string& name) {
    refused[fmt::format("{}/v1/namespaces/train/{}/{}", type_called(word).group, type_called(word).resource, name)] = 403;
  }

  std::shared_ptr<ClusterResolver> named(const std::string& word, const std::string& name) {
    return make_kubernetes_resolver(runtime, at_test_server().namespace_name("train").workload(word, name));
  }
  std::shared_ptr<ClusterResolver> by_label(const std::string& selector) {
    return make_kubernetes_resolver(runtime, at_test_server().namespace_name("train").job("worker", {selector}));
  }
  ClusterStatus status(const std::shared_ptr<ClusterResolver>& resolver) { return run(resolver->cluster_status()); }
  Result<ClusterStatus> wait(const std::shared_ptr<ClusterResolver>& resolver, WaitOptions options = {}) {
    return run(try_wait_until_ready(resolver, usually_ready, std::move(options.timeout(10s))));
  }

 private:
  HttpResponse answer_to(const HttpRequest& request) {
    const std::string path = request.url.target.substr(0, request.url.target.find('?'));
    if (path.ends_with("/pods")) {
      if (request.url.target.find("watch=1") != std::string::npos) return ScriptedTransport::reply(200);
      const std::string selector = query_of(request, "labelSelector");
      const auto own = pods_of.find(selector);
      return ScriptedTransport::reply(200, list_json(own == pods_of.end() ? pods : own->second));
    }
    ++gets;
    if (on_get) on_get();
    const std::size_t apis = path.find("/apis/");
    const std::string key = apis == std::string::npos ? path : path.substr(apis + 6);
    if (refused.contains(key)) return ScriptedTransport::reply(403, status_json(403, "Forbidden", "forbidden: User \\\"u\\\" cannot get"));
    const auto found = objects.find(key);
    if (found != objects.end()) return ScriptedTransport::reply(200, found->second);
    const std::string group = key.substr(0, key.find('/'));
    const bool is_there = group.empty() || group == "batch" || group == "apps" || objects.contains(group);
    if (!is_there || key.find('/') == std::string::npos) return ScriptedTransport::reply(404, "404 page not found");
    return ScriptedTransport::reply(404, status_json(404, "NotFound", "not found", R"({"name":"it"})"));
  }
};

}  // namespace rollcall::testing
