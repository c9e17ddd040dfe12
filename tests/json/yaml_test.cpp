// parse_yaml: the tree, and documents with exponential aliases.
#include "json/yaml.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

YamlNode::Pointer yaml_of(const std::string& text) { return value_of(parse_yaml("the file x", text)); }

void check_refused_yaml(const std::string& text, Errc code, const std::string& part, const YamlLimits& limits = {}) {
  const Result<YamlNode::Pointer> parsed = parse_yaml("the file x", text, limits);
  INFO(text.substr(0, 200));
  check_failure(parsed, code, part);
  CHECK_THAT(parsed.error().what(), Catch::Contains("the file x"));
}

}  // namespace

TEST_CASE("a YAML tree has kinds, lines and shared aliases") {
  const auto root = yaml_of("a: &x {b: [1, 'two', \"three\"]}\nc: *x\nd: ~\ne: 'null'\nf:\n");
  REQUIRE(root->kind == YamlNode::Kind::mapping);
  const YamlNode* const a = root->find("a");
  REQUIRE(a != nullptr);
  CHECK(a == root->find("c"));
  CHECK(a->find("b")->items.at(2)->text == "three");
  CHECK(root->find("d") == nullptr);
  CHECK(root->find("f") == nullptr);
  CHECK(root->find("e")->text == "null");
  CHECK(root->find("e")->line == 4);
  CHECK(root->find("z") == nullptr);
  CHECK(yaml_of("")->kind == YamlNode::Kind::null);
  CHECK(parse_yaml("x", std::string_view()).has_value());
  CHECK(yaml_of(R"({"json": [true, null]})")->find("json")->items.size() == 2);
}

TEST_CASE("exponential aliases are refused") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) bomb += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
  check_refused_yaml(bomb, Errc::limit_exceeded, "too many nodes, aliases counted");
}

TEST_CASE("YAML that is refused names its line") {
  check_refused_yaml("a: [", Errc::invalid_argument, "(line ");
  check_refused_yaml("a: 1\nb: *nobody\n", Errc::invalid_argument, "refers to something that is not defined before it (line 2)");
  check_refused_yaml("a: &x [*x]\n", Errc::invalid_argument, "is not defined before it (line 1)");
  CHECK_THAT(parse_yaml("x", "password: *Secret").error().message(), !Catch::Contains("Secret"));
  check_refused_yaml("a: 1\na: 2\n", Errc::invalid_argument, "has 'a' a second time (line 2)");
  check_refused_yaml("--- 1\n--- 2\n", Errc::invalid_argument, "second document");
  check_refused_yaml("[a]: b\n", Errc::invalid_argument, "key that is not a text");
  check_refused_yaml("a: \xff\xfe\n", Errc::invalid_argument, "is not YAML");
  check_refused_yaml("\tx: 1\n", Errc::invalid_argument, "is not YAML");
  check_refused_yaml(std::string(100, '['), Errc::limit_exceeded, "nests too deeply");
  YamlLimits limits;
  limits.max_bytes = 10;
  check_refused_yaml("aaaaaaaaaaa", Errc::limit_exceeded, "has 11 bytes", limits);
  std::string wide;
  for (int i = 0; i < 300; ++i) wide += fmt::format("k{}: 1\n", i);
  check_refused_yaml(wide, Errc::limit_exceeded, "too many keys");
}

TEST_CASE("a mark of UTF-8 before the text is skipped") {
  const std::string mark = "\xEF\xBB\xBF";
  CHECK(yaml_of(mark + "a: 1\n")->find("a")->text == "1");
  CHECK(yaml_of(mark)->kind == YamlNode::Kind::null);
}

TEST_CASE("UTF-16 is read by its byte-order mark, in both orders") {
  const std::u16string text = u"name: J\u00e9r\u00f4me \U0001F600\r\nb: [1]\r\n";
  for (const bool is_little_endian : {true, false}) {
    const auto bytes_of = [is_little_endian](const std::u16string& units) {
      std::string bytes;
      for (const char16_t unit : units) {
        const char low = static_cast<char>(unit & 0xFF);
        const char high = static_cast<char>(unit >> 8);
        bytes += is_little_endian ? std::string{low, high} : std::string{high, low};
      }
      return bytes;
    };
    CAPTURE(is_little_endian);
    const std::string mark = bytes_of(u"\uFEFF");
    const auto root = yaml_of(mark + bytes_of(text));
    CHECK(root->find("name")->text == "J\xC3\xA9r\xC3\xB4me \xF0\x9F\x98\x80");
    CHECK(root->find("b")->line == 2);
    CHECK(yaml_of(mark)->kind == YamlNode::Kind::null);
    check_refused_yaml(mark + bytes_of(u"a: 1\nb: ") + "x", Errc::invalid_argument, "incomplete UTF-16 character");
    check_refused_yaml(mark + bytes_of(std::u16string(u"a: \xD800x")), Errc::invalid_argument, "is not YAML");
    const std::string encoding = is_little_endian ? "UTF-16LE" : "UTF-16BE";
    check_refused_yaml(bytes_of(text), Errc::invalid_argument, "is " + encoding + " without a byte-order mark (line 1)");
    CHECK(parse_yaml("x", bytes_of(text)).error().hint() == "convert it: iconv -f " + encoding + " -t UTF-8");
  }
  check_refused_yaml(std::string("a\0\0\0", 4), Errc::invalid_argument, "is not YAML");
  check_refused_yaml(std::string("\xFF\xFE\0\0a\0\0\0", 8), Errc::invalid_argument, "is not YAML");
}

TEST_CASE("merged mappings add their keys, a mapping's own and earlier ones first") {
  const auto root = yaml_of(
      "one: &one {a: 1, b: 1}\n"
      "two: &two {<<: *one, b: 2, c: 2}\n"
      "all: {<<: [{d: 4, b: 4}, *two], a: 5, e: ~}\n"
      "void: {<<: *one, a: ~}\n");
  CHECK(root->find("two")->find("a")->text == "1");
  CHECK(root->find("two")->find("b")->text == "2");
  const YamlNode& all = *root->find("all");
  std::string text;
  for (const char* const key : {"a", "b", "c", "d"}) text += all.find(key)->text;
  CHECK(text == "5424");
  CHECK(all.find("e") == nullptr);
  CHECK(all.find("f") == nullptr);
  CHECK(root->find("void")->find("a") == nullptr);
  for (const char* const value : {"text", "~", "[text]", "[[{a: 1}]]"}) {
    check_refused_yaml(fmt::format("x: 1\n<<: {}\n", value), Errc::invalid_argument, "merges (<<) what is no mapping (line 2)");
  }
}

TEST_CASE("a long chain of merges is found to its end") {
  std::string text = "m0: &m0 {k: deep}\n";
  for (int i = 1; i < 200; ++i) text += fmt::format("m{0}: &m{0} {{<<: *m{1}}}\n", i, i - 1);
  CHECK(yaml_of(text)->find("m199")->find("k")->text == "deep");
  std::string bomb = "m0: &m0 {k: deep}\n";
  for (int i = 1; i < 40; ++i) bomb += fmt::format("m{0}: &m{0} {{<<: [*m{1}, *m{1}]}}\n", i, i - 1);
  check_refused_yaml(bomb, Errc::limit_exceeded, "too many nodes");
}
