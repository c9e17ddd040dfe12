#include "command/arguments/kubectl_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "rollcall/target.hpp"

namespace rollcall::command {
namespace {

constexpr std::string_view workload_scheme = "kubernetes";

Failure wrong_words(std::string what, std::string hint) {
  return Failure(Errc::invalid_argument, std::move(what)).with_hint(std::move(hint));
}

// An option of kubectl, and its value once it was read.
class KubectlOption {
 public:
  KubectlOption(std::string_view long_name, std::string_view short_name) : name(long_name), letter(short_name) {}
  std::string_view name;
  std::string_view letter;  // empty: it has none
  std::string value;
};

class KubectlReader {
 public:
  explicit KubectlReader(const std::vector<std::string>& words)
      : words_(words), end_(std::find(words.begin(), words.end(), "--")), next_(words.begin()) {
    command_ = command_of();
  }

  Result<std::vector<std::string>> read() {
    while (next_ != end_) {
      const Result<void> taken = take(*next_++);
      if (!taken) return taken.error();
    }
    const Result<void> placed = place();
    if (!placed) return placed.error();
    written_.insert(written_.end(), end_, words_.end());
    return std::move(written_);
  }

 private:
  // The first word that is neither an option nor the value of one of kubectl's: those may stand before the command.
  const CommandRow* command_of() const {
    for (auto word = words_.begin(); word != end_; ++word) {
      if (!word->starts_with("-")) return find_command(*word);
      const std::size_t option = find(*word);
      if (option < options_.size() && is_alone(options_[option], *word) && word + 1 != end_) ++word;
    }
    return nullptr;
  }

  static bool is_alone(const KubectlOption& option, std::string_view word) { return word == option.name || word == option.letter; }

  // The place of the option that `word` names; the number of options if it names none.
  std::size_t find(std::string_view word) const {
    const auto of_word = [word](const KubectlOption& one) {
      const bool is_long = word.starts_with(one.name) && (word.size() == one.name.size() || word[one.name.size()] == '=');
      return is_long || (!one.letter.empty() && word.starts_with(one.letter) && !word.starts_with("--"));
    };
    return static_cast<std::size_t>(std::find_if(options_.begin(), options_.end(), of_word) - options_.begin());
  }

  // The command's own option that `word` names alone, so that its value is the next word.
  const OptionRow* row_of(std::string_view word) const {
    if (!command_) return nullptr;
    for (const OptionRow& row : command_->options) {
      const bool is_letter = word.size() == 2 && word[0] == '-' && word[1] != '-' && (word[1] == row.letter || word[1] == row.also);
      if (word == row.name || is_letter) return &row;
    }
    return nullptr;
  }

  Result<void> take(const std::string& word) {
    const std::size_t option = find(word);
    if (option < options_.size() && !row_of(options_[option].name)) return take_option(options_[option], word);
    const OptionRow* const row = row_of(word);
    if (row && !row->value.empty() && next_ != end_) {
      written_.push_back(word);
      written_.push_back(*next_++);
      return {};
    }
    const bool is_positional = command_ && !word.starts_with("-") && has_command_;
    if (is_positional && command_->takes_targets) places_.push_back(written_.size());
    has_command_ = has_command_ || !word.starts_with("-");
    written_.push_back(word);
    return {};
  }

  Result<void> take_option(KubectlOption& option, const std::string& word) {
    if (is_alone(option, word)) {
      if (next_ == end_) return wrong_words(fmt::format("{} needs a value", word), {});
      option.value = *next_++;
    } else {
      option.value = word.substr(word.starts_with("--") ? option.name.size() : option.letter.size());
      if (option.value.starts_with("=")) option.value.erase(0, 1);
    }
    if (option.value.empty()) return wrong_words(fmt::format("the value of {} is empty", option.name), {});
    return {};
  }

  // `job/trainer`, with or without keys of a target behind it.
  static bool is_workload(std::string_view word) {
    const std::string_view name = word.substr(0, word.find(','));
    return name.find(':') == std::string_view::npos && std::count(name.begin(), name.end(), '/') == 1;
  }

  Result<void> place() {
    bool is_placed = false;
    for (const std::size_t at : places_) {
      if (!is_workload(written_[at])) continue;
      Result<std::string> target = target_of(written_[at]);
      if (!target) return target.error();
      written_[at] = std::move(*target);
      is_placed = true;
    }
    const auto idle = std::find_if(options_.begin(), options_.end(), [](const KubectlOption& one) { return !one.value.empty(); });
    if (is_placed || idle == options_.end()) return {};
    if (command_ && command_->takes_targets)
      return wrong_words(fmt::format("{} belongs to a workload, and none is named", idle->name),
                         fmt::format("name it as kubectl does, KIND/NAME: kubectl rollcall {} job/trainer", command_->name));
    return wrong_words(fmt::format("{} has no meaning here", idle->name), "the variable KUBECONFIG names another file");
  }

  Result<std::string> target_of(const std::string& word) const {
    const std::string_view of_namespace = options_[0].value.empty() ? std::string_view(".") : std::string_view(options_[0].value);
    if (of_namespace.find_first_of("/,:") != std::string_view::npos)
      return wrong_words(fmt::format("--namespace: {} is no namespace", quoted(of_namespace, 80)), {});
    Result<Target> target = Target::parse(fmt::format("{}:{}/{}", workload_scheme, of_namespace, word));
    if (!target) return target.error();
    for (const auto& [option, key] : {std::pair(&options_[1], "context"), std::pair(&options_[2], "kubeconfig")}) {
      if (option->value.empty()) continue;
      if (target->get(key))
        return wrong_words(fmt::format("{} and the target's {}= exclude each other", option->name, key), "leave one of them out");
      target->options.emplace_back(key, std::vector<std::string>{option->value});
    }
    return target->to_text();
  }

  const std::vector<std::string>& words_;
  std::vector<std::string>::const_iterator end_;  // what follows belongs to a program
  std::vector<std::string>::const_iterator next_;
  const CommandRow* command_ = nullptr;
  bool has_command_ = false;  // its word was read
  std::array<KubectlOption, 3> options_ = {KubectlOption("--namespace", "-n"), KubectlOption("--context", {}),
                                           KubectlOption("--kubeconfig", {})};
  std::vector<std::string> written_;
  std::vector<std::size_t> places_;  // of targets in written_
};

}  // namespace

bool is_kubectl_plugin(std::string_view program) noexcept { return program.substr(program.rfind('/') + 1) == "kubectl-rollcall"; }

Result<std::vector<std::string>> kubectl_words(const std::vector<std::string>& words) { return KubectlReader(words).read(); }

}  // namespace rollcall::command
