// The parts of a token in a text, compared with a simple implementation; in one piece and in many.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "call/token_mask.hpp"

using namespace rollcall;

namespace {

// Every byte of the text that is in a run of 12 which the token has as well, or in the whole of a shorter token. Slow, but obvious.
std::string plainly_masked(const std::string& token, const std::string& text) {
  const std::size_t run = std::min<std::size_t>(token.size(), 12);
  const std::string small_token = to_lower(token);
  const std::string small = to_lower(text);
  std::string out;
  std::size_t end = 0;  // of the part that is being hidden
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = at + run <= text.size() && small_token.find(small.substr(at, run)) != std::string::npos;
    if (begins && at >= end) out += "***";
    if (begins) end = at + run;
    if (at >= end) out += text[at];
  }
  return out;
}

TokenMask mask_of(const std::string& token) { return TokenMask(std::make_shared<const TokenTable>(Secret<std::string>(token))); }

std::string masked_whole(const std::string& token, std::string text) {
  mask_of(token).hide_in(text);
  return text;
}

std::string masked_in_pieces(const std::string& token, std::string_view text, std::mt19937& random, std::size_t max) {
  TokenMaskStream mask(mask_of(token));
  std::string out;
  while (!text.empty()) {
    const std::string piece(text.substr(0, 1 + random() % max));
    text.remove_prefix(piece.size());
    out += mask.next(piece);
  }
  return out += mask.rest();
}

std::string random_text(std::mt19937& random, std::size_t size, std::string_view letters) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += letters[random() % letters.size()];
  return text;
}

std::string escaped(const std::string& text, std::mt19937& random) {
  std::string out;
  for (const char c : text) {
    if (random() % 3 == 0) {
      out += fmt::format(fmt::runtime(random() % 2 == 0 ? "\\u{:04x}" : "\\u{:04X}"), static_cast<int>(c));
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

TEST_CASE("the hidden parts do not depend on the division of the text") {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    // Few letters, so that parts overlap, touch, repeat and nearly match.
    const std::string_view letters = round % 3 == 0 ? "aB" : round % 3 == 1 ? "abC-" : "abcdefgHIJKLMNOP0123._-";
    const std::string token = random_text(random, 8 + random() % (round % 5 == 0 ? 300 : 30), letters);
    std::string text;
    while (text.size() < 200) {
      text += random_text(random, random() % 12, "abB-x \n\"");
      const std::size_t from = random() % token.size();
      std::string part = token.substr(from, 1 + random() % 40);
      if (random() % 2 == 0)
        std::transform(part.begin(), part.end(), part.begin(), [](char c) { return is_lower(c) ? static_cast<char>(c - 32) : c; });
      text += part;
    }
    const std::string expected = plainly_masked(token, text);
    CAPTURE(token, text);
    REQUIRE(masked_whole(token, text) == expected);
    REQUIRE(masked_in_pieces(token, text, random, 7) == expected);
    REQUIRE(masked_in_pieces(token, text, random, 64) == expected);
    REQUIRE(masked_in_pieces(token, text, random, 1) == expected);
  }
}

TEST_CASE("escapes are decoded, wherever they are divided") {
  std::mt19937 random(8);
  const std::string token = "ya29.A0AfH6SMBx/yz_0123456789-QrStUvWxYz";
  for (int round = 0; round < 300; ++round) {
    const std::string text =
        "{\"message\":\"say \\\"" + escaped(token, random) + "\\\" or \\n" + escaped(token.substr(3, 20), random) + "\\u00fc\"}\n";
    const std::string expected = "{\"message\":\"say \\\"***\\\" or \\n***\\u00fc\"}\n";
    CAPTURE(text);
    REQUIRE(masked_whole(token, text) == expected);
    REQUIRE(masked_in_pieces(token, text, random, 9) == expected);
    REQUIRE(masked_in_pieces(token, text, random, 1) == expected);
  }
  CHECK(masked_whole(token, R"(ya29.A0AfH6SMBx\/yz_01)") == "***");
  CHECK(masked_whole(token, R"(\u0079a29.A0AfH6S)") == "***");
  CHECK(masked_whole(R"(a"b\c"d\e"f\g"h)", R"(x a\"b\\c\"d\\e\"f\\g y)") == "x *** y");
  // No escape of a letter of the token, and no escapes at all.
  for (const std::string text : {R"(\u003c \u0026 \ud83d\ude00 \)", R"(\u00)", R"(\uzzzz)", R"(C:\new\table)"}) {
    CHECK(masked_whole(token, text) == text);
    CHECK(masked_in_pieces(token, text, random, 1) == text);
  }
}

TEST_CASE("a secret is hidden in each of its spellings, for every division of the text") {
  std::mt19937 random(9);
  const std::string secret = "hunter2&correct horse\"battery/9000";
  const auto percent = [](const std::string& text, bool is_all) {
    std::string out;
    for (const char c : text) out += is_all || !is_alnum(c) ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
    return out;
  };
  std::string entities;
  for (const char c : secret) entities += is_alnum(c) ? std::string(1, c) : fmt::format("&#{};", static_cast<int>(c));
  std::string pluses = secret;
  std::replace(pluses.begin(), pluses.end(), ' ', '+');
  const std::string pair = "admin:" + secret;
  for (const std::string& reported : {secret, percent(secret, false), percent(secret, true), to_lower(percent(secret, true)), pluses,
                                      entities, escape_markup(secret), base64_encode(secret), base64_encode(pair), base64url_encode(pair),
                                      base64_encode("x" + pair), percent(base64_encode(secret), true), escaped(secret, random)}) {
    const std::string text = "denied <" + reported + "> to you, 100% sure & so on";
    CAPTURE(text);
    for (const std::string& seen :
         {masked_whole(secret, text), masked_in_pieces(secret, text, random, 9), masked_in_pieces(secret, text, random, 1)}) {
      CHECK(seen.starts_with("denied <"));
      CHECK(seen.ends_with("> to you, 100% sure & so on"));
      CHECK(seen.find("***") != std::string::npos);
      for (std::size_t at = 0; at + 12 <= reported.size(); ++at) CHECK(seen.find(reported.substr(at, 12)) == std::string::npos);
    }
  }
  // The secret itself may contain text that looks like an escape.
  CHECK(masked_whole("p%41ss\\fword&amp;x", R"(say p%41ss\fword&amp;x or \u0041)") == R"(say *** or \u0041)");
}

TEST_CASE("escapes are decoded at every place of a long text") {
  std::mt19937 random(10);
  const std::string token = "ya29.A0AfH6SMBx_yz_0123456789";
  std::string reported;
  for (const char c : token) reported += fmt::format("&#x{:04x};", static_cast<int>(c));
  for (const std::size_t before :
       {std::size_t{65'300}, std::size_t{65'400}, std::size_t{65'470}, std::size_t{65'530}, std::size_t{131'000}}) {
    const std::string text = std::string(before, '-') + reported + std::string(70'000, '-');
    CHECK(masked_whole(token, text) == std::string(before, '-') + "***" + std::string(70'000, '-'));
  }
}

TEST_CASE("of several secrets each is hidden") {
  const TokenMask mask(std::make_shared<const TokenTable>(
      std::vector<Secret<std::string>>{Secret<std::string>("the-first-secret"), Secret<std::string>("password")}));
  std::string text = "the-first-secret and password, " + base64_encode("u:password");
  mask.hide_in(text);
  CHECK(text.starts_with("*** and ***, "));
  CHECK(text.find(base64_encode("u:password").substr(4, 8)) == std::string::npos);
}

TEST_CASE("the end of a line is not held back") {
  TokenMaskStream mask(mask_of("ya29.A0AfH6SMBxyz"));
  CHECK(mask.next("{\"type\":\"ADDED\"}\n") == "{\"type\":\"ADDED\"}\n");
  CHECK(mask.next("{\"type\":\"ya29.A0AfH6S") == "{\"type\":\"***");  // hidden text is not held back
  CHECK(mask.next("MBxyz\"}\n") == "\"}\n");
  CHECK(mask.rest().empty());
}

TEST_CASE("a search costs the same for texts that nearly match everywhere") {
  // A search that restarts at each position would find one part for each; this test ends in time only if it does not restart.
  const std::string token(16 * 1024, 'q');
  std::string text(4 << 20, 'q');
  mask_of(token).hide_in(text);
  CHECK(text == "***");
  std::string nearly;
  while (nearly.size() < 4 << 20) nearly += "qqqqqqqqqqq_";
  const std::string before = nearly;
  mask_of(token).hide_in(nearly);
  CHECK(nearly == before);
}
