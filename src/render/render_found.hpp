// The results and failures of a search, for programs; pure. The forms are documented in docs/command.md and stable.
#pragma once

#include <string>
#include <string_view>

#include "render/render_cluster.hpp"
#include "rollcall/found.hpp"

namespace rollcall {

// One object each, without a line end.

/// `{"kind":"tpu","name":…,"addresses":[…],…}`. `kind`: that of the result, or `target` for one that was looked up by its target.
std::string render_found_json(const Found& found, std::string_view kind);
inline std::string render_found_json(const Found& found) { return render_found_json(found, to_string(found.kind)); }

/// `{"kind":"failure","target":…,"code":…,"message":…,…}`.
std::string render_missing_json(const TargetFailure& failure);

}  // namespace rollcall
