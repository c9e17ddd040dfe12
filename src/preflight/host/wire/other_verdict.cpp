#include "preflight/host/wire/other_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/last_line.hpp"
#include "base/order.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "json/json_dom.hpp"
#include "preflight/host/wire/nvhcd_answer.hpp"
#include "preflight/host/wire/verdict_json.hpp"

namespace rollcall {
namespace {

constexpr std::string_view health_check_failed = "Health check failed:";
constexpr int shell_cannot_execute = 126;
constexpr int shell_found_nothing = 127;

std::string_view first_line(std::string_view text) {
  text = trim(text);
  return trim(text.substr(0, text.find_first_of("\r\n")));
}

std::string ending(const CommandEnd& end) {
  return end.signal != 0 ? fmt::format("was ended by signal {}", end.signal) : fmt::format("ended with exit code {}", end.exit_code);
}

// It would be lost if the exit code alone counted: that is often of a script around it.
bool names_verdict(std::string_view output) {
  const auto has = [output](std::string_view key) { return output.find(fmt::format("\"{}\"", key)) != std::string_view::npos; };
  return has(health_severity) || std::any_of(diagnostic_keys.begin(), diagnostic_keys.end(), has);
}

bool has_failed(const CommandEnd& end) { return end.signal != 0 || end.exit_code != 0; }

class VerdictReading {
 public:
  VerdictReading(const VerdictSource& source, const CommandEnd& end, std::size_t most) : source_(source), end_(end), limit_(most) {}

  std::vector<OtherFinding> run() {
    read();
    sort_stably(found_, [](const OtherFinding& a, const OtherFinding& b) { return a.severity > b.severity; });
    if (found_.size() > limit_) {
      const std::size_t kept = limit_ - 1;
      OtherFinding rest(found_[kept].severity, fmt::format("{} says {} more", source_.name, found_.size() - kept));
      found_.resize(kept);
      found_.push_back(std::move(rest));
    }
    return std::move(found_);
  }

 private:
  // Once: several iterations of a diagnostic say the same.
  void add(FindingSeverity severity, std::string_view words, std::string_view device = {}) {
    OtherFinding finding(severity, printable_words(fmt::format("{} {}", source_.name, words), max_other_words),
                         printable_words(device, max_other_device));
    if (std::find(found_.begin(), found_.end(), finding) == found_.end()) found_.push_back(std::move(finding));
  }
  void fail(std::string_view words) { add(FindingSeverity::failure, words); }

  // Escapes count as well: a report of many findings has its limit.
  static std::string printable_words(std::string_view words, std::size_t max_bytes) {
    std::string shown = printable(trim(without_secrets(words.substr(0, 4 * max_bytes))), max_bytes);
    if (shown.size() <= max_bytes) return shown;
    std::size_t end = max_bytes;
    while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0U) == 0x80U) --end;
    return shown.substr(0, end) + "…";
  }

  void read() {
    if (!source_.socket.empty()) return read_nvhcd();
    if (!end_.failure.empty()) return fail(end_.failure);
    if (source_.is_nagios) return read_nagios();
    const std::string_view output = trim(end_.output);
    const bool is_json = output.starts_with('{');
    const std::size_t begin = is_json ? 0 : output.find("\n{");
    if (begin != std::string_view::npos) {
      const Result<JsonDocument> document = JsonDocument::parse("its verdict", output.substr(begin));
      if (!document && is_json)
        return fail(fmt::format("prints what begins as JSON and is none ({}); it {}", document.error().what(), ending(end_)));
      if (document && read_document(document->root())) return;
    }
    if (names_verdict(output)) return fail(fmt::format("prints a verdict that cannot be read among other words; it {}", ending(end_)));
    read_lines();
  }

  // False: it is the verdict of none of these programs.
  bool read_document(const boost::json::value& root) {
    const std::vector<const boost::json::value*> diagnostics = find_diagnostics(root);
    if (find(root, health_severity)) {
      read_health(root);
    } else if (!diagnostics.empty()) {
      read_diagnostic(diagnostics);
    } else {
      return false;
    }
    return true;
  }

  // Without an answer nothing is said of the host.
  void read_nvhcd() {
    const NvhcdVerdict verdict = end_.failure.empty() ? read_nvhcd_answer(end_.output) : NvhcdVerdict();
    const std::string& fault = end_.failure.empty() ? verdict.fault : end_.failure;
    if (!fault.empty()) add(FindingSeverity::warning, fmt::format("gave no verdict: {}", fault));
    if (!verdict.failure.empty()) fail(verdict.failure);
  }

  // A plugin that could not look ends with 3.
  void read_nagios() {
    if (!has_failed(end_)) return;
    const std::string_view line = first_line(end_.output);
    const std::string_view words = trim(line.substr(0, line.find('|')));  // measures come behind it
    const bool is_warning = end_.signal == 0 && (end_.exit_code == 1 || end_.exit_code == 3);
    const std::string said = words.empty() ? ending(end_) : fmt::format("says: {}", words);
    const bool is_of_nagios = end_.signal == 0 && end_.exit_code <= 3;
    add(is_warning ? FindingSeverity::warning : FindingSeverity::failure, is_of_nagios ? said : ending_with_words());
  }

  void read_lines() {
    if (!has_failed(end_)) return;
    for (const std::string* const text : {&end_.output, &end_.errors}) {
      for (const std::string_view line : split(*text, '\n')) {
        const std::size_t at = line.find(health_check_failed);
        if (at == std::string_view::npos || line.substr(0, at).find("ERROR:") == std::string_view::npos) continue;
        const std::string_view words = trim(line.substr(at + health_check_failed.size()));
        fail(words.empty() ? "says that a check failed" : fmt::format("says: {}", words));
      }
    }
    if (found_.empty()) fail(ending_with_words());
  }

  std::string ending_with_words() const {
    const bool is_shell = end_.signal == 0 && (end_.exit_code == shell_cannot_execute || end_.exit_code == shell_found_nothing);
    const std::string_view errors = last_line(end_.errors);
    const std::string_view words = errors.empty() ? last_line(end_.output) : errors;
    const std::string how = is_shell ? fmt::format("could not be started (exit code {})", end_.exit_code) : ending(end_);
    return words.empty() ? how : fmt::format("{}: {}", how, words);
  }

  void read_health(const boost::json::value& root) {
    const HealthVerdict verdict = read_health_verdict(root);
    if (!verdict.fault.empty()) return fail(fmt::format("prints a verdict that cannot be read: {}; it {}", verdict.fault, ending(end_)));
    bool says_all = false;
    for (const VerdictPart& part : verdict.parts) {
      if (part.level == VerdictLevel::fine) continue;
      says_all = says_all || part.level == verdict.level;
      add(severity_of(part.level), fmt::format("says {}", part.text), part.device);
    }
    if (verdict.level != VerdictLevel::fine && !says_all) add(severity_of(verdict.level), fmt::format("says {} of the host", verdict.word));
    if (verdict.level == VerdictLevel::bad || !has_failed(end_)) return;
    constexpr int without_verdict = 2;
    if (end_.signal == 0 && end_.exit_code == without_verdict)
      return add(FindingSeverity::warning, fmt::format("gave no verdict: it says {}, and {}", verdict.word, ending(end_)));
    fail(fmt::format("says {}, and {}", verdict.word, ending(end_)));
  }

  void read_diagnostic(const std::vector<const boost::json::value*>& diagnostics) {
    const DiagnosticVerdict verdict = read_diagnostic_verdict(diagnostics);
    if (!verdict.fault.empty()) return fail(fmt::format("{}; it {}", verdict.fault, ending(end_)));
    bool is_bad = false;
    for (const VerdictPart& part : verdict.parts) {
      is_bad = is_bad || part.level == VerdictLevel::bad;
      if (part.level != VerdictLevel::fine) add(severity_of(part.level), fmt::format("says: {}", part.text), part.device);
    }
    if (has_failed(end_) && !is_bad) fail(fmt::format("{}, and none of its tests says that it failed", ending(end_)));
    if (!has_failed(end_) && verdict.executed == 0) add(FindingSeverity::warning, "ran none of its tests");
  }

  static FindingSeverity severity_of(VerdictLevel level) {
    return level == VerdictLevel::bad ? FindingSeverity::failure : FindingSeverity::warning;
  }

  const VerdictSource& source_;
  const CommandEnd& end_;
  const std::size_t limit_;
  std::vector<OtherFinding> found_;
};

}  // namespace

std::vector<OtherFinding> read_other_verdict(const VerdictSource& source, const CommandEnd& end, std::size_t most) {
  return VerdictReading(source, end, std::max<std::size_t>(most, 1)).run();
}

}  // namespace rollcall
