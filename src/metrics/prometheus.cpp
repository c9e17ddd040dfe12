// Numbers in Prometheus' text format 0.0.4. Source: prometheus.io/docs/instrumenting/exposition_formats.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/text.hpp"
#include "rollcall/metrics.hpp"

namespace rollcall {
namespace {

// A file of metrics may be printed on a terminal: invisible characters are escaped as everywhere else.
void append_escaped_label(std::string& out, std::string_view text, bool with_quotes) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t line_end = std::min(text.find('\n', at), text.size());
    for (const char c : printable_line(text.substr(at, line_end - at))) {
      if (c == '\\') {
        out += "\\\\";
      } else if (c == '"' && with_quotes) {
        out += "\\\"";
      } else {
        out += c;
      }
    }
    if (line_end < text.size()) out += "\\n";
    at = line_end + 1;
  }
}

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

class PrometheusWriter {
 public:
  void family(const MetricFamily& family) {
    if (family.samples.empty()) return;
    out += fmt::format("# HELP {} ", family.name);
    append_escaped_label(out, family.help, false);
    out += fmt::format("\n# TYPE {} {}\n", family.name, to_string(family.type));
    for (const MetricSample& sample : family.samples) {
      if (family.type == MetricType::histogram) {
        histogram(family, sample);
      } else {
        line(family, family.name, sample, {}, number_text(sample.value));
      }
    }
  }

  std::string out;

 private:
  void histogram(const MetricFamily& family, const MetricSample& sample) {
    std::uint64_t so_far = 0;
    for (std::size_t i = 0; i < sample.buckets.size(); ++i) {
      so_far += sample.buckets[i];
      const std::string bound = i < family.bounds.size() ? number_text(family.bounds[i]) : "+Inf";
      line(family, family.name + "_bucket", sample, bound, std::to_string(so_far));
    }
    line(family, family.name + "_sum", sample, {}, number_text(sample.value));
    line(family, family.name + "_count", sample, {}, std::to_string(sample.count));
  }

  void line(const MetricFamily& family, const std::string& name, const MetricSample& sample, const std::string& bound,
            const std::string& value) {
    out += name;
    bool is_first = true;
    const auto label = [&](std::string_view label_name, std::string_view text) {
      out += fmt::format("{}{}=\"", is_first ? "{" : ",", label_name);
      append_escaped_label(out, text, true);
      out += '"';
      is_first = false;
    };
    for (std::size_t i = 0; i < family.label_names.size(); ++i) label(family.label_names[i], sample.labels[i]);
    if (!bound.empty()) label("le", bound);
    out += fmt::format("{} {}\n", is_first ? "" : "}", value);
  }
};

}  // namespace

std::string_view to_string(MetricType type) noexcept {
  switch (type) {
    case MetricType::counter: return "counter";
    case MetricType::gauge: return "gauge";
    case MetricType::histogram: return "histogram";
  }
  return "untyped";
}

const MetricSample* MetricsSnapshot::find(std::string_view name, const std::vector<std::string>& labels) const {
  for (const MetricFamily& family : families) {
    if (family.name != name) continue;
    for (const MetricSample& sample : family.samples) {
      if (sample.labels == labels) return &sample;
    }
  }
  return nullptr;
}

double MetricsSnapshot::value(std::string_view name, const std::vector<std::string>& labels) const {
  const MetricSample* const sample = find(name, labels);
  return sample ? sample->value : 0;
}

std::string MetricsSnapshot::to_prometheus() const {
  PrometheusWriter writer;
  for (const MetricFamily& family : families) writer.family(family);
  return std::move(writer.out);
}

}  // namespace rollcall
