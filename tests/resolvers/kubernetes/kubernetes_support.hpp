// A small Kubernetes API for the tests of the resolver.
#pragma once

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/text.hpp"
#include "rollcall/kubernetes_resolver.hpp"
#include "support/query_of.hpp"
#include "support/test_runtime.hpp"

namespace rollcall::testing {

using namespace std::chrono_literals;

/// `extra_metadata` and `extra_status` begin with a comma.
inline std::string pod_json(const std::string& name, const std::string& host, const std::string& extra_metadata = {},
                            const std::string& extra_status = {}, const std::string& phase = "Running") {
  return fmt::format(R"({{"metadata":{{"name":"{}","namespace":"train"{}}},"status":{{"phase":"{}","hostIP":"{}","podIP":"{}"{}}}}})", name,
                     extra_metadata, phase, host, host.empty() ? "" : "10.8.0.1", extra_status);
}

inline std::string labels_json(const std::vector<std::pair<std::string, std::string>>& labels) {
  std::string text;
  for (const auto& [key, value] : labels) text += fmt::format(R"({}"{}":"{}")", text.empty() ? "" : ",", key, value);
  return R"(,"labels":{)" + text + "}";
}

inline std::string list_json(const std::string& pods, const std::string& next = {}) {
  return fmt::format(R"({{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"1","continue":"{}"}},"items":[{}]}})", next,
                     pods);
}

inline std::string status_json(int code, const std::string& reason, const std::string& message, const std::string& details = "{}") {
  return fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":"{}","reason":"{}","details":{},"code":{}}})",
      message, reason, details, code);
}

inline KubernetesOptions at_test_server() {
  KubernetesOptions options;
  options.api_server("https://k8s.test:6443");
  return options;
}

inline Result<ClusterSpec> spec_of(TestRuntime& t, KubernetesOptions options, CallOptions call = {}) {
  return t.run(make_kubernetes_resolver(t.runtime, std::move(options))->try_cluster_spec(std::move(call)));
}

/// The addresses of job `worker`, or the failure.
inline std::string workers_of(TestRuntime& t, KubernetesOptions options = at_test_server()) {
  const Result<ClusterSpec> spec = spec_of(t, std::move(options));
  if (!spec) return std::string(to_string(spec.error().code())) + ": " + spec.error().message();
  std::string text;
  for (const auto& address : spec->job_tasks("worker").value()) text += (text.empty() ? "" : " ") + address.value_or("-");
  return text;
}

}  // namespace rollcall::testing
