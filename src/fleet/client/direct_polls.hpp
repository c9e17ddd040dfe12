// Polls the cloud itself while no server answers. Polls that are due at the same time are made together, so that TPUs of one zone share
// its list.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fleet/wire/fleet_question.hpp"
#include "rollcall/call.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall {

/// Of one Runtime. It must outlive its polls.
class DirectPolls {
 public:
  /// One poll, together with all that are requested in the same turns of the loop. If the call that makes the poll ends before it has its
  /// answers, another call makes it again. Cancellable. Errors: cancelled; the resolver's.
  asio::awaitable<Result<ClusterStatus>> poll(Call& call, std::shared_ptr<ClusterResolver> resolver);

  /// Notes that the cloud is asked this question now, and not again before `next`.
  void note(const Call& call, const fleet::FleetQuestion& question, SteadyTime next);
  /// When the question may be asked again; min(): it was not asked recently.
  SteadyTime next(const fleet::FleetQuestion& question) const;

 private:
  class Asked;
  using AskedOnes = std::vector<std::shared_ptr<Asked>>;

  asio::awaitable<Result<void>> lead(Call& call);
  void hand_back(const AskedOnes& round);
  void leave(Asked& one);

  AskedOnes waiting_;
  bool is_gathering_ = false;
  std::map<std::string, SteadyTime, std::less<>> next_;  // by target and view; of questions that may not be asked yet, and a few others
};

}  // namespace rollcall
