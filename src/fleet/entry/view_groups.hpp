// The groups of a service: a cache of what is rendered for each question about each topic.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "fleet/entry/client.hpp"
#include "fleet/entry/view_group.hpp"
#include "fleet/fleet.hpp"

namespace rollcall::fleet {

class ViewGroups {
 public:
  ViewGroups(std::shared_ptr<Fleet> fleet, std::shared_ptr<Runtime::Impl> runtime)
      : fleet_(std::move(fleet)), runtime_(std::move(runtime)) {}

  /// The group of all clients that ask this question about the topic. Null: the topic, or the client, has as many uncommon questions as may
  /// be.
  std::shared_ptr<ViewGroup> group_of(std::shared_ptr<Topic> topic, FleetQuestion question, const Client& client);
  /// Drops the groups without listeners, which are kept for clients that come back. True if there were any.
  bool drop_unused();
  /// Groups are not dropped by time any more: the service ends.
  void stop();
  /// Wakes every listener of every group.
  void wake_all();

 private:
  using Key = std::tuple<const Topic*, View, Readiness, int, bool>;
  bool has_room_for(const Topic& topic, const std::string& client) const;
  void drop_idle();
  void sweep_later();
  SteadyTime now() const { return runtime_->time->now(); }

  std::shared_ptr<Fleet> fleet_;
  std::shared_ptr<Runtime::Impl> runtime_;
  std::map<Key, std::shared_ptr<ViewGroup>> groups_;
  SteadyTime swept_at_{};
  Timer sweep_;  // set while there are groups
  bool is_stopped_ = false;
};

}  // namespace rollcall::fleet
