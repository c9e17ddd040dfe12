#include "net/http/shared_connections.hpp"

#include <algorithm>
#include <utility>

#include "base/saturating.hpp"

namespace rollcall {
namespace {

// Another connection is opened when each has so many. On a cold path of long delay one congestion window is slower than several.
constexpr std::size_t slots_before_another = 32;
constexpr std::size_t max_streams = 50;  // of a connection, that are read in pieces

}  // namespace

SharedConnections::Choice SharedConnections::choose(ConnectionUse use, SteadyTime now, Duration max_idle_time) {
  sweep(now, max_idle_time);
  Group& all = group(use);
  const auto room_of = [use](const Http2Connection& connection) {
    const std::size_t room = connection.room();
    if (use == ConnectionUse::requests) return room;
    return std::min(room, max_streams - std::min(max_streams, connection.slots));
  };
  Choice choice;
  std::size_t usable = 0;
  for (const Ptr& one : all.connections) {
    if (one->slots == 0 && !one->refresh()) continue;
    if (!one->is_usable()) continue;
    ++usable;
    note_limit(*one);
    if (room_of(*one) > 0 && (!choice.connection || one->slots < choice.connection->slots)) choice.connection = one;
    if (choice.connection && choice.connection->slots < slots_before_another) break;
  }
  const bool is_full = !choice.connection || choice.connection->slots >= slots_before_another;
  if (is_full && usable < max_ && !all.is_dialling) {
    choice.connection.reset();
    choice.may_dial = all.is_dialling = true;
  }
  if (choice.connection) ++choice.connection->slots;
  return choice;
}

// 0 is no limit but a pause.
void SharedConnections::note_limit(const Http2Connection& connection) noexcept {
  const std::size_t limit = connection.max_streams().value_or(0);
  if (limit > 0) expected_streams_ = limit;
}

std::size_t SharedConnections::capacity() noexcept {
  for (const Group& all : groups_) {
    if (!all.connections.empty()) note_limit(*all.connections.back());
  }
  return expected_streams_ * max_;
}

void SharedConnections::add(ConnectionUse use, const Ptr& connection) {
  ++connection->slots;
  connection->expected_streams = expected_streams_;
  group(use).connections.push_back(connection);
}

void SharedConnections::give_back(const Ptr& connection, SteadyTime now) noexcept {
  if (--connection->slots == 0) connection->idle_since = now;
}

void SharedConnections::sweep(SteadyTime now, Duration max_idle_time) noexcept {
  for (Group& all : groups_) {
    std::erase_if(all.connections, [&](const Ptr& one) {
      const bool is_over = one->slots == 0 && (!one->is_usable() || saturating_difference(now, one->idle_since) >= max_idle_time);
      if (is_over) one->owner = nullptr;
      if (is_over) one->abandon();
      return is_over;
    });
  }
}

bool SharedConnections::empty() const noexcept {
  return std::all_of(groups_.begin(), groups_.end(), [](const Group& one) { return one.connections.empty(); });
}

void SharedConnections::abandon() noexcept {
  for (Group& all : groups_) {
    for (const Ptr& one : std::exchange(all.connections, {})) {
      one->owner = nullptr;
      one->abandon();
    }
  }
}

}  // namespace rollcall
