// Where a resolver that follows its cluster reports what it sees.
#pragma once

#include "rollcall/cluster_status.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// All calls are made on the Runtime's executor, return quickly and do not throw. Only the latest status counts: a slow
/// reader may miss a status, but not the latest one.
class StatusObserver {
 public:
  virtual ~StatusObserver() = default;
  /// The status now; also called when nothing has changed, so that the reader knows that the service was asked.
  virtual void report(ClusterStatus status) = 0;
  /// The service could not be asked this time; it will be asked again.
  virtual void report_trouble(const Failure& failure) = 0;
  /// The service announced something, besides the notices of the status.
  virtual void report_notice(const Notice& notice) = 0;
  /// True if the resolver shall wait for a cluster that does not exist yet.
  virtual bool waits_for_existence() const = 0;
};

}  // namespace rollcall
