// Reads Prometheus' text format 0.0.4, strictly: reports everything that promtool reports, too.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace rollcall::testing {

class PrometheusChecker {
 public:
  /// Empty: no fault.
  std::string check(std::string_view text) {
    if (!text.empty() && text.back() != '\n') return "the last line does not end";
    for (int number = 1; !text.empty(); ++number) {
      const std::size_t end = text.find('\n');
      const std::string fault = line(text.substr(0, end));
      if (!fault.empty()) return fmt::format("line {}: {}", number, fault);
      text.remove_prefix(end + 1);
    }
    return finish();
  }

 private:
  static bool is_name(std::string_view name) {
    return !name.empty() && (name[0] < '0' || name[0] > '9') &&
           name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:") == std::string_view::npos;
  }

  std::string line(std::string_view text) {
    if (text.starts_with("# HELP ")) return begin(text.substr(7));
    if (text.starts_with("# TYPE ")) return type(text.substr(7));
    if (text.empty() || text[0] == '#') return "neither a sample nor HELP or TYPE";
    return sample(text);
  }

  std::string begin(std::string_view rest) {
    const std::string finished = finish();
    if (!finished.empty()) return finished;
    family_ = std::string(rest.substr(0, rest.find(' ')));
    kind_.clear();
    if (!is_name(family_) || !families_.insert(family_).second) return "a family's name that is none, or there twice";
    for (std::size_t at = rest.find('\\'); at != std::string_view::npos; at = rest.find('\\', at + 2)) {
      if (at + 1 >= rest.size() || (rest[at + 1] != '\\' && rest[at + 1] != 'n')) return "a bad escape in HELP";
    }
    return {};
  }

  std::string type(std::string_view rest) {
    if (family_.empty() || rest.substr(0, rest.find(' ')) != family_) return "TYPE does not follow its HELP";
    kind_ = std::string(rest.substr(rest.find(' ') + 1));
    if (kind_ == "counter" && !family_.ends_with("_total") && family_.size() > 1) return "a counter's name does not end in _total";
    return kind_ == "counter" || kind_ == "gauge" || kind_ == "histogram" ? "" : "an unknown type";
  }

  std::string sample(std::string_view text) {
    if (kind_.empty()) return "a sample without HELP and TYPE";
    const std::size_t name_end = text.find_first_of("{ ");
    if (name_end == std::string_view::npos) return "no value";
    const std::string name(text.substr(0, name_end));
    std::map<std::string, std::string> labels;
    if (text[name_end] == '{') {
      const std::string fault = read_labels(text, name_end, labels);
      if (!fault.empty()) return fault;
    } else {
      text.remove_prefix(name_end);
    }
    if (text.empty() || text[0] != ' ') return "no blank before the value";
    const std::string number(text.substr(1));
    char* end = nullptr;
    const double value = std::strtod(number.c_str(), &end);
    if (number.empty() || *end != '\0') return "the value is no number";
    return keep(name, std::move(labels), value);
  }

  static std::string read_labels(std::string_view& text, std::size_t at, std::map<std::string, std::string>& labels) {
    do {
      ++at;
      const std::size_t equals = text.find("=\"", at);
      if (equals == std::string_view::npos) return "a label without a quoted value";
      const std::string name(text.substr(at, equals - at));
      std::string value;
      for (at = equals + 2; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] == '\\' && (++at >= text.size() || std::string_view("\\\"n").find(text[at]) == std::string_view::npos))
          return "a bad escape";
        value += text[at];
      }
      if (++at >= text.size() || !is_name(name) || !labels.emplace(name, value).second) return "a label that is none, or there twice";
    } while (text[at] == ',');
    if (text[at] != '}') return "labels do not end";
    text.remove_prefix(at + 1);
    return {};
  }

  std::string keep(const std::string& name, std::map<std::string, std::string> labels, double value) {
    if (!samples_.emplace(name, labels).second) return "a sample is there twice";
    if (kind_ != "histogram") return name == family_ ? "" : "a sample of another family";
    std::string bound;
    if (name == family_ + "_bucket") {
      bound = labels["le"];
      labels.erase("le");
    }
    Histogram& histogram = histograms_[labels];
    if (name == family_ + "_sum") {
      histogram.has_sum = true;
    } else if (name == family_ + "_count") {
      histogram.count = value;
    } else if (!bound.empty()) {
      const double limit = std::strtod(bound.c_str(), nullptr);
      if (histogram.has_bucket && (limit <= histogram.bound || value < histogram.last))
        return "buckets are not cumulative, or out of order";
      histogram.has_bucket = true;
      histogram.bound = limit;
      histogram.last = value;
      histogram.has_infinity = bound == "+Inf";
    } else {
      return "a sample that no histogram has";
    }
    return {};
  }

  std::string finish() {
    for (const auto& [labels, histogram] : histograms_) {
      if (!histogram.has_sum || !histogram.has_infinity || histogram.count != histogram.last) return family_ + " is not whole";
    }
    histograms_.clear();
    return {};
  }

  struct Histogram {
    bool has_sum = false;
    bool has_bucket = false;
    bool has_infinity = false;
    double bound = 0;
    double last = 0;
    double count = -1;
  };
  std::string family_;
  std::string kind_;
  std::set<std::string> families_;
  std::set<std::pair<std::string, std::map<std::string, std::string>>> samples_;
  std::map<std::map<std::string, std::string>, Histogram> histograms_;
};

inline std::string prometheus_fault(std::string_view text) { return PrometheusChecker().check(text); }

}  // namespace rollcall::testing
