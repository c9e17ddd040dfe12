#include "command/arguments/texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "command/terminal/exit_codes.hpp"
#include "rollcall/target_scheme.hpp"

namespace rollcall::tools {
namespace {

// Of our own texts, in which every character is one column wide.
std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

struct Entry {
  std::string left;
  std::string right;
};

void append_entries(std::string& out, const std::vector<Entry>& entries) {
  std::size_t width = 0;
  for (const Entry& entry : entries) width = std::max(width, columns(entry.left));
  width = std::min<std::size_t>(width, 30);
  for (const Entry& entry : entries) {
    out += "  " + entry.left;
    const std::size_t used = columns(entry.left);
    // Longer than its column: the explanation starts on the next line.
    out += used > width ? "\n" + std::string(width + 4, ' ') : std::string(width + 2 - used, ' ');
    out += wrapped(entry.right, width + 4) + "\n";
  }
}

void append_examples(std::string& out, std::span<const Example> examples) {
  if (examples.empty()) return;
  out += "\nExamples:\n";
  for (const Example& example : examples) fmt::format_to(std::back_inserter(out), "  # {}\n  {}\n", example.what, example.command);
}

void append_targets(std::string& out, bool with_keys) {
  out += "\nTargets:\n";
  for (const TargetScheme* scheme : target_schemes()) {
    out += fmt::format("  {}\n      {}\n      such as {}\n", scheme->synopsis, wrapped(scheme->summary, 6), scheme->example);
    if (!with_keys) continue;
    for (const TargetKey& key : scheme->keys) out += fmt::format("        {:<20} {}\n", key.name, wrapped(key.meaning, 29));
  }
}

void append_exit_codes(std::string& out) {
  out += "\nExit codes:\n";
  std::vector<Entry> entries;
  for (const ExitCode& row : exit_codes()) entries.push_back({fmt::format("{:>3} {}", row.code, row.meaning), std::string(row.detail)});
  append_entries(out, entries);
}

std::string option_text(const OptionRow& row) {
  return fmt::format("{}{}{}{}", row.letter ? fmt::format("-{}, ", row.letter) : std::string("    "), row.name,
                     row.value.empty() ? "" : " ",
                     row.choices.empty() ? std::string(row.value) : fmt::format("{}", fmt::join(row.choices, "|")));
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent, std::size_t width) {
  std::string out;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (column > indent && column + 1 + columns(word) > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    out += word;
    column += columns(word);
  }
  return out;
}

std::string program_help() {
  std::string out = "rollcall finds the machines of a training cluster.\n\nUsage: rollcall COMMAND [OPTIONS] ...\n\nCommands:\n";
  std::vector<Entry> entries;
  for (const CommandRow& row : commands()) {
    if (!row.is_hidden) entries.push_back({fmt::format("{} {}", row.name, row.positional), std::string(row.summary)});
  }
  append_entries(out, entries);
  append_examples(out, program_examples());
  append_targets(out, false);
  append_exit_codes(out);
  out += "\nrollcall COMMAND --help says more; rollcall --version prints the version and what was linked.\n";
  return out;
}

std::string command_help(const CommandRow& command) {
  std::string out = fmt::format("Usage: rollcall {}{}{}{}\n\n{}\n", command.name, command.options.empty() ? "" : " [OPTIONS]",
                                command.positional.empty() ? "" : " ", command.positional, wrapped(command.description, 0));
  append_examples(out, command.examples);
  out += "\nOptions:\n";
  std::vector<Entry> entries;
  for (const OptionRow& row : command.options) {
    if (!row.is_hidden) entries.push_back({option_text(row), std::string(row.help) + (row.is_repeatable ? "; may be repeated" : "")});
  }
  entries.push_back({"-h, --help", "this text"});
  append_entries(out, entries);
  if (!command.takes_targets) return out;
  append_targets(out, true);
  append_exit_codes(out);
  out += "\nDefaults: 30 s for a call, 10 retries of a request, 64 requests in flight to a host.\n";
  return out;
}

}  // namespace rollcall::tools
