// The table and the lines of JSON of `rollcall discover`.
#include <catch2/catch.hpp>

#include "command/show/found_text.hpp"
#include "render/render_found.hpp"

using namespace rollcall;
using namespace rollcall::tools;

namespace {

FoundRow found_row(std::string name, std::size_t members) {
  FoundRow row;
  row.kind = "tpu";
  row.found.name = std::move(name);
  row.found.members = members;
  return row;
}

}  // namespace

TEST_CASE("what a server sent disturbs neither table nor JSON") {
  FoundRow row = found_row("a\x1b[31m b", 2);
  row.found.addresses = {"10.0.0.1:8470", "10.0.0.2:8470"};
  row.found.state = "\"\n";
  const ColumnList columns = *parse_columns("name,state,addresses,health");
  CHECK(found_line(row, columns, {4, 4, 4, 4}) == "a\\x1b[31m\\x20b  \"\\x0a  10.0.0.1:8470+1  -\n");
  CHECK(
      render_found_json(row.found, row.kind) ==
      "{\"kind\":\"tpu\",\"name\":\"a\\u001b[31m b\",\"project\":\"\",\"zone\":\"\",\"target\":\"\",\"state\":\"\\\"\\n\",\"health\":\"\","
      "\"accelerator_type\":\"\",\"members\":2,\"addresses\":[\"10.0.0.1:8470\",\"10.0.0.2:8470\"],\"queued_resource\":\"\","
      "\"namespace\":\"\",\"workload\":\"\"}");
}

TEST_CASE("rows are ordered as people count, by several columns") {
  std::vector<FoundRow> rows = {found_row("n-10", 1), found_row("n-9", 1), found_row("z", 30), found_row("a", 4)};
  const auto names = [&rows](const std::string& keys) {
    sort_rows(rows, *parse_sort(keys));
    std::string text;
    for (const FoundRow& row : rows) text += row.found.name + " ";
    return text;
  };
  CHECK(names("members,name") == "n-9 n-10 a z ");
  CHECK(names("-members,-name") == "z a n-10 n-9 ");
  CHECK(parse_sort("name,").has_error());
  CHECK(parse_columns("nane").error().hint() == "did you mean name?");
  CHECK(parse_columns("")->size() == 7);
  CHECK(found_columns().size() == 12);
}
