// Looks at the cloud itself, while no server answers. Those whose turn it is look together, so that TPUs of one zone share its list.
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

/// Of one Runtime. It must outlive its looks.
class DirectPolls {
 public:
  /// One look, together with all that are asked for in the same turns of the loop. If the call that makes the look ends before it has its
  /// answers, another one makes it anew. Cancellable. Errors: cancelled; the resolver's.
  asio::awaitable<Result<ClusterStatus>> poll(Call& call, std::shared_ptr<ClusterResolver> resolver);

  /// What the question names is asked for now, and not again before `next`.
  void note(const Call& call, const fleet::FleetQuestion& question, SteadyTime next);
  /// From when on it may be asked for again; min(): it was not asked for lately.
  SteadyTime next(const fleet::FleetQuestion& question) const;

 private:
  class Asked;
  using AskedOnes = std::vector<std::shared_ptr<Asked>>;

  asio::awaitable<Result<void>> lead(Call& call);
  void hand_back(const AskedOnes& round);
  void leave(Asked& one);

  AskedOnes waiting_;
  bool is_gathering_ = false;
  std::map<std::string, SteadyTime, std::less<>> next_;  // by target and view: those that lie ahead, and few others
};

}  // namespace rollcall
