// Reads workloads of the API server: by the version that it has, and in words that keep an absent kind, an absent object and a
// missing right apart [facts: k8s-workload-errors].
#pragma once

#include <asio/awaitable.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "resolvers/kubernetes/kubernetes_pods.hpp"
#include "resolvers/kubernetes/workload/wire/workload.hpp"
#include "rollcall/call.hpp"

namespace rollcall {

class WorkloadClient {
 public:
  /// `scope` must outlive it.
  explicit WorkloadClient(const PodScope& scope) : scope_(scope) {}

  /// `api_version`: `GROUP/VERSION` where it is known, as of an owner reference; else `GROUP/` or empty. The arguments must outlive the
  /// await. Errors: not_found (there is no such object), failed_precondition (the cluster has no such kind), permission_denied (names the
  /// rule that is missing), malformed_response, and those of api_send().
  asio::awaitable<Result<Workload>> get(Call& call, const WorkloadType& type, const std::string& namespace_name, const std::string& name,
                                        const std::string& api_version = {});
  /// Which of these kinds the server has. Errors: failed_precondition (none of them, or several), and those of api_send().
  asio::awaitable<Result<const WorkloadType*>> only_one_of(Call& call, std::vector<const WorkloadType*> types);
  /// The metadata of a pod: the leader of a group owns the StatefulSet of its workers. Errors: as above.
  asio::awaitable<Result<Workload>> get_pod(Call& call, const std::string& namespace_name, const std::string& name);

 private:
  /// Whether the answer was a text, which says that the server has no such path.
  class Answer {
   public:
    Answer() {}
    std::string body;
    bool has_no_path = false;
    std::optional<Failure> failure;
  };
  asio::awaitable<Answer> ask(Call& call, std::string path, std::string what);
  asio::awaitable<Result<std::vector<std::string>>> versions_of(Call& call, const WorkloadType& type);
  asio::awaitable<bool> lacks_kind(Call& call, const WorkloadType& type, const std::string& version);

  const PodScope& scope_;
  std::map<std::string, std::vector<std::string>, std::less<>> versions_;  // by group, as the server has said
};

/// `Job 'trainer' in namespace 'train'`.
std::string shown_workload(const WorkloadType& type, std::string_view namespace_name, std::string_view name);
/// `get jobs.batch in namespace 'train'`.
std::string missing_rule(const WorkloadType& type, std::string_view namespace_name);

}  // namespace rollcall
