// What runs in projects and zones, TPUs, queued resources, instance groups, and the jobs of a Kubernetes cluster.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rollcall/call.hpp"
#include "rollcall/error.hpp"
#include "rollcall/found.hpp"
#include "rollcall/runtime.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall {

class DiscoverOptions {
 public:
  DiscoverOptions() {}
  // clang-format off
  /// None: GOOGLE_CLOUD_PROJECT and its kin, then the credential file, gcloud's active configuration, the metadata server.
  DiscoverOptions& projects(std::vector<std::string> v) { projects_ = std::move(v); return *this; }
  /// None: all zones. One request then stands for all of them.
  DiscoverOptions& zones(std::vector<std::string> v) { zones_ = std::move(v); return *this; }
  /// Kubernetes namespaces whose jobs are found; `.` is the configuration's own, `-` all of them, by one list. Default: `.`.
  DiscoverOptions& namespaces(std::vector<std::string> v) { namespaces_ = std::move(v); return *this; }
  /// The context of the kubeconfig, whose jobs are found then, too. Default: its current one.
  DiscoverOptions& context(std::string v) { context_ = std::move(v); return *this; }
  /// Default: what projects and zones have; jobs as well if namespaces or a context are given, and nothing but jobs if only those are. A
  /// filter `kind=…` counts, too.
  DiscoverOptions& kinds(std::vector<FoundKind> v) { kinds_ = std::move(v); return *this; }
  /// `KEY=PATTERN` or `KEY!=PATTERN`; several patterns are joined by `+`, in each `*` stands for any text. Keys: kind, name, project,
  /// zone, namespace, state, health, type (of a job: its workload), queued_resource. What is added must hold as well.
  DiscoverOptions& filter(std::string v) { filters_.push_back(std::move(v)); return *this; }
  /// Lists that are read at a time; requests to one host are bounded by Limits besides. Default 16.
  DiscoverOptions& lists_in_flight(std::size_t v) { lists_in_flight_ = v; return *this; }
  /// What is found but not yet taken; more waits. Default 1024.
  DiscoverOptions& max_buffered(std::size_t v) { max_buffered_ = v; return *this; }
  /// Default: v2. v1 has no queued resources.
  DiscoverOptions& api_version(TpuApiVersion v) { api_version_ = v; return *this; }
  /// Replaces https://tpu.googleapis.com/, or that of the credentials' universe; https, or http on loopback.
  DiscoverOptions& endpoint(std::string v) { endpoint_ = std::move(v); return *this; }

  // clang-format on

  const std::vector<std::string>& projects() const { return projects_; }
  const std::vector<std::string>& zones() const { return zones_; }
  const std::vector<std::string>& namespaces() const { return namespaces_; }
  const std::string& context() const { return context_; }
  const std::vector<FoundKind>& kinds() const { return kinds_; }
  const std::vector<std::string>& filters() const { return filters_; }
  std::size_t lists_in_flight() const { return lists_in_flight_; }
  std::size_t max_buffered() const { return max_buffered_; }
  TpuApiVersion api_version() const { return api_version_; }
  const std::string& endpoint() const { return endpoint_; }

 private:
  std::vector<std::string> projects_;
  std::vector<std::string> zones_;
  std::vector<std::string> namespaces_;
  std::string context_;
  std::vector<FoundKind> kinds_;
  std::vector<std::string> filters_;
  std::size_t lists_in_flight_ = 16;
  std::size_t max_buffered_ = 1024;
  TpuApiVersion api_version_ = TpuApiVersion::v2;
  std::string endpoint_;
};

/// What is found, as it comes. Destroying the stream ends the search.
class FoundStream {
 public:
  virtual ~FoundStream() = default;

  /// The next one, in the order in which answers arrive; none at the end. A Failure says what is missing, and the search goes on: a
  /// zone that does not answer, a page that could not be read, a project that must not be seen. The deadline's and a bad option's
  /// Failure is the last before the end. May suspend; can be cancelled (Errc::cancelled: nothing is lost, ask again). One caller at a
  /// time, from any executor. next() throws what try_next() returns; the search goes on after that, too.
  asio::awaitable<std::optional<Found>> next();
  virtual asio::awaitable<Result<std::optional<Found>>> try_next() = 0;
};

/// Whether a search by these options can begin; discover() checks it, too. Errors: invalid_argument.
[[nodiscard]] Result<void> check_discovery(const DiscoverOptions& options);

/// Searches projects and zones by the services' lists, and namespaces by the list of their pods, side by side, all pages: one request for a
/// thousand TPUs. Begins at once. `call`: the deadline of the whole search, and how requests are repeated. No more than
/// DiscoverOptions::max_buffered() finds and a page for each list that is being read are in memory, but of a namespace the pods of all its
/// jobs, which are told when the last page is read. Errors come through the stream.
std::shared_ptr<FoundStream> discover(Runtime runtime, DiscoverOptions options, CallOptions call = {});

}  // namespace rollcall
