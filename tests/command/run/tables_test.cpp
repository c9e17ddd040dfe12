// Help, completions and manual against the tables they come from.
#include <asio/io_context.hpp>
#include <set>

#include "command/arguments/texts.hpp"
#include "command/terminal/exit_codes.hpp"
#include "rollcall/log.hpp"
#include "rollcall/resolver.hpp"
#include "rollcall/surroundings.hpp"
#include "rollcall/target_scheme.hpp"
#include "support/paths.hpp"
#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::tools;

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

TEST_CASE("help lists every option, target and exit code") {
  const std::string spec = command_help(*find_command("spec"));
  for (const OptionRow& row : find_command("spec")->options) {
    INFO(row.name);
    CHECK(has(spec, row.name) == !row.is_hidden);
  }
  for (const std::string& help : {spec, program_help()}) {
    for (const TargetScheme* scheme : target_schemes()) CHECK(has(help, scheme->example));
    for (const ExitCode& row : exit_codes()) CHECK(has(help, row.meaning));
    for (std::size_t at = 0; at < help.size();) {
      const std::size_t end = help.find('\n', at);
      REQUIRE(end != std::string::npos);
      at = end + 1;
    }
  }
  for (const TargetScheme* scheme : target_schemes()) {
    for (const TargetKey& key : scheme->keys) {
      CHECK(has(spec, key.name));
      CHECK_FALSE(key.meaning.empty());
    }
  }
  CHECK(has(program_help(), "rollcall sim"));
  CHECK_FALSE(has(program_help(), "completion"));
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

TEST_CASE("completions know every option; an unknown shell is refused") {
  for (const std::string_view shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(shell).value();
    for (const CommandRow& command : commands()) {
      if (command.is_hidden) continue;
      CHECK(has(script, command.name));
      for (const OptionRow& row : command.options) {
        INFO(row.name);
        CHECK(has(script, row.name.substr(2)) == !row.is_hidden);
      }
    }
    for (const TargetScheme* scheme : target_schemes()) CHECK(has(script, std::string(scheme->name) + ":"));
  }
  CHECK(completion_script("bsah").error().hint() == "did you mean bash?");
}

TEST_CASE("text is broken at blanks") {
  CHECK(wrapped("one two three", 2, 10) == "one two\n  three");
  CHECK(wrapped("averyveryverylongword x", 0, 5) == "averyveryverylongword\nx");
  CHECK(wrapped("", 4).empty());
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
