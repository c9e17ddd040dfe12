// The JSON Schema, the page and the table of methods agree.
#include <set>

#include "command/session/client.hpp"

using namespace rollcall;
using namespace rollcall::serve;

namespace {

std::string page_of(std::string_view name) {
  std::ifstream file(testing::source_dir() / "docs" / name);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

using Names = std::set<std::string>;

Names members_of(const boost::json::value& object) {
  Names names;
  for (const auto& member : object.as_object()) names.emplace(member.key());
  return names;
}

}  // namespace

TEST_CASE("the schema and the page know every method and every parameter") {
  const boost::json::value schema = boost::json::parse(page_of("protocol.schema.json"));
  const boost::json::value& definitions = schema.at("$defs");
  const std::string page = page_of("protocol.md");
  CHECK(methods().size() > 9);
  for (const MethodRow& method : methods()) {
    INFO(method.name);
    CHECK(find_method(method.name) == &method);
    const std::string name(method.name);
    const boost::json::value& described = definitions.at(name + "_params");
    Names names;
    Names required;
    const std::size_t row = page.find("| `" + name + "` | ");
    REQUIRE(row != std::string::npos);
    const std::string line = page.substr(row, page.find('\n', row) - row);
    for (const ParamRow<Question>& param : method.params) {
      names.emplace(param.name);
      if (param.is_required) required.emplace(param.name);
      CHECK_THAT(line, Catch::Contains("`" + std::string(param.name) + "`"));
    }
    CHECK(members_of(described.at("properties")) == names);
    CHECK(described.at("additionalProperties") == false);
    Names reported;
    for (const auto& one : described.at("required").as_array()) reported.emplace(one.as_string());
    CHECK(reported == required);
    CHECK(definitions.as_object().contains(name + "_result") == (name != "watch"));  // which ends by a failure only
  }
}

TEST_CASE("the schema knows every form of a launch") {
  const boost::json::value schema = boost::json::parse(page_of("protocol.schema.json"));
  std::vector<std::string> forms;
  for (const auto& form : schema.at_pointer("/$defs/launch_form/enum").as_array()) forms.emplace_back(form.as_string());
  CHECK(std::equal(forms.begin(), forms.end(), std::begin(launch_format_names), std::end(launch_format_names)));
}

TEST_CASE("the schema knows every option of a session and every code of a failure") {
  const boost::json::value schema = boost::json::parse(page_of("protocol.schema.json"));
  Names names = {"environment", "log"};
  for (const command::OptionRow& row : command::session_option_rows()) {
    std::string name(row.name.substr(2));
    std::replace_if(name.begin(), name.end(), [](char c) { return c == '-' || c == '.'; }, '_');
    names.insert(name);
  }
  CHECK(members_of(schema.at("$defs").at("options").at("properties")) == names);
  Names codes;
  for (const auto& code : schema.at_pointer("/$defs/code/enum").as_array()) codes.emplace(code.as_string());
  Names known;
  for (int code = 1; code <= static_cast<int>(Errc::deadline_exceeded); ++code) known.emplace(to_string(static_cast<Errc>(code)));
  CHECK(codes == known);
}

TEST_CASE("the schema knows every event of the log") {
  Names known;
  for (int kind = 0; to_string(static_cast<EventKind>(kind)) != "?"; ++kind) known.emplace(to_string(static_cast<EventKind>(kind)));
  CHECK(known.size() > 20);
  Names reported;
  const boost::json::value schema = boost::json::parse(page_of("protocol.schema.json"));
  for (const auto& event : schema.at_pointer("/$defs/record/properties/event/enum").as_array()) reported.emplace(event.as_string());
  CHECK(reported == known);
}
