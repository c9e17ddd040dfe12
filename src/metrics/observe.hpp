// Shared by all counters: adds a value to a histogram, and the label of a fleet source.
#pragma once

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "rollcall/metrics.hpp"
#include "rollcall/scheme_rules.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// `histogram` has a bucket for each of `bounds` (ascending), and one more. Allocates nothing.
inline void observe(MetricSample& histogram, std::span<const double> bounds, Duration duration) noexcept {
  const double seconds = std::chrono::duration<double>(duration).count();
  const auto bound = std::lower_bound(bounds.begin(), bounds.end(), seconds);
  ++histogram.buckets[static_cast<std::size_t>(bound - bounds.begin())];
  ++histogram.count;
  histogram.value += seconds;
}

/// The label of a source's name in the fleet: `tpu/PROJECT/ZONE`, `gce/PROJECT/ZONE`, `slurm/CLUSTER`, else only the scheme, since labels
/// contain no targets.
inline std::string source_label(std::string_view key) {
  if (key.starts_with("told/")) key.remove_prefix(5);
  const SchemeRules* const rules = find_scheme_rules(key.substr(0, key.find('/')));
  if (rules && rules->place == SchemePlace::zone) return std::string(key.substr(0, 200));
  return std::string(key.substr(0, std::min<std::size_t>(key.find(':'), 32)));
}

}  // namespace rollcall
