// yaml_as_json().
#include "json/yaml.hpp"

#include <catch2/catch.hpp>

#include "support/result.hpp"

using namespace rollcall;
using namespace rollcall::testing;

namespace {

std::string converted(const std::string& text) { return yaml_as_json(*value_of(parse_yaml("the text", text))); }

}  // namespace

TEST_CASE("a part of a YAML document as JSON") {
  CHECK(converted("{b: 1, a: [x, 'y', {}, []], c: null}") == R"({"a":["x","y",{},[]],"b":1,"c":null})");
  CHECK(converted("[yes, On, TRUE, true, y, no, off, False, N]") == "[true,true,true,true,true,false,false,false,false]");
  CHECK(converted("['yes', \"1\", yEs, oN, null, ~]") == R"(["yes","1","yEs","oN",null,null])");
  CHECK(converted("[0, -7, 12.50, -0.5]") == "[0,-7,12.50,-0.5]");
  CHECK(converted("[01, 0x1, 1_0, 1e3, .5, 1., +1, 2026-01-01]") == R"(["01","0x1","1_0","1e3",".5","1.","+1","2026-01-01"])");
  CHECK(converted(R"(["a\"\\\n\e"])") == R"(["a\"\\\n\u001b"])");
  CHECK(converted("base: &b {x: 1, y: 2}\nmore: {<<: *b, y: 3}") == R"({"base":{"x":1,"y":2},"more":{"x":1,"y":3}})");
  CHECK(converted("a: &a {k: [1, 1]}\nb: [*a, *a]") == R"({"a":{"k":[1,1]},"b":[{"k":[1,1]},{"k":[1,1]}]})");
}
