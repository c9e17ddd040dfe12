#include "preflight/host/wire/verdict_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace rollcall {
namespace {

using Value = boost::json::value;

std::string_view text_of(const Value& value) { return value.is_string() ? std::string_view(value.as_string()) : std::string_view(); }

const boost::json::array* find_list(const Value& object, std::string_view key) {
  const Value* const found = find(object, key);
  return found ? found->if_array() : nullptr;
}

// Texts, or objects that have one as `warning`.
std::string joined(const Value& value, std::string_view separator) {
  const boost::json::array* const list = value.if_array();
  if (!list) return std::string(trim(text_of(value)));
  std::string out;
  for (const Value& one : *list) {
    const std::string_view words = trim(one.is_object() ? find_text(one, "warning").value_or(std::string_view()) : text_of(one));
    if (!words.empty()) out += fmt::format("{}{}", out.empty() ? std::string_view() : separator, words);
  }
  return out;
}

// Absent: no word of Health Validation.
std::optional<VerdictLevel> level_of_health(std::string_view word) {
  if (word == "PASS" || word == "INFO") return VerdictLevel::fine;
  if (word == "WARNING") return VerdictLevel::warning;
  return word == "CRITICAL" || word == "UNKNOWN" ? std::optional<VerdictLevel>(VerdictLevel::bad) : std::nullopt;
}

std::optional<VerdictPart> part_of_health(const Value& component) {
  const std::optional<std::string_view> word = find_text(component, "max_severity");
  if (!word || !find_list(component, "check_ids")) return std::nullopt;
  std::string checks = joined_in(component, "check_ids", ", ");
  if (checks.empty()) checks = find_text(component, "category").value_or("a part of the host");
  return VerdictPart(level_of_health(*word).value_or(VerdictLevel::bad), fmt::format("{} of {}", *word, checks),
                     joined_in(component, "entities", ", "));
}

std::string device_of_result(const Value& result) {
  const Value* const entity = find(result, "entity_id");
  const std::string_view group = find_text(result, "entity_group").value_or(std::string_view());
  if (entity && entity->is_int64() && !group.empty()) return fmt::format("{} {}", to_lower(group), entity->as_int64());
  for (const char* const key : {"gpu_id", "gpu_ids"}) {
    const Value* const gpu = find(result, key);
    if (gpu && gpu->is_int64()) return fmt::format("gpu {}", gpu->as_int64());
    if (gpu && !text_of(*gpu).empty()) return fmt::format("gpu {}", text_of(*gpu));
  }
  const std::string_view cpu = find_text(result, "cpu_id").value_or(std::string_view());
  return cpu.empty() ? std::string() : fmt::format("cpu {}", cpu);
}

const Value* diagnostic_in(const Value& document) {
  for (const std::string_view key : diagnostic_keys) {
    const Value* const found = find(document, key);
    if (found && found->is_object()) return found;
  }
  return nullptr;
}

class DiagnosticReading {
 public:
  DiagnosticVerdict run(const std::vector<const Value*>& diagnostics) {
    for (const Value* const diagnostic : diagnostics) take_diagnostic(*diagnostic);
    return std::move(verdict_);
  }

 private:
  void take_diagnostic(const Value& diagnostic) {
    if (const std::optional<std::string_view> error = find_text(diagnostic, "runtime_error")) {
      verdict_.fault = fmt::format("could not run its tests: {}", trim(*error));
      return;
    }
    const boost::json::array* const categories = find_list(diagnostic, "test_categories");
    if (!categories) {
      verdict_.fault = "prints a diagnostic without test_categories";
      return;
    }
    for (const Value& category : *categories) {
      const boost::json::array* const tests = find_list(category, "tests");
      if (!tests) verdict_.fault = "prints a diagnostic with a category without tests";
      for (const Value& test : tests ? *tests : none_) take_test(test);
    }
  }

  // One that did not run has neither results nor a summary.
  void take_test(const Value& test) {
    constexpr std::size_t max_name_bytes = 200;
    const std::string name(find_text(test, "name").value_or("a test without a name").substr(0, max_name_bytes));
    const boost::json::array* const results = find_list(test, "results");
    bool is_bad = false;
    for (const Value& result : results ? *results : none_) is_bad = take_result(name, result) || is_bad;
    const Value* const summary = find(test, "test_summary");
    if (summary && !is_bad && equals_ignoring_case(find_text(*summary, "status").value_or(std::string_view()), "fail"))
      take_result(name, *summary);
  }

  // True: the test failed.
  bool take_result(const std::string& name, const Value& result) {
    const std::string_view status = find_text(result, "status").value_or("without a status");
    const std::string word = to_lower(status);
    if (word == "skip" || word == "skipped" || word == "not run") return false;
    ++verdict_.executed;
    if (word == "pass") return false;
    const VerdictLevel level = word == "warn" ? VerdictLevel::warning : VerdictLevel::bad;
    std::string text = fmt::format("{} has the result {}", name, status);
    if (word == "fail") text = name + " failed";
    if (word == "warn") text = name + " has a warning";
    const std::string words = joined_in(result, "warnings", "; ");
    if (!words.empty()) text += fmt::format(": {}", words);
    verdict_.parts.emplace_back(level, std::move(text), device_of_result(result));
    return word == "fail";
  }

  const boost::json::array none_;
  DiagnosticVerdict verdict_;
};

}  // namespace

std::string joined_in(const Value& object, std::string_view key, std::string_view separator) {
  const Value* const found = find(object, key);
  return found ? joined(*found, separator) : std::string();
}

// What summarizes the checks of a category is known by its members, under any name of the list.
HealthVerdict read_health_verdict(const Value& root) {
  HealthVerdict verdict;
  const std::optional<std::string_view> word = find_text(root, health_severity);
  const std::optional<VerdictLevel> level = word ? level_of_health(*word) : std::nullopt;
  if (!level) {
    verdict.fault = word ? fmt::format("{} is {}", health_severity, quoted(*word, 64)) : fmt::format("{} is no text", health_severity);
    return verdict;
  }
  verdict.level = *level;
  verdict.word = *word;
  for (const auto& member : root.as_object()) {
    const boost::json::array* const list = member.value().if_array();
    if (!list) continue;
    for (const Value& one : *list) {
      std::optional<VerdictPart> part = one.is_object() ? part_of_health(one) : std::nullopt;
      if (part) verdict.parts.push_back(std::move(*part));
    }
  }
  return verdict;
}

std::vector<const Value*> find_diagnostics(const Value& root) {
  if (const Value* const only = diagnostic_in(root)) return {only};
  const boost::json::array* const iterations = find_list(root, "iterations");
  std::vector<const Value*> all;
  if (!iterations || !find_text(root, "Overall Result")) return all;
  for (const Value& iteration : *iterations) {
    const Value* const found = diagnostic_in(iteration);
    all.push_back(found ? found : &iteration);  // one that did not come to its end is read as a diagnostic without tests
  }
  return all;
}

DiagnosticVerdict read_diagnostic_verdict(const std::vector<const Value*>& diagnostics) { return DiagnosticReading().run(diagnostics); }

}  // namespace rollcall
