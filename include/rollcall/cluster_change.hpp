// What has changed in a cluster that is followed. No I/O.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rollcall/cluster_status.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// What has changed.
enum class ChangeKind : std::uint8_t {
  member_joined,
  member_left,
  member_changed,   ///< another address, another machine under the same name, another state or health
  cluster_ready,    ///< ready in every way that WatchOptions::until asks for, and was not before
  cluster_broken,   ///< was ready and is not any more; `text` says which members are missing
  notice,           ///< a preemption or a maintenance is announced
  trouble,          ///< the service cannot be asked; it will be again
  trouble_over,     ///< it could be asked again
};
/// `member_joined`, …; stable, used in JSON output.
std::string_view to_string(ChangeKind kind) noexcept;

/// Notice::subject of what is announced for the machine that this program runs on.
inline constexpr std::string_view own_machine_subject = "this machine";

/// True for a member that has ended with success (Kubernetes: its phase is Succeeded). It is `lost`, since it will not be ready again, but
/// nothing went wrong, and nobody makes it anew [facts: k8s-pod-phase].
bool has_ended_well(const Member& member) noexcept;

class ClusterChange {
 public:
  ClusterChange() {}
  explicit ClusterChange(ChangeKind what, SteadyTime when) : kind(what), at(when) {}
  ChangeKind kind = ChangeKind::member_changed;
  SteadyTime at{};
  Member member;    ///< of joined, left, changed: as it is now, or last was
  Member before;    ///< of changed: as it was
  Notice notice;    ///< of notice
  std::string text; ///< the change in words: one line, printable
};

}  // namespace rollcall
