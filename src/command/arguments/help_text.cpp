#include <fmt/format.h>

#include <algorithm>

#include "base/append_formatted.hpp"
#include "base/text.hpp"
#include "command/arguments/environment_table.hpp"
#include "command/arguments/texts.hpp"
#include "command/terminal/exit_codes.hpp"
#include "command/terminal/text_layout.hpp"
#include "rollcall/target_scheme.hpp"

namespace rollcall::command {
namespace {

std::string usage_line(const CommandRow& command) {
  return fmt::format("Usage: rollcall {}{}{}{}", command.name, command.options.empty() ? "" : " [OPTIONS]",
                     command.positional.empty() ? "" : " ", command.positional);
}

// A summary as a sentence.
std::string sentence(std::string_view summary) {
  std::string text(summary);
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text + ".";
}

std::string option_term(const OptionRow& row, bool with_all_letters) {
  std::string term = row.letter ? fmt::format("-{}, ", row.letter) : std::string("    ");
  if (row.also && with_all_letters) term += fmt::format("-{}, ", row.also);
  const std::string choices = fmt::format("{}", fmt::join(row.choices, "|"));
  constexpr std::size_t widest_choices = 24;
  const std::string_view value = row.choices.empty() || choices.size() > widest_choices ? row.value : std::string_view(choices);
  return fmt::format("{}{}{}{}", term, row.name, value.empty() ? "" : " ", value);
}

std::string option_meaning(const OptionRow& row) {
  std::string meaning(row.help);
  const std::string choices = fmt::format("{}", fmt::join(row.choices, ", "));
  if (choices.size() > 24) meaning += "; one of " + choices;
  if (row.is_repeatable) meaning += "; may be repeated";
  return meaning;
}

std::size_t shown_options(const CommandRow& command) {
  return static_cast<std::size_t>(
      std::count_if(command.options.begin(), command.options.end(), [](const OptionRow& row) { return !row.is_hidden; }));
}

std::string targets_help(std::size_t width) {
  std::string out = "A target names a cluster: SCHEME:BODY[,KEY=VALUE]... Several targets are one cluster.\n";
  if (width < out.size()) out = wrapped(out, 0, width);
  for (const TargetScheme* scheme : target_schemes()) {
    append_formatted(out, "\n{}\n  {}\n  {}\n", wrapped(scheme->synopsis, 2, width), wrapped(scheme->summary, 2, width),
                     wrapped(fmt::format("such as {}", scheme->example), 2, width));
    std::vector<HelpEntry> keys;
    for (const TargetKey& key : scheme->keys) keys.emplace_back("  " + std::string(key.name), std::string(key.meaning));
    append_entries(out, keys, width);
  }
  return out;
}

std::string environment_help(std::size_t width) {
  std::string out;
  for (const VariableRow& row : environment_variables())
    append_formatted(out, "{}\n    {}\n", wrapped(row.names, 0, width), wrapped(row.meaning, 4, width));
  return out;
}

std::string exit_codes_help(std::size_t width) {
  std::string out;
  std::vector<HelpEntry> entries;
  for (const ExitCode& row : exit_codes()) entries.emplace_back(fmt::format("{:>3} {}", row.code, row.meaning), std::string(row.detail));
  append_entries(out, entries, width);
  return out;
}

class HelpTopic {
 public:
  std::string_view name;
  std::string_view what;
  std::string (*text)(std::size_t width);
};

constexpr HelpTopic topics[] = {
    {"targets", "how clusters are named, and all keys", targets_help},
    {"environment", "the variables that are read", environment_help},
    {"exit-codes", "what a script can go by", exit_codes_help},
};

}  // namespace

std::vector<std::string_view> help_topics() {
  std::vector<std::string_view> names;
  for (const HelpTopic& topic : topics) names.push_back(topic.name);
  return names;
}

std::string topic_help(std::string_view name, std::size_t width) {
  for (const HelpTopic& topic : topics) {
    if (topic.name == name) return in_ascii(topic.text(width));
  }
  return {};
}

std::string program_help(std::size_t width) {
  std::string out = "rollcall finds the machines of a training cluster.\nUsage: rollcall COMMAND [OPTIONS] ...\n";
  std::vector<HelpEntry> entries;
  std::vector<std::string_view> seldom;
  for (const CommandRow& row : commands()) {
    if (row.is_hidden) continue;
    if (row.is_seldom) {
      seldom.push_back(row.name);
    } else {
      entries.emplace_back(std::string(row.name), std::string(row.summary));
    }
  }
  append_entries(out, entries, width);
  out += wrapped(fmt::format("Others: {}", fmt::join(seldom, ", ")), 0, width) + "\n";
  out += wrapped("rollcall help COMMAND shows all its options; rollcall --version, its libraries.", 0, width) + "\n";
  out += wrapped(fmt::format("Topics: rollcall help {}", fmt::join(help_topics(), ", help ")), 0, width) + "\n";
  return out;
}

std::string command_help(const CommandRow& command, std::size_t width) {
  std::string out = wrapped(usage_line(command), 2, width) + "\n" + wrapped(sentence(command.summary), 0, width) + "\n";
  constexpr std::size_t max_examples = 2;
  if (!command.examples.empty()) out += "\n";
  for (const Example& example : command.examples.first(std::min(max_examples, command.examples.size())))
    out += wrapped_command(example.command, 2, width) + "\n";
  out += "\n";
  std::vector<HelpEntry> entries;
  std::size_t widest = 0;
  for (const OptionRow& row : command.options) {
    if (row.is_hidden || row.is_general) continue;
    entries.emplace_back(option_term(row, false), std::string(row.help));
    widest = std::max(widest, entries.back().left.size());
  }
  const std::size_t left = std::min(widest, width / 3) + 4;
  for (HelpEntry& entry : entries) entry.right = first_clause(entry.right, width > left ? width - left : 1);
  const std::size_t more = shown_options(command) - entries.size();
  append_entries(out, entries, width);
  if (!entries.empty()) out += "\n";
  std::string end = more > 0 ? fmt::format("{} more options, and these in full: rollcall help {}", more, command.name)
                             : fmt::format("In full: rollcall help {}", command.name);
  if (command.takes_targets) end += "; targets: rollcall help targets";
  return in_ascii(out + wrapped(end, 0, width) + "\n");
}

std::string full_command_help(const CommandRow& command, std::size_t width) {
  std::string out = wrapped(usage_line(command), 2, width) + "\n\n" + wrapped(command.description, 0, width) + "\n";
  if (!command.examples.empty()) out += "\nExamples:\n";
  for (const Example& example : command.examples)
    out += "  # " + wrapped(example.what, 4, width) + "\n" + wrapped_command(example.command, 2, width) + "\n";
  out += "\nOptions:\n";
  std::vector<HelpEntry> entries;
  for (const OptionRow& row : command.options) {
    if (!row.is_hidden) entries.emplace_back(option_term(row, true), option_meaning(row));
  }
  entries.emplace_back("-h, --help", "the usual options in short");
  append_entries(out, entries, width);
  if (command.takes_targets)
    out += "\n" + wrapped("Defaults: 30 s for a call, 10 retries of a request, 64 requests in flight to a host.", 0, width) + "\n";
  out += "\n" + wrapped(fmt::format("See also: rollcall help {}", fmt::join(help_topics(), ", help ")), 0, width) + "\n";
  return in_ascii(out);
}

}  // namespace rollcall::command
