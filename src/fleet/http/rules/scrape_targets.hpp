// What Prometheus asks for, and is told: its http_sd_configs. Pure. Source: prometheus.io/docs/prometheus/latest/http_sd.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/cluster_status.hpp"
#include "rollcall/error.hpp"
#include "rollcall/target.hpp"

namespace rollcall::fleet {

class ScrapeQuestion {
 public:
  ScrapeQuestion() {}
  std::vector<Target> targets;         ///< none: all that are followed
  std::optional<std::uint16_t> port;  ///< where members tell their numbers; absent: at the port of their addresses

  /// `target=T&target=T&port=8431`. Errors: invalid_argument, naming the parameter.
  static Result<ScrapeQuestion> parse(std::string_view query);
};

inline constexpr std::size_t max_scraped_targets = 64;  ///< that one question names

/// Adds the member's element to a list in JSON: the first behind `[`, with which `out` ends then, others behind a comma. A member without
/// an address adds nothing.
void append_scrape_target(std::string& out, const Target& target, const Member& member, std::optional<std::uint16_t> port);

}  // namespace rollcall::fleet
