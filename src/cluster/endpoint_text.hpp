// The text of an endpoint without an Endpoint object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rollcall {

/// As Endpoint::to_text().
std::string endpoint_text(std::string_view host, std::optional<std::uint16_t> port);

}  // namespace rollcall
