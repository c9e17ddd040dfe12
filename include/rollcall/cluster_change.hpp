// The changes of a cluster that is followed. No I/O.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rollcall/cluster_status.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// The kind of a change.
enum class ChangeKind : std::uint8_t {
  member_joined,
  member_left,
  member_changed,   ///< another address, another machine under the same name, another state or health
  cluster_ready,    ///< ready in every way of WatchOptions::until, and was not before
  cluster_broken,   ///< was ready and is not any more; `text` says which members are missing
  notice,           ///< a preemption or a maintenance is announced
  trouble,          ///< the service cannot be reached; requests go on
  trouble_over,     ///< the service can be reached again
};
/// `member_joined`, …; stable, used in JSON output.
std::string_view to_string(ChangeKind kind) noexcept;

/// Notice::subject of a notice about the machine that this program runs on.
inline constexpr std::string_view own_machine_subject = "this machine";

/// True for a member that has ended with success (Kubernetes: its phase is Succeeded). It is `lost`, since it will not be ready again, but
/// it did not fail, and no controller recreates it [facts: k8s-pod-phase].
bool has_ended_well(const Member& member) noexcept;

class ClusterChange {
 public:
  ClusterChange() {}
  explicit ClusterChange(ChangeKind what, SteadyTime when) : kind(what), at(when) {}
  ChangeKind kind = ChangeKind::member_changed;
  SteadyTime at{};
  Member member;    ///< of joined, left, changed: the current state, or the last known one
  Member before;    ///< of changed: the state before
  Notice notice;    ///< of notice
  std::string text; ///< one line that describes the change; printable
};

}  // namespace rollcall
