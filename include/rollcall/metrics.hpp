// The activity of a Runtime as numbers: counters, gauges and histograms that can be read, and written for Prometheus.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rollcall/cluster_status.hpp"
#include "rollcall/log.hpp"

namespace rollcall {

/// As Prometheus defines them.
enum class MetricType : std::uint8_t { counter, gauge, histogram };
std::string_view to_string(MetricType type) noexcept;

/// One value of a family. For a histogram `value` is the sum.
class MetricSample {
 public:
  MetricSample() {}
  std::vector<std::string> labels;  ///< values, in the order of the family's label names
  double value = 0;
  std::vector<std::uint64_t>
      buckets;  ///< number of values in each bucket: at most the bucket's bound, and above the bound before; the last: above all
  std::uint64_t count = 0;             ///< of a histogram: the number of all values
  friend bool operator==(const MetricSample&, const MetricSample&) = default;
};

/// Samples of one name, as Prometheus defines a family.
class MetricFamily {
 public:
  MetricFamily() {}
  std::string name;
  std::string help;
  MetricType type = MetricType::counter;
  std::vector<std::string> label_names;
  std::vector<double> bounds;  ///< of a histogram, ascending, without infinity
  std::vector<MetricSample> samples;
};

/// All numbers at one moment; a value.
class MetricsSnapshot {
 public:
  MetricsSnapshot() {}
  std::vector<MetricFamily> families;
  /// Null if there is no such value (yet).
  const MetricSample* find(std::string_view name, const std::vector<std::string>& labels = {}) const;
  /// Of a counter or gauge; 0 when there is none yet.
  double value(std::string_view name, const std::vector<std::string>& labels = {}) const;
  /// The text format 0.0.4. Families without values are left out.
  std::string to_prometheus() const;
};

/// Counts the events of a Runtime: pass it as RuntimeOptions::log; a further sink that shall receive the events is passed as `next`. Memory
/// is bounded: a family has at most `max_series` combinations of labels, later ones are counted under `other`; members are counted
/// individually up to 65,536. All calls on the Runtime's executor. docs/command.md lists the families.
class Metrics final : public LogSink {
 public:
  explicit Metrics(std::shared_ptr<LogSink> next = nullptr, std::size_t max_series = 200);
  ~Metrics() override;

  void on_event(const Event& event) noexcept override;
  /// The states of a cluster's members, for rollcall_cluster_members; for a cluster that is waited for or watched.
  void take(const ClusterStatus& status);

  MetricsSnapshot snapshot() const;
  std::string to_prometheus() const { return snapshot().to_prometheus(); }

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace rollcall
