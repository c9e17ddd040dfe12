// Members that a list names, or a variable, and that nobody has asked: they are ready as far as anybody says, which is not far.
#pragma once

#include <string_view>

#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// What their state says.
inline constexpr std::string_view listed_text = "listed, not asked";

/// True if `member` is ready only because it is listed.
inline bool is_only_listed(const Member& member) noexcept {
  return member.state.level == MemberState::ready && member.state.text == listed_text;
}

}  // namespace rollcall
