#include "rollcall/warned_members.hpp"

#include "rollcall/cause_text.hpp"

namespace rollcall {

std::vector<MissingMember> warned_members(const ClusterStatus& status) {
  std::vector<MissingMember> warned;
  for (const Member& member : status.members) {
    const bool is_ready = member.state.level == MemberState::ready && member.health.level == MemberState::ready;
    if (!is_ready || member.causes.empty()) continue;
    MissingMember& one = warned.emplace_back();
    one.member = member;
    one.why = causes_text(member.causes);
  }
  return warned;
}

}  // namespace rollcall
