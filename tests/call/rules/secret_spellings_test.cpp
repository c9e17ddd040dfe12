// The encoded forms of a secret.
#include "call/rules/secret_spellings.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/base64.hpp"

using namespace rollcall;

namespace {

std::vector<std::string> shown(const std::string& secret) {
  std::vector<std::string> texts;
  for (const Secret<std::string>& one : spellings_of(Secret<std::string>(secret))) texts.emplace_back(one.reveal());
  return texts;
}

}  // namespace

TEST_CASE("a Base64 text with a secret contains one of its spellings at any offset") {
  for (const std::string secret : {"hunter2-correct-horse-battery", "8 bytes!", "~~~???~~~>>>", "p\xc3\xa4sswort-mit-\xc3\xbc"}) {
    const std::vector<std::string> spellings = shown(secret);
    CHECK(spellings.front() == secret);
    for (const std::string before : {"", "a", "ab", "abc", "admin:", "user:"}) {
      for (const std::string behind : {"", "x", "xy", "xyz"}) {
        const std::string usual = base64_encode(before + secret + behind);
        const std::string of_urls = base64url_encode(before + secret + behind);
        const auto stands_in = [](const std::string& text) {
          return [&text](const std::string& one) { return text.find(one) != std::string::npos; };
        };
        CAPTURE(secret, before, behind, usual);
        CHECK(std::any_of(spellings.begin() + 1, spellings.end(), stands_in(usual)));
        CHECK(std::any_of(spellings.begin() + 1, spellings.end(), stands_in(of_urls)));
      }
    }
    for (const std::string& one : spellings) CHECK(one.size() >= secret.size());
  }
}

TEST_CASE("blanks are encoded as pluses in forms") {
  const std::vector<std::string> spellings = shown("correct horse battery");
  CHECK(std::find(spellings.begin(), spellings.end(), "correct+horse+battery") != spellings.end());
  CHECK(shown("correct-horse").size() == 4);  // itself and three places in Base64
}
