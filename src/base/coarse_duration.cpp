#include "base/coarse_duration.hpp"

#include <fmt/format.h>

namespace rollcall {

std::string coarse_duration_text(Duration duration) {
  using std::chrono::duration_cast;
  const auto seconds = duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < 10) return fmt::format("{:.1f} s", std::chrono::duration<double>(std::max(duration, Duration(0))).count());
  if (seconds < 60) return fmt::format("{} s", seconds);
  const auto pair = [](long long large, const char* of_large, long long small, const char* of_small) {
    return small == 0 ? fmt::format("{} {}", large, of_large) : fmt::format("{} {} {} {}", large, of_large, small, of_small);
  };
  if (seconds < 3600) return pair(seconds / 60, "m", seconds % 60, "s");
  if (seconds < 86400) return pair(seconds / 3600, "h", seconds % 3600 / 60, "m");
  return pair(seconds / 86400, "d", seconds % 86400 / 3600, "h");
}

}  // namespace rollcall
