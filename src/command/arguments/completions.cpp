#include "command/arguments/completions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "command/arguments/command_table.hpp"
#include "command/arguments/texts.hpp"
#include "rollcall/target_scheme.hpp"

namespace rollcall::command {
namespace {

class Completer {
 public:
  explicit Completer(std::span<const std::string> words) : words_(words), word_(words.back()) {}

  Completions run() {
    const std::size_t before = words_.size() - 1;
    if (before == 0) {
      add_commands();
      offer("help", "all of a command, or a topic");
      offer("--help", "the commands");
      offer("--version", "the version, and what was linked");
      return std::move(found_);
    }
    if (words_.front() == "help") {
      if (before == 1) add_commands();
      for (const std::string_view topic : help_topics()) {
        if (before == 1) offer(std::string(topic), "a topic");
      }
      return std::move(found_);
    }
    command_ = find_command(words_.front());
    if (command_) complete_command();
    return std::move(found_);
  }

 private:
  void offer(std::string word, std::string_view what) {
    if (word.starts_with(word_)) found_.candidates.emplace_back(std::move(word), what);
  }

  void add_commands() {
    for (const CommandRow& row : commands()) {
      if (!row.is_hidden) offer(std::string(row.name), row.summary);
    }
  }

  void complete_command() {
    const std::span<const std::string> before = words_.first(words_.size() - 1);
    if (command_->takes_program && std::find(before.begin(), before.end(), "--") != before.end()) {
      found_.wants_files = true;  // of the program to start
      return;
    }
    if (const OptionRow* const row = row_of(before.back()); row && !row->value.empty()) return add_values(*row, 0);
    const std::size_t equals = word_.find('=');
    if (word_.starts_with("--") && equals != std::string_view::npos) {
      const OptionRow* const row = row_of(word_.substr(0, equals));
      if (row && !row->value.empty()) add_values(*row, equals + 1);
      return;
    }
    if (word_.starts_with("-")) return add_options();
    add_positionals();
  }

  // The option that `word` names: `--format`, `-f`.
  const OptionRow* row_of(std::string_view word) const {
    for (const OptionRow& row : command_->options) {
      const bool is_letter = word.size() == 2 && word[0] == '-' && word[1] != '-' && (word[1] == row.letter || word[1] == row.also);
      if (word == row.name || is_letter) return &row;
    }
    return nullptr;
  }

  void add_options() {
    for (const OptionRow& row : command_->options) {
      if (!row.is_hidden) offer(std::string(row.name), row.help);
    }
    offer("--help", "the usual options in short");
  }

  // `start`: where in the word the value begins.
  void add_values(const OptionRow& row, std::size_t start) {
    if (row.completes == Completes::file) found_.wants_files = true;
    for (const std::string_view choice : row.choices) offer(std::string(word_.substr(0, start)).append(choice), "");
    const std::size_t comma = word_.rfind(',');
    const std::size_t last = comma == std::string_view::npos || comma < start ? start : comma + 1;
    const std::string_view given = word_.substr(start, last - start);
    for (const std::string_view item : row.items) {
      const auto parts = split(given, ',');
      if (std::find(parts.begin(), parts.end(), item) == parts.end()) offer(std::string(word_.substr(0, last)).append(item), "");
    }
  }

  void add_positionals() {
    if (command_->takes_targets) return add_targets();
    const std::string_view form = command_->positional;
    if (form.starts_with("FILE")) found_.wants_files = true;
    if (form.find('|') == std::string_view::npos) return;
    for (const std::string_view choice : split(form, '|')) offer(std::string(choice), "");
  }

  void add_targets() {
    const std::size_t colon = word_.find(':');
    if (colon == std::string_view::npos) {
      if (command_->takes_this_host) offer(std::string(local_word), "this host");
      for (const TargetScheme* scheme : target_schemes()) offer(fmt::format("{}:", scheme->name), scheme->summary);
      return;
    }
    const TargetScheme* const scheme = find_scheme(word_.substr(0, colon));
    if (!scheme) return;
    const std::size_t comma = word_.rfind(',');
    const bool is_body = comma == std::string_view::npos;
    if (!is_body || begins_with_keys(*scheme)) add_keys(*scheme, is_body ? colon + 1 : comma + 1);
    if (!is_body) return;
    found_.wants_files = scheme->name_needs_trust;
    const std::optional<FoundKind> kind = scheme->completes ? scheme->completes(word_.substr(colon + 1)) : std::nullopt;
    if (kind) find_names(*kind);
  }

  // `slurm:[job.NAME=COUNT…][,order=rank]…`: no positional part before the keys.
  static bool begins_with_keys(const TargetScheme& scheme) {
    const std::string_view first = scheme.synopsis.substr(scheme.name.size() + 1);
    return first.substr(0, first.find_first_of("],")).find('=') != std::string_view::npos;
  }

  // The keys that are not in the word yet; `start`: where the key begins.
  void add_keys(const TargetScheme& scheme, std::size_t start) {
    const std::string front(word_.substr(0, start));
    if (word_.find('=', start) != std::string_view::npos) return;
    for (const TargetKey& key : scheme.keys) {
      const bool is_there =
          front.find(fmt::format(",{}=", key.name)) != std::string::npos || front.find(fmt::format(":{}=", key.name)) != std::string::npos;
      if (!is_there) offer(fmt::format("{}{}=", front, key.name), key.meaning);
    }
    if (scheme.takes_jobs) offer(front + "job.", "the tasks of a job: job.NAME=...");
  }

  void find_names(FoundKind kind) {
    std::string projects;
    std::string zones;
    std::vector<GivenOption> way;
    constexpr std::string_view of_the_way[] = {"--token-file", "--ca", "--client-certificate", "--client-key", "--proxy", "--connect-to"};
    for (GivenOption& one : options_before()) {
      const std::string_view name = one.row->name;
      if (name == "--project") projects = std::move(one.value);
      if (name == "--zone") zones = std::move(one.value);
      if (std::find(std::begin(of_the_way), std::end(of_the_way), name) != std::end(of_the_way)) way.push_back(std::move(one));
    }
    found_.names.emplace(kind, std::move(projects), std::move(zones));
    found_.names->way = std::move(way);
  }

  // The options with a value that stand before the word that is typed.
  std::vector<GivenOption> options_before() const {
    std::vector<GivenOption> options;
    for (std::size_t i = 1; i + 1 < words_.size(); ++i) {
      const std::string& word = words_[i];
      const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
      const OptionRow* const row = row_of(std::string_view(word).substr(0, equals));
      if (!row || row->value.empty()) continue;
      if (equals != std::string::npos) options.emplace_back(*row, word.substr(equals + 1));
      if (equals == std::string::npos && i + 2 < words_.size()) options.emplace_back(*row, words_[++i]);
    }
    return options;
  }

  std::span<const std::string> words_;
  std::string_view word_;
  const CommandRow* command_ = nullptr;
  Completions found_;
};

}  // namespace

Completions complete(std::span<const std::string> words) { return words.empty() ? Completions() : Completer(words).run(); }

}  // namespace rollcall::command
