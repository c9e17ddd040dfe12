#include "fleet/entry/view_groups.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/saturating.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_groups = 64;          // of one topic: each renders its content again at every change
constexpr std::size_t max_groups_of_all = 256;  // of one topic, with the first group of each client
constexpr std::size_t max_groups_a_client = 8;  // with uncommon questions
constexpr std::size_t max_idle_groups = 1000;
constexpr std::size_t max_idle_bytes = 64 * 1024 * 1024;
constexpr Duration max_idle = std::chrono::minutes(1);

// Removes from a question everything that does not change the answer of its view.
void make_general(FleetQuestion& question) {
  question.self.clear();
  question.wait = std::chrono::seconds(0);
  if (question.view == View::progress || question.view == View::task) return;
  question.until = usually_ready;
  question.members = 0;
}

// The questions of launchers. There are ten of them per topic, and there is always room for them.
bool is_usual(const FleetQuestion& question) { return question.until == usually_ready && question.members == 0; }

}  // namespace

std::shared_ptr<ViewGroup> ViewGroups::group_of(std::shared_ptr<Topic> topic, FleetQuestion question, const Client& client) {
  make_general(question);
  const Key key(topic.get(), question.view, question.until, question.members, question.awaits_existence);
  const auto known = groups_.find(key);
  const bool is_known = known != groups_.end();
  const bool is_free = is_usual(question) || (is_known && known->second->listeners() > 0);
  if (!is_free && !has_room_for(*topic, client.namer)) return nullptr;
  if (is_known) {
    if (!is_free) known->second->asked_by = client.namer;
    return known->second;
  }
  drop_idle();
  auto group = std::make_shared<ViewGroup>(runtime_, std::move(topic), std::move(question));
  group->asked_by = client.namer;
  groups_.insert_or_assign(key, group);
  if (!sweep_.is_set()) sweep_later();
  return group;
}

// For an uncommon question. A client without a group has room even if other clients have taken max_groups.
bool ViewGroups::has_room_for(const Topic& topic, const std::string& client) const {
  std::size_t all = 0;
  std::size_t own = 0;
  const Key first(&topic, View{}, Readiness{}, 0, false);
  for (auto one = groups_.lower_bound(first); one != groups_.end() && std::get<0>(one->first) == &topic; ++one) {
    if (one->second->listeners() == 0) continue;
    ++all;
    own += one->second->asked_by == client && !is_usual(one->second->question()) ? 1 : 0;
  }
  if (client.empty()) return all < max_groups;
  return own < max_groups_a_client && all < (own == 0 ? max_groups_of_all : max_groups);
}

// Groups are kept for a while after their last listener, so that the same question is not rendered again; their number and size are
// bounded. They are dropped by time as well: otherwise a service that gets no other questions would keep them for ever.
void ViewGroups::sweep_later() {
  if (is_stopped_) return;
  const auto on_time = [](void* groups) noexcept {
    auto* const self = static_cast<ViewGroups*>(groups);
    self->drop_idle();
    if (!self->groups_.empty()) self->sweep_later();
  };
  sweep_.set(*runtime_->timers, saturating_sum(now(), max_idle), on_time, this);
}

void ViewGroups::stop() {
  is_stopped_ = true;
  sweep_.cancel();
}

void ViewGroups::drop_idle() {
  const SteadyTime present = now();
  if (present - swept_at_ < std::chrono::seconds(1)) return;
  swept_at_ = present;
  std::vector<ViewGroup*> idle;
  for (const auto& [key, group] : groups_) {
    if (group->listeners() == 0) idle.push_back(group.get());
  }
  std::sort(idle.begin(), idle.end(), [](const ViewGroup* a, const ViewGroup* b) { return a->used_at() > b->used_at(); });
  std::size_t bytes = 0;
  std::size_t kept = 0;
  while (kept < std::min(idle.size(), max_idle_groups) && present - idle[kept]->used_at() < max_idle) {
    bytes += idle[kept]->kept_bytes();
    if (bytes > max_idle_bytes) break;
    ++kept;
  }
  const std::set<const ViewGroup*> dropped(idle.begin() + static_cast<std::ptrdiff_t>(kept), idle.end());
  std::erase_if(groups_, [&dropped](const auto& one) { return dropped.contains(one.second.get()); });
}

bool ViewGroups::drop_unused() {
  return std::erase_if(groups_, [](const auto& one) { return one.second->listeners() == 0; }) > 0;
}

void ViewGroups::wake_all() {
  for (const auto& [key, group] : groups_) group->wake_all();
}

}  // namespace rollcall::fleet
