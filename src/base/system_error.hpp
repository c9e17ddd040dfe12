// What a system's error code means.
#pragma once

#include <string_view>
#include <system_error>

namespace rollcall {

/// `ec == condition`, also for codes of Asio 1.22's own system category, which never compare equal to std::errc: their values are errno's.
inline bool means(const std::error_code& ec, std::errc condition) noexcept {
  return ec == condition || (ec.value() == static_cast<int>(condition) && std::string_view(ec.category().name()) == "asio.system");
}

}  // namespace rollcall
