// yaml_as_json().
#include "json/yaml_json.hpp"

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

std::string json_of(const std::string& text) { return yaml_as_json(*value_of(parse_yaml("the text", text))); }

}  // namespace

TEST_CASE("a part of a YAML document as JSON") {
  CHECK(json_of("{b: 1, a: [x, 'y', {}, []], c: null}") == R"({"a":["x","y",{},[]],"b":1,"c":null})");
  CHECK(json_of("[yes, On, TRUE, true, y, no, off, False, N]") == "[true,true,true,true,true,false,false,false,false]");
  CHECK(json_of("['yes', \"1\", yEs, oN, null, ~]") == R"(["yes","1","yEs","oN",null,null])");
  CHECK(json_of("[0, -7, 12.50, -0.5]") == "[0,-7,12.50,-0.5]");
  CHECK(json_of("[01, 0x1, 1_0, 1e3, .5, 1., +1, 2026-01-01]") == R"(["01","0x1","1_0","1e3",".5","1.","+1","2026-01-01"])");
  CHECK(json_of(R"(["a\"\\\n\e"])") == R"(["a\"\\\n\u001b"])");
  CHECK(json_of("base: &b {x: 1, y: 2}\nmore: {<<: *b, y: 3}") == R"({"base":{"x":1,"y":2},"more":{"x":1,"y":3}})");
  CHECK(json_of("a: &a {k: [1, 1]}\nb: [*a, *a]") == R"({"a":{"k":[1,1]},"b":[{"k":[1,1]},{"k":[1,1]}]})");
}
