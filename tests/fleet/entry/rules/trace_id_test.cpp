#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "fleet/entry/rules/request_rules.hpp"

using rollcall::fleet::trace_id_of;

TEST_CASE("A trace-id is taken from a traceparent of that form alone") {
  const std::string id = "4bf92f3577b34da6a3ce929d0e0e4736";
  CHECK(trace_id_of("00-" + id + "-00f067aa0ba902b7-01") == id);
  CHECK(trace_id_of(" 00-" + id + "-00f067aa0ba902b7-00 ") == id);
  CHECK(trace_id_of("cc-" + id + "-00f067aa0ba902b7-01-more") == id);  // a later version
  const std::vector<std::string> wrongs = {std::string(),
                                           "00-" + id,
                                           "00-" + id + "-00f067aa0ba902b7-01-more",
                                           "ff-" + id + "-00f067aa0ba902b7-01",
                                           "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                                           "00-" + id + "-0000000000000000-01",
                                           "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                                           "00-" + id + "-00f067aa0ba902b7-zz",
                                           "00-" + id + ", 00-" + id};
  for (const std::string& wrong : wrongs) {
    CAPTURE(wrong);
    CHECK(trace_id_of(wrong).empty());
  }
}
