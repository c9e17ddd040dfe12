// Documents by member pointer: the destination of each kind of field, null, a repeated key, and complaints.
#include "json/json_fields.hpp"

#include <catch2/catch.hpp>

#include "json/json_values.hpp"

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

enum class Colour { red, green, blue };
std::string_view to_string(Colour colour) { return colour == Colour::red ? "red" : colour == Colour::green ? "green" : "blue"; }

class Size {
 public:
  int width = 0;
  int height = 0;
};
class Hidden {
 public:
  const std::string& name() const noexcept { return name_; }
  Hidden& with_name(std::string name) & {
    name_ = std::move(name);
    return *this;
  }

 private:
  std::string name_;
};
template <class SizeOrPointer>
class Box {
 public:
  Colour colour = Colour::red;
  std::string label;
  SizeOrPointer size{};
  SizeOrPointer lid{};
  Hidden hidden;
  std::vector<Part> parts;
  std::vector<std::string> texts;
  std::optional<std::chrono::milliseconds> age;
};

using Pixels = NumberUpTo<100, "no number of pixels">;
std::string check_box(Box<Size>& box) { return box.label == "wrong" ? "the label is wrong" : ""; }
void write_area(std::string& out, const Size& size) { append_json_number(out, size.width * size.height); }

// clang-format off
constexpr auto size_head = json_object<Size>(
    json_field<&Size::width, Pixels>("width"));
constexpr auto size_fields = json_object<Size>(
    size_head,
    json_field<&Size::height, Pixels>("height"),
    written_field<write_area>("area"));
constexpr auto hidden_fields = json_object<Hidden>(
    json_field<json_property<&Hidden::name, &Hidden::with_name>, LineText>("name"));
constexpr auto written_part = json_object<Part>(
    json_field<&Part::name, LineText>("name"));
template <class B>
constexpr auto box_fields = json_object<B>(
    required(json_field<&B::colour, WordOf<Colour, 3, "colour">>("colour")),
    json_field<&B::label, OptionalText<20>>("label"),
    object_field<&B::size, size_fields>("size"),
    required(json_field<json_path<&B::lid, &Size::width>, Pixels>("lid_width")),
    object_field<&B::hidden, hidden_fields>("hidden"),
    array_field<&B::parts, written_part>("parts"),
    text_array<&B::texts>("texts"),
    json_field<&B::age, AgeMilliseconds>("age_ms"));
class Lids {
 public:
  Size size;
};
constexpr auto lids_fields = json_object<Lids>(
    required(merged_object<&Lids::size, size_fields>("size")));
class Shelf {
 public:
  std::string name;
  std::vector<Box<Size>> boxes;
};
constexpr auto shelf_fields = json_object<Shelf>(
    required(json_field<&Shelf::name, LineText>("name")),
    array_field<&Shelf::boxes, box_fields<Box<Size>>>("boxes"));
class Store {
 public:
  std::vector<Shelf> shelves;
};
constexpr auto store_fields = json_object<Store>(
    array_field<&Store::shelves, shelf_fields>("shelves"));
// clang-format on
constexpr JsonForm<Store> store_form = json_form<store_fields>("the store");
constexpr JsonForm<Box<Size>> box_form = json_form<box_fields<Box<Size>>, check_box>("the box");
constexpr JsonForm<Lids> lids_form = json_form<lids_fields>("the lids", "a size");

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

TEST_CASE("a table writes a document and reads it back") {
  Box<Size> box;
  box.colour = Colour::blue;
  box.label = "a \"b\"";
  box.size.width = 3;
  box.size.height = 4;
  box.lid.width = 5;
  box.hidden.with_name("h");
  box.parts.resize(2);
  box.parts[1].name = "p";
  box.texts = {"x", "y"};
  box.age = std::chrono::milliseconds(7);
  const std::string text = to_json(box_fields<Box<Size>>, box);
  CHECK(text == R"({"colour":"blue","label":"a \"b\"","size":{"width":3,"height":4,"area":12},"lid_width":5,"hidden":{"name":"h"},)"
                R"("parts":[{"name":""},{"name":"p"}],"texts":["x","y"],"age_ms":7})");
  const Box<Size> again = read_json(box_form, text, ParseLimits()).value();
  CHECK(to_json(box_fields<Box<Size>>, again) == text);

  Box<const Size*> borrowed;  // the same table over what belongs to another object
  borrowed.size = &box.size;
  borrowed.lid = &box.lid;
  CHECK(to_json(box_fields<Box<const Size*>>, borrowed) ==
        R"({"colour":"red","size":{"width":3,"height":4,"area":12},"lid_width":5,"hidden":{"name":""},"parts":[],"texts":[]})");
}

TEST_CASE("a document without a required field is refused, after all other checks") {
  const auto refusal = [](std::string_view json) {
    const Result<Box<Size>> read = read_json(box_form, json, ParseLimits());
    return read ? "accepted" : read.error().what();
  };
  CHECK(refusal(R"({"colour":"red","lid_width":0})") == "accepted");
  CHECK(refusal(R"({"colour":"red","lid_width":null})") == "accepted");
  CHECK(refusal(R"({"lid_width":1})") == "the box: colour is missing");
  CHECK(refusal(R"({"colour":"red"})") == "the box: lid_width is missing");
  CHECK(refusal(R"({"label":"wrong"})") == "the box: the label is wrong");
  CHECK(refusal(R"({"colour":"pink"})") == "the box: colour is 'pink', no colour");
  CHECK(refusal(R"({"size":{"width":101}})") == "the box: size.width is 101, no number of pixels");
  CHECK(refusal(R"({"age_ms":-1})") == "the box: age_ms is -1, no age");
  CHECK(refusal(R"({"size":{"area":"any"},"colour":"red","lid_width":1})") == "accepted");
}

TEST_CASE("an element of an array without a required field is refused, whatever the others have") {
  const auto refusal = [](std::string_view shelves) {
    const Result<Store> read = read_json(store_form, fmt::format(R"({{"shelves":{}}})", shelves), ParseLimits());
    return read ? "accepted" : read.error().what();
  };
  CHECK(refusal("[]") == "accepted");
  CHECK(refusal(R"([{"name":"a"},{"name":"b","boxes":[]}])") == "accepted");
  CHECK(refusal(R"([{"name":"a"},{}])") == "the store: shelves[1].name is missing");
  CHECK(refusal(R"([{},{"name":"a"}])") == "the store: shelves[0].name is missing");
  CHECK(refusal(R"([{"name":"a","boxes":[{"colour":"red","lid_width":1},{"colour":"red"}]}])") ==
        "the store: shelves[0].boxes[1].lid_width is missing");
  CHECK(refusal(R"([{"boxes":[{"colour":"red","lid_width":1}]}])") == "the store: shelves[0].name is missing");
  CHECK(refusal(R"([{"boxes":[{"colour":"red","lid_width":1}],"name":"a"},{"name":"b"}])") == "accepted");
}

TEST_CASE("a required object is there if one of its fields is, and merged objects keep the fields of both") {
  CHECK(read_json(lids_form, R"({"size":{}})", ParseLimits()).error().what() == "the lids: a size is missing");
  CHECK(read_json(lids_form, R"({"size":null})", ParseLimits()).error().what() == "the lids: a size is missing");
  const Lids lids = read_json(lids_form, R"({"size":{"width":1},"size":{"height":2}})", ParseLimits()).value();
  CHECK((lids.size.width == 1 && lids.size.height == 2));
}
