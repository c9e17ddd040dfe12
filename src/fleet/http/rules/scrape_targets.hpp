// Question and answer of Prometheus' HTTP service discovery (http_sd_configs). Pure. Source: prometheus.io/docs/prometheus/latest/http_sd.
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
  std::vector<Target> targets;         ///< empty: all followed targets
  std::optional<std::uint16_t> port;  ///< of the members' metrics; absent: the port of their addresses

  /// `target=T&target=T&port=8431`. Errors: invalid_argument, naming the parameter.
  static Result<ScrapeQuestion> parse(std::string_view query);
};

inline constexpr std::size_t max_scraped_targets = 64;  ///< in one question

/// Appends a member to a JSON list: `out` ends with `[` or with an element. A member without an address is skipped.
void append_scrape_target(std::string& out, const Target& target, const Member& member, std::optional<std::uint16_t> port);

}  // namespace rollcall::fleet
