// Options that are read from refused words.
#include "command/arguments/refused_words.hpp"

#include <catch2/catch.hpp>

using namespace rollcall::command;

namespace {

std::optional<std::string> refused_value(const std::vector<std::string>& words, std::string_view option) {
  return RefusedWords(words).value_of(option);
}

}  // namespace

TEST_CASE("the form that refused words ask for, however it is spelt") {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{"spec", "--bogus", "--format", "json"},
                                                                                     {"spec", "--bogus", "--format=json"},
                                                                                     {"spec", "--bogus", "-f", "json"},
                                                                                     {"spec", "-fjson", "--bogus"},
                                                                                     {"spec", "-ojson", "--bogus"},
                                                                                     {"spec", "-qf", "json", "--bogus"},
                                                                                     {"spec", "--format", "json", "--timeout"},
                                                                                     {"spec", "--format", "json", "--partial=3"},
                                                                                     {"spec", "--format", "text", "-o", "json", "--bogus"},
                                                                                     {"spec", "--format", "json", "--format", "jsno"},
                                                                                     {"--format=json", "spec", "tpu:a"},
                                                                                     {"--format", "json", "spec", "tpu:a"},
                                                                                     {"spce", "tpu:a", "--format", "json"},
                                                                                     {"--format", "json"}}) {
    CAPTURE(words);
    CHECK(refused_value(words, "--format") == "json");
  }
}

TEST_CASE("what refused words do not ask for") {
  CHECK(refused_value({"spec", "--bogus", "--format", "json", "-o", "text"}, "--format") == "text");
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{{},
                                                                                     {"spec", "--bogus"},
                                                                                     {"spec", "--bogus", "--format"},
                                                                                     {"spec", "--bogus", "--", "--format", "json"},
                                                                                     {"spec", "--timeout", "--format", "json"},
                                                                                     {"exec", "tpu:a", "--", "ls", "--format", "json"},
                                                                                     {"exec", "tpu:a", "--format", "json"}}) {
    CAPTURE(words);
    CHECK(!refused_value(words, "--format"));
  }
}

TEST_CASE("a flag is given or not, and a command is known or not") {
  CHECK(refused_value({"sim", "-qb"}, "--background") == "");
  CHECK(refused_value({"sim", "--prot", "0", "--background"}, "--background") == "");
  CHECK(!refused_value({"sim", "--bogus", "--", "echo", "--background"}, "--background"));
  CHECK(RefusedWords({"--bogus", "sim"}).command() == find_command("sim"));
  CHECK(RefusedWords({"simm", "--background"}).command() == nullptr);
  CHECK(RefusedWords({}).command() == nullptr);
}
