// Members that are known only from a list or a variable: they count as ready, but were not contacted.
#pragma once

#include <string_view>

#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// The text of their state.
inline constexpr std::string_view listed_text = "listed, not asked";

/// True if `member` is ready only because it is listed.
inline bool is_only_listed(const Member& member) noexcept {
  return member.state.level == MemberState::ready && member.state.text == listed_text;
}

}  // namespace rollcall
