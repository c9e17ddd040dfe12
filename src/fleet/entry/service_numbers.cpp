#include "fleet/entry/service_numbers.hpp"

#include <array>

#include "metrics/observe.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::array<double, 13> delay_bounds = {0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30};
constexpr std::array<double, 11> lag_bounds = {0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5};
constexpr std::size_t max_identifications = 200;

}  // namespace

MetricFamily& add_family(MetricsSnapshot& snapshot, MetricType type, std::string name, std::string help,
                         std::vector<std::string> label_names) {
  MetricFamily& family = snapshot.families.emplace_back();
  family.name = std::move(name);
  family.help = std::move(help);
  family.type = type;
  family.label_names = std::move(label_names);
  return family;
}

void add_sample(MetricFamily& family, std::vector<std::string> labels, double value) {
  MetricSample& sample = family.samples.emplace_back();
  sample.labels = std::move(labels);
  sample.value = value;
}

ServiceNumbers::ServiceNumbers() {
  delay_.buckets.resize(delay_bounds.size() + 1);
  lag_.buckets.resize(lag_bounds.size() + 1);
}

void ServiceNumbers::add_delay(Duration delay) noexcept { observe(delay_, delay_bounds, delay); }
void ServiceNumbers::add_lag(Duration lag) noexcept { observe(lag_, lag_bounds, lag); }

void ServiceNumbers::add_identification(std::string_view method, std::string_view outcome) {
  std::pair<std::string, std::string> labels(method, outcome);
  if (identifications_.size() >= max_identifications && !identifications_.contains(labels)) labels = {"other", "other"};
  ++identifications_[std::move(labels)];
}

void ServiceNumbers::append_to(MetricsSnapshot& snapshot) const {
  const auto counter = [&snapshot](std::string name, std::string help, std::vector<std::string> labels = {}) -> MetricFamily& {
    return add_family(snapshot, MetricType::counter, "rollcall_serve_" + name, std::move(help), std::move(labels));
  };
  const auto histogram = [&snapshot](std::string name, std::string help, const MetricSample& sample, auto& bounds) {
    MetricFamily& family = add_family(snapshot, MetricType::histogram, "rollcall_serve_" + name, std::move(help));
    family.bounds.assign(bounds.begin(), bounds.end());
    family.samples.push_back(sample);
  };
  MetricFamily& followers =
      add_family(snapshot, MetricType::gauge, "rollcall_serve_followers", "Streams, and answers that wait, by view", {"view"});
  for (const auto& [view, count] : followers_) add_sample(followers, {std::string(view)}, static_cast<double>(count));
  MetricFamily& ends = counter("followers_dropped_total", "Streams that have ended, by reason", {"reason"});
  for (const auto& [reason, count] : ends_) add_sample(ends, {std::string(reason)}, static_cast<double>(count));
  MetricFamily& events = counter("events_sent_total", "Events of streams, by type", {"event"});
  for (const auto& [type, count] : events_) add_sample(events, {std::string(type)}, static_cast<double>(count));
  add_sample(counter("sent_bytes_total", "Bytes of bodies and events"), {}, static_cast<double>(bytes_));
  histogram("event_delay_seconds", "From the start of the poll that found a change until the change was sent to a follower", delay_,
            delay_bounds);
  MetricFamily& requests = counter("requests_total", "Requests that were answered, by place and HTTP status", {"place", "status"});
  for (const auto& [key, count] : requests_)
    add_sample(requests, {std::string(key.first), std::to_string(key.second)}, static_cast<double>(count));
  MetricFamily& refusals = counter("discovery_refused_total", "Answers that clients of endpoint discovery rejected (NACK)", {"type"});
  for (const auto& [type, count] : discovery_refusals_) add_sample(refusals, {std::string(type)}, static_cast<double>(count));
  MetricFamily& identifications = counter("auth_total", "Authentications of clients, by method and outcome", {"method", "outcome"});
  for (const auto& [key, count] : identifications_) add_sample(identifications, {key.first, key.second}, static_cast<double>(count));
  histogram("loop_lag_seconds", "How much later than planned a timer of the event loop ran, measured once a second", lag_, lag_bounds);
}

}  // namespace rollcall::fleet
