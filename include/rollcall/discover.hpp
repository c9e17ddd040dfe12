// Finds the TPUs, queued resources and instance groups of projects and zones, and the jobs of Kubernetes clusters and of Slurm.
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

/// What searches that are made again and again learn from each other, see DiscoverOptions::memory().
class SearchMemory {
 public:
  virtual ~SearchMemory() = default;
};
std::shared_ptr<SearchMemory> make_search_memory();  ///< an empty one, for one search

class DiscoverOptions {
 public:
  DiscoverOptions() {}
  // clang-format off
  /// None: GOOGLE_CLOUD_PROJECT and the related variables, then the credential file, gcloud's active configuration, the metadata server.
  DiscoverOptions& projects(std::vector<std::string> v) { projects_ = std::move(v); return *this; }
  /// None: all zones, with one request for all of them.
  DiscoverOptions& zones(std::vector<std::string> v) { zones_ = std::move(v); return *this; }
  /// Kubernetes namespaces whose jobs are found; `.` is the configuration's own, `-` all of them, by one list. Default: `.`.
  DiscoverOptions& namespaces(std::vector<std::string> v) { namespaces_ = std::move(v); return *this; }
  /// A context of the kubeconfig. If set, jobs are searched, too. Default: its current one.
  DiscoverOptions& context(std::string v) { context_ = std::move(v); return *this; }
  /// The keys of a `slurm:job` target that say how Slurm is asked, `restd=unix:/run/slurmrestd.socket`; its jobs are searched then. Default:
  /// by Slurm's programs, if FoundKind::slurm_job is among the kinds.
  DiscoverOptions& slurm(std::string v) { slurm_ = std::move(v); return *this; }
  /// For a search that is made again with the same options: Slurm is asked only for jobs that are new or have changed their state. That a
  /// waiting job was moved to another partition may show some minutes later.
  DiscoverOptions& memory(std::shared_ptr<SearchMemory> v) { memory_ = std::move(v); return *this; }
  /// Default: the resources of projects and zones; jobs as well if namespaces or a context are given, and only jobs if nothing else is
  /// given. A filter `kind=…` is taken into account, too.
  DiscoverOptions& kinds(std::vector<FoundKind> v) { kinds_ = std::move(v); return *this; }
  /// `KEY=PATTERN` or `KEY!=PATTERN`; several patterns are joined by `+`, in each `*` matches any text. Keys: kind, name, project, zone,
  /// namespace, state, health, type (of a job: its workload), queued_resource, user,
  /// partition. Filters are combined by AND.
  DiscoverOptions& filter(std::string v) { filters_.push_back(std::move(v)); return *this; }
  /// Number of lists that are read in parallel; requests to one host are also bounded by Limits. Default 16.
  DiscoverOptions& lists_in_flight(std::size_t v) { lists_in_flight_ = v; return *this; }
  /// Maximum number of results that wait for next(). Default 1024.
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
  const std::string& slurm() const { return slurm_; }
  const std::shared_ptr<SearchMemory>& memory() const { return memory_; }
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
  std::string slurm_;
  std::shared_ptr<SearchMemory> memory_;
  std::vector<FoundKind> kinds_;
  std::vector<std::string> filters_;
  std::size_t lists_in_flight_ = 16;
  std::size_t max_buffered_ = 1024;
  TpuApiVersion api_version_ = TpuApiVersion::v2;
  std::string endpoint_;
};

/// A stream of results. Destroying the stream ends the search.
class FoundStream {
 public:
  virtual ~FoundStream() = default;

  /// The next result, in the order in which answers arrive; none at the end. A Failure says what is missing, and the search goes on: a zone
  /// that does not answer, a page that could not be read, a project without permission. The Failure of the deadline, or of a bad option, is
  /// the last result before the end. May suspend; cancellable (Errc::cancelled: no result is lost, call again). One caller at a time, from
  /// any executor. next() throws what try_next() returns; the search goes on after that, too.
  asio::awaitable<std::optional<Found>> next();
  virtual asio::awaitable<Result<std::optional<Found>>> try_next() = 0;
};

/// Checks whether a search with these options can begin; discover() does so, too. Errors: invalid_argument.
[[nodiscard]] Result<void> check_discovery(const DiscoverOptions& options);

/// Searches projects and zones by the services' lists, and namespaces by the list of their pods, in parallel, all pages: one request for a
/// thousand TPUs. Begins at once. `call`: the deadline of the whole search, and how requests are repeated. Memory holds at most
/// DiscoverOptions::max_buffered() results and a page for each list that is being read; of a namespace it holds the pods of all its jobs,
/// which are returned when the last page is read. Errors come through the stream.
std::shared_ptr<FoundStream> discover(Runtime runtime, DiscoverOptions options, CallOptions call = {});

}  // namespace rollcall
