// Names of projects, zones and resources, as far as they go into URLs.
#pragma once

#include <string_view>

namespace rollcall {

/// What may stand in a URL's path for a project, zone, node or instance. The services themselves are stricter.
bool is_resource_id(std::string_view text) noexcept;

/// What follows the last slash; the whole text if there is none.
std::string_view last_segment(std::string_view name) noexcept;

}  // namespace rollcall
