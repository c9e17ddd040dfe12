// The table and the lines of JSON of `rollcall discover`.
#include <catch2/catch.hpp>

#include "command/show/found_text.hpp"
#include "command/terminal/columns.hpp"
#include "render/render_found.hpp"

using namespace rollcall;
using namespace rollcall::command;

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
  const FoundTable table(columns, {row}, std::nullopt, false);
  CHECK(table.header(false) == "NAME            STATE  ADDRESSES        HEALTH\n");
  CHECK(table.line(row) == "a\\x1b[31m\\x20b  \"\\x0a  10.0.0.1:8470+1  -\n");
  CHECK(
      render_found_json(row.found, row.kind) ==
      "{\"kind\":\"tpu\",\"name\":\"a\\u001b[31m b\",\"project\":\"\",\"zone\":\"\",\"target\":\"\",\"state\":\"\\\"\\n\",\"health\":\"\","
      "\"accelerator_type\":\"\",\"members\":2,\"addresses\":[\"10.0.0.1:8470\",\"10.0.0.2:8470\"],\"queued_resource\":\"\","
      "\"namespace\":\"\",\"workload\":\"\",\"expected_source\":\"\"}");
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
  CHECK(found_columns().size() == 15);
}

namespace {

// The header, then the rows.
std::vector<std::string> table_of(std::vector<FoundRow> rows, std::optional<std::size_t> width, const std::string& columns = "") {
  sort_rows(rows, usual_order());
  const FoundTable table(*parse_columns(columns), rows, width, columns.empty());
  std::vector<std::string> lines = {table.header(false)};
  for (const FoundRow& row : rows) lines.push_back(table.line(row));
  return lines;
}

std::vector<FoundRow> fleet_of_two() {
  std::vector<FoundRow> rows = {found_row("fleet-39", 4), found_row("fleet-4", 4)};
  for (FoundRow& row : rows) {
    row.found.state = "READY";
    row.found.health = "UNHEALTHY_TENSORFLOW";
    row.found.accelerator_type = "v5litepod-16";
    row.found.addresses = {"10.128.0.10:8470", "10.128.0.11:8470"};
    row.found.target = "tpu:" + row.found.name + ",project=my-project,zone=us-central2-b";
  }
  return rows;
}

}  // namespace

TEST_CASE("a table is in the order in which people count, and a long word widens its column") {
  const std::vector<std::string> lines = table_of(fleet_of_two(), std::nullopt);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "KIND  STATE  HEALTH                TYPE          MEMBERS  ADDRESSES           TARGET\n");
  CHECK(lines[1] ==
        "tpu   READY  UNHEALTHY_TENSORFLOW  v5litepod-16  4        10.128.0.10:8470+1  "
        "tpu:fleet-4,project=my-project,zone=us-central2-b\n");
  CHECK(lines[2].find("tpu:fleet-39,") != std::string::npos);
}

TEST_CASE("a table fits the terminal: columns are left out, then its last one is cut") {
  CHECK(table_of(fleet_of_two(), 120)[1] ==
        "tpu   READY  UNHEALTHY_TENSORFLOW  v5litepod-16  4        tpu:fleet-4,project=my-project,zone=us-central2-b\n");
  CHECK(table_of(fleet_of_two(), 80)[0] == "STATE  TYPE          MEMBERS  TARGET\n");
  CHECK(table_of(fleet_of_two(), 80)[1] == "READY  v5litepod-16  4        tpu:fleet-4,project=my-project,zone=us-central2-b\n");
  CHECK(table_of(fleet_of_two(), 70)[1] == "READY  v5litepod-16  4        tpu:fleet-4,project=my-project,zone=us-…\n");
  CHECK(table_of(fleet_of_two(), 36)[1] == "READY  tpu:fleet-4,project=my-proje…\n");
  // Columns that were asked for stay.
  CHECK(table_of(fleet_of_two(), 40, "health,addresses,target")[1] == "UNHEALTHY_T…  10.128.0.10…  tpu:fleet-4…\n");
  for (const std::size_t width : {1u, 8u, 20u, 50u}) {
    for (const std::string& line : table_of(fleet_of_two(), width)) CHECK(columns_of(line) <= width + 1);
  }
}
