// Members of a preflight that run in this process, each at a loopback address of its own, and with the faults of a simulation file. They
// are what `rollcall preflight` runs: only what a fault changes is simulated.
#pragma once

#include <asio/any_io_executor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "rollcall/error.hpp"
#include "rollcall/time_source.hpp"
#include "sim/model/members_model.hpp"

namespace rollcall::sim {

class SimMember;

class SimMembers {
 public:
  /// They wait for the members that are not simulated, and after a verdict for the next preflight. Errors: failed_precondition naming the
  /// address that is not available.
  static Result<std::unique_ptr<SimMembers>> start(const asio::any_io_executor& executor, std::shared_ptr<const MembersModel> model,
                                                   std::shared_ptr<TimeSource> time);
  ~SimMembers();
  SimMembers(const SimMembers&) = delete;
  SimMembers& operator=(const SimMembers&) = delete;
  /// Idempotent.
  void stop();

 private:
  SimMembers() {}
  std::vector<std::shared_ptr<SimMember>> members_;
};

/// The target for the members that are not simulated: `simple:job.worker=127.0.9.1:29500+127.0.9.2:29500`.
std::string target_of(const MembersModel& model);

}  // namespace rollcall::sim
