// Names of the conditions for which a cluster is waited for.
#include <fmt/format.h>

#include <array>

#include "base/text.hpp"
#include "rollcall/readiness.hpp"

namespace rollcall {
namespace {

constexpr std::array<std::string_view, 5> readiness_names = {"state", "health", "endpoints", "reachable", "devices"};

}  // namespace

Result<Readiness> parse_readiness(std::string_view text) {
  unsigned all = 0;
  for (const std::string_view name : split(text, ',')) {
    unsigned one = 0;
    for (std::size_t i = 0; i < readiness_names.size(); ++i) {
      if (name == readiness_names[i]) one = 1u << i;
    }
    if (one == 0) {
      const auto meant = nearest(name, readiness_names);
      return Failure(Errc::invalid_argument, fmt::format("{} is nothing to wait for", quoted(name, 64)))
          .with_hint(meant ? fmt::format("did you mean {}?", *meant)
                           : "known are state, health, endpoints, reachable and devices, joined by commas");
    }
    all |= one;
  }
  return static_cast<Readiness>(all);
}

std::string to_string(Readiness readiness) {
  std::string text;
  for (std::size_t i = 0; i < readiness_names.size(); ++i) {
    if (!includes(readiness, static_cast<Readiness>(1u << i))) continue;
    if (!text.empty()) text += ',';
    text += readiness_names[i];
  }
  return text;
}

}  // namespace rollcall
