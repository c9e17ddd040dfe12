// Help, completions and manual against the tables they come from.
#include <algorithm>
#include <asio/io_context.hpp>
#include <set>

#include "base/text.hpp"
#include "command/arguments/environment_table.hpp"
#include "command/arguments/texts.hpp"
#include "command/terminal/exit_codes.hpp"
#include "rollcall/environment.hpp"
#include "rollcall/log.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/target_scheme.hpp"
#include "support/paths.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::command;

namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("names and letters are unique, what takes a choice lists it") {
  for (const CommandRow& command : commands()) {
    std::set<std::string_view> names;
    std::set<char> letters = {'h', 'V'};
    for (const OptionRow& row : command.options) {
      INFO(row.name);
      CHECK(names.insert(row.name).second);
      CHECK((row.letter == 0 || letters.insert(row.letter).second));
      CHECK(row.name.starts_with("--"));
      CHECK((row.completes == Completes::choice) == !row.choices.empty());
      CHECK(row.apply != nullptr);
    }
  }
}

TEST_CASE("help lists every command, option, target, variable and exit code") {
  for (const CommandRow& command : commands()) {
    const std::string full = full_command_help(command);
    INFO(command.name);
    const bool has_line = !command.is_hidden && !command.is_seldom;
    CHECK(has(program_help(), "\n  " + std::string(command.name) + " ") == has_line);
    if (command.is_seldom) CHECK(has(program_help(), " " + std::string(command.name)));
    for (const OptionRow& row : command.options) CHECK(has(full, row.name) == !row.is_hidden);
    for (const OptionRow& row : command.options) {
      if (!row.is_hidden && !row.is_general) CHECK(has(command_help(command), row.name));
    }
  }
  const std::string targets = topic_help("targets", 200);
  for (const TargetScheme* scheme : target_schemes()) {
    CHECK(has(targets, scheme->example));
    for (const TargetKey& key : scheme->keys) {
      CHECK(has(targets, key.name));
      CHECK_FALSE(key.meaning.empty());
    }
  }
  for (const ExitCode& row : exit_codes()) CHECK(has(topic_help("exit-codes"), row.meaning));
  for (const VariableRow& row : environment_variables()) CHECK(has(topic_help("environment", 200), row.names));
  CHECK(topic_help("nonsense").empty());
}

TEST_CASE("the short helps fit a screen, and say where the long ones are") {
  constexpr std::ptrdiff_t lines = 24;
  const auto height = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  CHECK(height(program_help()) <= lines);
  CHECK(has(program_help(), "rollcall help COMMAND"));
  for (const std::string_view topic : help_topics()) CHECK(has(program_help(), "help " + std::string(topic)));
  for (const CommandRow& command : commands()) {
    INFO(command_help(command));
    CHECK(height(command_help(command)) <= lines);
    CHECK(has(command_help(command), "rollcall help " + std::string(command.name)));
  }
}

TEST_CASE("help keeps to the width in plain ASCII, and breaks no word") {
  const std::string page = manual_page("1");
  for (const std::size_t width : {60, 80, 100}) {
    std::vector<std::string> helps = {program_help(width)};
    for (const std::string_view topic : help_topics()) helps.push_back(topic_help(topic, width));
    for (const CommandRow& command : commands()) {
      helps.push_back(command_help(command, width));
      helps.push_back(full_command_help(command, width));
    }
    for (const std::string& help : helps) {
      REQUIRE(help.ends_with('\n'));
      for (const std::string_view line : split(std::string_view(help), '\n')) {
        INFO(width << ": " << line);
        CHECK(std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; }));
        const std::string_view words = trim(line);  // a word, or a quoted text, that is longer than the line has it for itself
        const bool is_one_word = words.find(' ') == std::string_view::npos || words.ends_with(" \\") ||
                                 words.find('\'') != std::string_view::npos || words.find('"') != std::string_view::npos;
        CHECK((line.size() <= width || is_one_word));
        CHECK_FALSE(line.ends_with(' '));
      }
    }
  }
}

TEST_CASE("the examples of targets are targets") {
  asio::io_context io;
  const Runtime runtime(io.get_executor());
  for (const TargetScheme* scheme : target_schemes()) {
    CHECK(make_resolver(runtime, scheme->example));
    CHECK(scheme->example.find_first_of(" '\"$*?(){}<>|&;!\\`~#") == std::string_view::npos);
  }
}

TEST_CASE("the manual lists every option, target and exit code") {
  const std::string page = manual_page("1.2.3");
  CHECK(page.starts_with(".TH ROLLCALL 1 "));
  CHECK(has(page, "rollcall 1.2.3"));
  for (const ExitCode& row : exit_codes()) CHECK(has(page, row.meaning));
  for (const OptionRow& row : find_command("spec")->options) {
    std::string name;
    for (const char c : row.name) name += c == '-' ? std::string("\\-") : std::string(1, c);
    CHECK(has(page, "\\fB" + name + "\\fR") == !row.is_hidden);
  }
}

TEST_CASE("an unknown shell is refused") {
  for (const std::string_view shell : {"bash", "zsh", "fish"}) CHECK(has(completion_script(shell).value(), "complete --"));
  CHECK(completion_script("bsah").error().hint() == "did you mean bash?");
}

TEST_CASE("text is broken at blanks") {
  CHECK(wrapped("one two three", 2, 10) == "one two\n  three");
  CHECK(wrapped("averyveryverylongword x", 0, 5) == "averyveryverylongword\nx");
  CHECK(wrapped("", 4).empty());
  CHECK(wrapped_command("cmd 'a b c' --flag", 2, 12) == "  cmd \\\n      'a b c' \\\n      --flag");
  CHECK(first_clause("short: all of it", 20) == "short: all of it");
  CHECK(first_clause("one clause; and more of it", 20) == "one clause");
  CHECK(first_clause("a clause that is too long for it", 20) == "a clause that is...");
}

TEST_CASE("docs/command.md says what the tables say") {
  const std::string page = file_system()->read((rollcall::testing::source_dir() / "docs/command.md").string(), 1 << 20).value();
  for (const ExitCode& row : exit_codes()) {
    const std::size_t at = page.find("| " + std::to_string(row.code) + " | " + std::string(row.meaning) + " |");
    INFO(row.code);
    REQUIRE(at != std::string::npos);
    const std::string line = page.substr(at, page.find('\n', at) - at);
    for (const Errc code : row.errors) CHECK(has(line, "`" + std::string(to_string(code)) + "`"));
  }
  for (const TargetScheme* scheme : target_schemes()) {
    const std::size_t at = page.find("| `" + std::string(scheme->name) + ":");
    INFO(scheme->name);
    REQUIRE(at != std::string::npos);
    const std::string line = page.substr(at, page.find('\n', at) - at);
    for (const TargetKey& key : scheme->keys) CHECK(has(line, "`" + std::string(key.name) + "`"));
  }
  for (int kind = 0; kind <= static_cast<int>(EventKind::omitted); ++kind) {
    CHECK(has(page, "`" + std::string(to_string(static_cast<EventKind>(kind))) + "`"));
  }
}
