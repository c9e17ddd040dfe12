// The event parser of pod lists: valid and invalid JSON, kept or skipped, for every division into pieces.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <optional>

#include "resolvers/kubernetes/wire/pod_list.hpp"

using namespace rollcall;

namespace {

Result<std::string> name_in_pieces(const std::string& json, std::size_t size) {
  std::string name;
  PodListParser parser([&name](Pod& pod) {
    name = pod.name;
    return Result<void>();
  });
  for (std::size_t at = 0; at < json.size(); at += size) {
    const Result<void> fed = parser.feed(std::string(json.substr(at, size)));
    if (!fed) return fed.error();
  }
  const Result<void> ended = parser.finish();
  if (!ended) return ended.error();
  return name;
}

// `text` in quotes, as a pod's name, which is kept, or as a value that is skipped.
std::string pod_named(std::string_view text) { return fmt::format(R"({{"items":[{{"metadata":{{"name":"{}"}}}}]}})", text); }
std::string pod_beside(std::string_view value) {
  return fmt::format(R"({{"other":{0},"items":[{{"metadata":{{"name":"a","other":[{0}]}}}}]}})", value);
}

void check_pieces(const std::string& json, const std::optional<std::string>& wanted) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{16}, json.size()}) {
    INFO(json << " in pieces of " << size);
    const Result<std::string> name = name_in_pieces(json, size);
    REQUIRE(name.has_value() == wanted.has_value());
    if (wanted) CHECK(*name == *wanted);
    if (!wanted) CHECK(name.error().code() == Errc::malformed_response);
  }
}

}  // namespace

TEST_CASE("texts are decoded") {
  using namespace std::string_literals;
  check_pieces(pod_named(R"(plain, and longer than one vector's width)"), "plain, and longer than one vector's width");
  check_pieces(pod_named(R"(\"\\\/\b\f\n\r\t)"), "\"\\/\b\f\n\r\t");
  check_pieces(pod_named(R"(a\u0000b\u0041\u00e9\u20aC\uD83d\uDe00)"), "a\0bAé€😀"s);
  check_pieces(pod_named("é€😀\x7f\xed\x9f\xbf\xf4\x8f\xbf\xbf"), "é€😀\x7f\xed\x9f\xbf\xf4\x8f\xbf\xbf");
  check_pieces(R"({"it\u0065ms":[{"metadata":{"na\u006de":"a"}}]})", "a");
}

TEST_CASE("invalid texts, kept or skipped") {
  for (const char* const text :
       {R"(\x)", R"(\u12g4)", R"(\ud83d)", R"(\ud83dx)", R"(\ud83d\n)", R"(\ud83dA)", R"(\ude00)", "\x1f", "\n", "\x80", "\xc0\xaf",
        "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe2\x82", "\xe2\x82x"}) {
    check_pieces(pod_named(text), std::nullopt);
    check_pieces(pod_beside('"' + std::string(text) + '"'), std::nullopt);
    check_pieces(pod_beside("{\"" + std::string(text) + "\":1}"), std::nullopt);
  }
}

TEST_CASE("skipped values are checked, too") {
  for (const char* const value : {"0", "-0", "10", "-1.5", "0.0e0", "1E+5", "1e-999999999999", "123456789012345678901234567890", "true",
                                  "false", "null", "\"\"", "[]", "{}", "[[],{},[{}]]", R"({"a":{"b":[1,"c",{"d":null}]}})", " [ 1 , 2 ] ",
                                  "\t{\r\n\"a\" : 1 }\n", R"({"items":[{"metadata":{"name":"b"}}]})"}) {
    check_pieces(pod_beside(value), "a");
  }
  for (const char* const value : {"",
                                  "01",
                                  "-",
                                  "+1",
                                  "1.",
                                  ".5",
                                  "1e",
                                  "1e+",
                                  "--1",
                                  "1 2",
                                  "0x1",
                                  "NaN",
                                  "tru",
                                  "truE",
                                  "nulll",
                                  "\"a",
                                  "'a'",
                                  "[1,]",
                                  "[,1]",
                                  "[1 2]",
                                  "[1",
                                  "1]",
                                  "[}",
                                  "{]",
                                  "{\"a\"}",
                                  "{\"a\":}",
                                  "{\"a\" 1}",
                                  "{\"a\":1,}",
                                  "{,}",
                                  "{a:1}",
                                  "{1:1}",
                                  "{\"a\":1 \"b\":2}",
                                  "/**/1",
                                  "\f1",
                                  "\xef\xbb\xbf"
                                  "1"}) {
    check_pieces(pod_beside(value), std::nullopt);
  }
}
