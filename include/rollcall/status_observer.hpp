// Where a resolver that follows its cluster reports what it sees.
#pragma once

#include "rollcall/cluster_status.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// All calls are made on the Runtime's executor, return quickly and do not throw. Only the latest status counts: a reader who
/// is slow misses what was in between, never what is.
class StatusObserver {
 public:
  virtual ~StatusObserver() = default;
  /// How the cluster stands now; also when nothing has changed, so that the reader knows that it was asked.
  virtual void report(ClusterStatus status) = 0;
  /// It could not be asked this time; it will be again.
  virtual void report_trouble(const Failure& failure) = 0;
  /// Something announced, besides the notices of the status.
  virtual void report_notice(const Notice& notice) = 0;
  /// Whether what does not exist is to be waited for.
  virtual bool waits_for_existence() const = 0;
};

}  // namespace rollcall
