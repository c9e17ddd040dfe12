// Documents by member pointer: the destination of each kind of field, null, a repeated key, and complaints.
#include "json/json_fields.hpp"

#include <catch2/catch.hpp>

using namespace rollcall;

namespace {

class Part {
 public:
  std::string name;
  std::int64_t size = 0;
};

class Page {
 public:
  std::string next_page_token;
  std::string number;
  std::string inner;
  std::string first;
  Part part;
  std::vector<Part> parts;
  std::vector<Part> joined;
  std::vector<std::string> texts;
};

std::string size_complaint(std::int64_t size) { return size < 0 ? "is below 0" : ""; }
std::string check_part(Part& part) { return part.name.empty() ? "has no name" : ""; }
std::string set_first(Page& page, std::string_view text) {
  if (page.first.empty()) page.first = text;
  return {};
}
void clear_first(Page& page) { page.first.clear(); }
void clear_inner(Page& page) { page.inner.clear(); }

// clang-format off
constexpr auto part = json_object<Part, check_part>(
    text_field<&Part::name>("name"),
    integer_field<&Part::size, size_complaint>("size"));
constexpr auto inner = json_object<Page>(
    text_field<&Page::inner>("text"));
constexpr auto firsts = json_object<Page>(
    text_field<set_first>("text"));
constexpr auto scope = json_object<Page>(
    joined_array<&Page::joined, part>("parts"),
    joined_object<&Page::joined, part>("part"));
constexpr auto scopes = json_object<Page>(
    inner_field<scope>("*"));
constexpr auto page = json_object<Page>(
    text_field<&Page::next_page_token>("nextPageToken"),
    decimal_field<&Page::number>("number"),
    inner_field<inner, clear_inner>("inner"),
    inner_array<firsts, clear_first>("firsts"),
    object_field<&Page::part, part>("part"),
    array_field<&Page::parts, part>("parts"),
    inner_field<scopes>("scopes"),
    text_array<&Page::texts>("texts"));
// clang-format on

}  // namespace

namespace rollcall {
extern const JsonForm<Page> page_form;
constexpr JsonForm<Page> page_form = json_form<page>("the page");
}  // namespace rollcall

namespace {

Page read(std::string_view json) { return read_json(page_form, json, ParseLimits()).value(); }
std::string page_refusal(std::string_view json) {
  const Result<Page> read = read_json(page_form, json, ParseLimits());
  return read ? "accepted" : read.error().what();
}

}  // namespace

TEST_CASE("each kind of field goes where its row says") {
  const Page full = read(R"({"nextPageToken":"t","number":7,"inner":{"text":"i"},"firsts":[{"text":"1"},{"text":"2"}],"other":[{}],
      "part":{"name":"p","size":1},"parts":[{"name":"a"},{"name":"b","size":2}],"texts":["x","y"],
      "scopes":{"one":{"parts":[{"name":"j"}]},"two":{"parts":[{"name":"k"}],"part":{"name":"l"}}}})");
  CHECK(full.next_page_token == "t");
  CHECK(full.number == "7");
  CHECK(full.inner == "i");
  CHECK(full.first == "1");
  CHECK(full.part.name == "p");
  REQUIRE(full.parts.size() == 2);
  CHECK(full.parts[1].size == 2);
  CHECK(full.texts == std::vector<std::string>{"x", "y"});
  REQUIRE(full.joined.size() == 3);
  CHECK(full.joined[2].name == "l");
}

TEST_CASE("a null field is left empty, and of a field given twice the last counts") {
  const Page nulls = read(
      R"({"nextPageToken":null,"inner":null,"part":null,"parts":null,"texts":null,"scopes":{"a":{"part":null,"parts":null},"b":null}})");
  CHECK(nulls.parts.empty());
  CHECK(nulls.joined.empty());
  const Page twice = read(R"({"inner":{"text":"i"},"inner":{},"firsts":[{"text":"1"}],"firsts":[{"text":"2"}],
      "part":{"name":"p","size":1},"part":{"name":"q"},"parts":[{"name":"a"}],"parts":[{"name":"b"}],"texts":["x"],"texts":null})");
  CHECK(twice.inner.empty());
  CHECK(twice.first == "2");
  CHECK(twice.part.name == "q");
  CHECK(twice.part.size == 0);
  REQUIRE(twice.parts.size() == 1);
  CHECK(twice.parts[0].name == "b");
  CHECK(twice.texts.empty());
}

TEST_CASE("a complaint names the document and the field") {
  CHECK(page_refusal(R"({"parts":[{"name":"a"},{"name":"b","size":-1}]})") == "the page: parts[1].size is below 0");
  CHECK(page_refusal(R"({"part":{}})") == "the page: part has no name");
  CHECK(page_refusal(R"({"parts":{}})") == "the page: parts is an object, not an array");
  CHECK(page_refusal(R"({"texts":[1]})") == "the page: texts[0] is a number, not a text");
}

TEST_CASE("a page may come in pieces, to a parser that was moved") {
  PageParser<Page, page_form> first;
  REQUIRE(first.feed(R"({"nextPageToken":"t)").has_value());
  PageParser<Page, page_form> parser = std::move(first);
  REQUIRE(parser.feed(R"(wo","texts":["a"]})").has_value());
  REQUIRE(parser.finish().has_value());
  CHECK(parser.next_page_token() == "two");
  CHECK(parser.page().texts.size() == 1);
}
