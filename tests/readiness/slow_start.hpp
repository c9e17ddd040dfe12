// A cluster with many pending members, for tests of waits and watches.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "call/runtime_impl.hpp"
#include "rollcall/cluster_status.hpp"
#include "rollcall/resolver.hpp"

namespace rollcall::testing {

inline ClusterStatus pending(int members) {
  ClusterStatus status;
  for (int i = 0; i < members; ++i) {
    Member& member = status.members.emplace_back("worker", i);
    member.name = fmt::format("train/trainer-workers-{}", i);
    member.address = fmt::format("10.0.{}.{}:8470", i / 250, i % 250);
    member.state = Condition(MemberState::waiting, "Pending (ContainerCreating)");
  }
  return status;
}

// Reports `members` pending members, and one change of one member a second.
class SlowStart final : public ClusterResolver {
 public:
  SlowStart(Runtime runtime, int members, int changes) : ClusterResolver(std::move(runtime)), members_(members), changes_(changes) {}
  std::string describe() const override { return "slow start"; }
  asio::awaitable<Result<ClusterSpec>> do_cluster_spec(Call&) override { co_return ClusterSpec(); }
  bool supports_watch() const override { return true; }
  asio::awaitable<Result<void>> do_follow(Call& call, StatusObserver& observer) override {
    ClusterStatus status = pending(members_);
    for (int i = 0;; ++i) {
      observer.report(status);
      const Duration pause = i < changes_ ? Duration(std::chrono::seconds(1)) : Duration(std::chrono::hours(1));
      const Result<void> slept = co_await call.sleep_until(impl_of(runtime()).time->now() + pause);
      if (!slept) co_return slept;
      status.members[static_cast<std::size_t>(i)].state = Condition(MemberState::waiting, "Pending (ErrImagePull)");
    }
  }

 private:
  int members_;
  int changes_;
};

}  // namespace rollcall::testing
