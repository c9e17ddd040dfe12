// Renders clusters and failed targets as text and as JSON. Pure. The forms are stable: docs/command.md documents them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rollcall/cluster_spec.hpp"

namespace rollcall {

/// One task a line, `worker 0 10.0.0.1:8470`, in columns: jobs in the cluster's order, tasks ascending; a job without tasks
/// shows `-` for both. Control characters and blanks inside a name or an address are escaped, so that every line has three
/// words. `with_colour`: the job's name in bold, the index dimmed.
std::string render_text(const ClusterSpec& spec, bool with_colour = false);

/// A target and its failure.
class TargetFailure {
 public:
  TargetFailure() {}
  TargetFailure(std::string failed_target, Failure why) : target(std::move(failed_target)), failure(std::move(why)) {}
  std::string target;
  Failure failure;
};

/// `{"target":…,"code":"not_found","message":…,…}`, without a line end.
std::string render_failure_json(const TargetFailure& failure);

/// A list of failures.
std::string render_failures_json(const std::vector<TargetFailure>& failures);

/// `{"cluster":{"worker":["10.0.0.1:8470"]},"failures":[]}` and a line end. `cluster` is the output of ClusterSpec::to_json().
std::string render_json(const ClusterSpec& spec, const std::vector<TargetFailure>& failures = {});

}  // namespace rollcall
