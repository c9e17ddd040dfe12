#include "programs/child_groups.hpp"

#include <array>
#include <atomic>
#include <csignal>

namespace rollcall {
namespace {

std::array<std::atomic<pid_t>, 256> child_groups{};
static_assert(std::atomic<pid_t>::is_always_lock_free);  // only types that a signal handler may use

void exchange_child_group(pid_t from, pid_t to) noexcept {
  for (std::atomic<pid_t>& group : child_groups) {
    pid_t expected = from;
    if (group.compare_exchange_strong(expected, to)) return;
  }
}

}  // namespace

void note_child_group(pid_t leader) noexcept {
  if (leader > 0) exchange_child_group(0, leader);
}

void forget_child_group(pid_t leader) noexcept {
  if (leader > 0) exchange_child_group(leader, 0);
}

void kill_child_groups() noexcept {
  for (const std::atomic<pid_t>& group : child_groups) {
    if (const pid_t leader = group.load(); leader > 0) ::kill(-leader, SIGKILL);
  }
}

}  // namespace rollcall
