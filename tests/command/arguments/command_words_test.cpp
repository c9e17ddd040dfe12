// Words of a command line, separated by a table of options.
#include "command/arguments/command_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>

using namespace rollcall;
using namespace rollcall::command;

namespace {

Result<void> store_nothing(Arguments&, const std::string&) { return {}; }

const OptionRow word_rows[] = {
    {.name = "--project", .letter = 'p', .value = "ID", .help = "", .apply = store_nothing},
    {.name = "--format", .letter = 'f', .also = 'o', .value = "FORM", .help = "", .apply = store_nothing},
    {.name = "--quiet", .letter = 'q', .help = "", .apply = store_nothing},
    {.name = "--verbose", .letter = 'v', .help = "", .apply = store_nothing},
};

// `--format=json --quiet= | tpu:a | -x`: options, positionals, unknown options.
std::string separated(const std::vector<std::string>& words) {
  const CommandWords found = split_words(words, word_rows);
  if (!found.with_value.empty()) return fmt::format("{} takes no value", found.with_value);
  if (found.without_value) return fmt::format("{} needs a value", found.without_value->name);
  std::vector<std::string> options;
  for (const GivenOption& one : found.options) options.push_back(fmt::format("{}={}", one.row->name, one.value));
  if (found.wants_help) options.emplace_back("help");
  if (found.wants_version) options.emplace_back("version");
  return fmt::format("{} | {} | {}", fmt::join(options, " "), fmt::join(found.positionals, " "), fmt::join(found.unknown, " "));
}

}  // namespace

TEST_CASE("an option's value is the next word, or stands behind = or its letter") {
  CHECK(separated({"--format", "json", "tpu:a"}) == "--format=json | tpu:a | ");
  CHECK(separated({"--format=a=b"}) == "--format=a=b |  | ");
  CHECK(separated({"-ojson", "-p", "--quiet"}) == "--format=json --project=--quiet |  | ");
  CHECK(separated({"-o=json"}) == "--format==json |  | ");
  CHECK(separated({"--format=", "json"}) == "--format= | json | ");
  CHECK(separated({"a", "--project"}) == "--project needs a value");
  CHECK(separated({"-qp"}) == "--project needs a value");
}

TEST_CASE("letters of flags may stand in one word, and a flag takes no value") {
  CHECK(separated({"-qv"}) == "--quiet= --verbose= |  | ");
  CHECK(separated({"-qvojson"}) == "--quiet= --verbose= --format=json |  | ");
  CHECK(separated({"-qh", "-V"}) == "--quiet= help version |  | ");
  CHECK(separated({"--quiet=yes"}) == "--quiet takes no value");
  CHECK(separated({"--help=yes"}) == "--help takes no value");
}

TEST_CASE("options that there are not are named as they stand, other words are positionals") {
  CHECK(separated({"--foo=1", "-x", "-xq", "-qx"}) == "--quiet= |  | --foo=1 -x -xq -x");
  CHECK(separated({"-", "-5", "---", "[a,b]", ""}) == " | - -5 --- [a,b]  | ");
  CHECK(separated({"a", "--", "--quiet", "--", "-x"}) == " | a --quiet -- -x | ");
}
