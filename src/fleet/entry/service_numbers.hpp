// The service's own metrics, for GET /metrics. Counting an event does not allocate: names are literals, and there are few of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "fleet/wire/fleet_question.hpp"
#include "rollcall/metrics.hpp"
#include "rollcall/time.hpp"

namespace rollcall::fleet {

class ServiceNumbers {
 public:
  ServiceNumbers();

  // `place`, `type` and `reason` are literals: only the views are kept.
  void add_request(std::string_view place, int status) { ++requests_[{place, status}]; }
  void add_event(std::string_view type) { ++events_[type]; }
  void add_bytes(std::uint64_t bytes) noexcept { bytes_ += bytes; }
  void add_end(std::string_view reason) { ++ends_[reason]; }
  /// From the start of the poll that found a change until the change was sent.
  void add_delay(Duration delay) noexcept;
  /// How much later than planned a timer of the event loop ran.
  void add_lag(Duration lag) noexcept;
  /// `method`: the kind of the identity (`certificate`, `kubernetes`, …); of a failure, the kind of proof that was shown.
  void add_identification(std::string_view method, std::string_view outcome);
  std::int64_t& followers(std::string_view view) { return followers_[view]; }
  /// A client of endpoint discovery has rejected an answer (NACK).
  void add_discovery_refusal(std::string_view type) { ++discovery_refusals_[type]; }

  void append_to(MetricsSnapshot& snapshot) const;

 private:
  using Counts = std::map<std::string_view, std::uint64_t>;
  std::map<std::pair<std::string_view, int>, std::uint64_t> requests_;
  Counts events_;
  Counts ends_;
  Counts discovery_refusals_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> identifications_;
  std::map<std::string_view, std::int64_t> followers_;
  std::uint64_t bytes_ = 0;
  MetricSample delay_;
  MetricSample lag_;
};

/// Counts a follower until it is destroyed.
class CountedFollower {
 public:
  /// `view`: a literal.
  CountedFollower(ServiceNumbers& numbers, std::string_view view) : count_(numbers.followers(view)) { ++count_; }
  CountedFollower(ServiceNumbers& numbers, View view) : CountedFollower(numbers, to_string(view)) {}
  ~CountedFollower() { --count_; }
  CountedFollower(const CountedFollower&) = delete;
  CountedFollower& operator=(const CountedFollower&) = delete;

 private:
  std::int64_t& count_;
};

/// Adds a family without samples to the snapshot.
MetricFamily& add_family(MetricsSnapshot& snapshot, MetricType type, std::string name, std::string help,
                         std::vector<std::string> label_names = {});
void add_sample(MetricFamily& family, std::vector<std::string> labels, double value);

}  // namespace rollcall::fleet
