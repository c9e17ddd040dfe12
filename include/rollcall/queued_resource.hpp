// Queued resources: requests for Cloud TPUs, for one node or for many slices. Source: cloud.google.com/tpu/docs/queued-resources,
// cloud.google.com/tpu/docs/multislice-introduction.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rollcall/megascale.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace rollcall {

/// How the slices of a request become jobs.
enum class SliceJobs {
  merged,  ///< one job with the workers of all slices, in the order of slices
  each,    ///< one job for each slice: `worker0`, `worker1`, …
};

class QueuedResourceOptions {
 public:
  /// A request's name, or its full resource name `projects/P/locations/Z/queuedResources/N`.
  explicit QueuedResourceOptions(std::string name) : name_(std::move(name)) {}

  // clang-format off
  QueuedResourceOptions& project(std::string v) { project_ = std::move(v); return *this; }
  QueuedResourceOptions& zone(std::string v) { zone_ = std::move(v); return *this; }
  QueuedResourceOptions& slices(SliceJobs v) { slices_ = v; return *this; }
  QueuedResourceOptions& job_name(std::string v) { job_name_ = std::move(v); return *this; }
  /// v2 (default) or v2alpha1.
  QueuedResourceOptions& api_version(TpuApiVersion v) { api_version_ = v; return *this; }
  // As TpuOptions's.
  QueuedResourceOptions& endpoint(std::string v) { endpoint_ = std::move(v); return *this; }
  QueuedResourceOptions& discovery_url(std::string v) { discovery_url_ = std::move(v); return *this; }
  QueuedResourceOptions& allow_token_to(std::string host) { token_hosts_.push_back(std::move(host)); return *this; }

  // clang-format on

  const std::string& name() const { return name_; }
  const std::string& project() const { return project_; }
  const std::string& zone() const { return zone_; }
  SliceJobs slices() const { return slices_; }
  const std::string& job_name() const { return job_name_; }
  TpuApiVersion api_version() const { return api_version_; }
  const std::string& endpoint() const { return endpoint_; }
  const std::string& discovery_url() const { return discovery_url_; }
  const std::vector<std::string>& token_hosts() const { return token_hosts_; }

 private:
  std::string name_;
  std::string project_;
  std::string zone_;
  SliceJobs slices_ = SliceJobs::merged;
  std::string job_name_ = "worker";
  TpuApiVersion api_version_ = TpuApiVersion::v2;
  std::string endpoint_;
  std::string discovery_url_;
  std::vector<std::string> token_hosts_;
};

/// The workers of a queued resource: requests the queued resource, then its nodes, in parallel (one list of the zone where there are four
/// or more). Calls fail with not_ready while it is not ACTIVE or one of its nodes is not READY; the message explains the state, who
/// initiated it and what to do. num_accelerators() goes by the accelerator type unless TpuCallOptions::count_from says devices. A bad name
/// fails at the first call.
std::shared_ptr<ClusterResolver> make_queued_resource_resolver(Runtime runtime, QueuedResourceOptions options);

}  // namespace rollcall
