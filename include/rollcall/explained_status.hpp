// A status with the causes of what is not ready. No I/O.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// A status with the causes of what is not ready followed as far as they may be read.
class ExplainedStatus {
 public:
  ExplainedStatus() {}
  explicit ExplainedStatus(ClusterStatus of) : status(std::move(of)) {}
  ClusterStatus status;
  /// What could not be read, and the right that it needs: `events may not be read: list events in namespace train`.
  std::vector<std::string> unread;
  friend bool operator==(const ExplainedStatus&, const ExplainedStatus&) = default;
};

}  // namespace rollcall
