// Whether a sentence about the members has said already why the whole is not ready.
#pragma once

#include <algorithm>
#include <string_view>

#include "rollcall/cluster_status.hpp"

namespace rollcall {

/// True if `said` has the text of the whole's state, or all causes, of which that text is made.
inline bool is_state_said(const ClusterStatus& status, std::string_view said) {
  const std::string_view state = status.state.text;
  const auto has = [](std::string_view text, std::string_view part) { return !part.empty() && text.find(part) != std::string_view::npos; };
  if (has(said, state)) return true;
  const auto is_of_state = [&](const Cause& cause) { return has(state, cause.text) || has(cause.text, state); };
  return std::any_of(status.causes.begin(), status.causes.end(), is_of_state) &&
         std::all_of(status.causes.begin(), status.causes.end(), [&](const Cause& cause) { return has(said, cause.text); });
}

}  // namespace rollcall
