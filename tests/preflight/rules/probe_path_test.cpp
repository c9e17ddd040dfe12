// Paths of probes as members write and read them.
#include "preflight/rules/probe_path.hpp"

#include <catch2/catch.hpp>

using rollcall::preflight::probe_path;
using rollcall::preflight::read_probe_path;

namespace {

TEST_CASE("a probe's path is read as it was written") {
  const std::string path = probe_path("0123456789abcdef", "both", 17, 3);
  CHECK(path == "/v1/preflight/0123456789abcdef/both/17/3");
  const auto read = read_probe_path(path);
  REQUIRE(read);
  CHECK(read->run == "0123456789abcdef");
  CHECK(read->is_large());
  CHECK(read->to == 17);
  CHECK(read->from == 3);
  CHECK_FALSE(read_probe_path(probe_path("r", "small", 0, 0))->is_large());
}

TEST_CASE("what is no path of a probe is not taken for one") {
  for (const char* path : {"", "/v1/preflight/", "/v1/preflight/r/out/1", "/v1/preflight/r/out/1/2/3", "/v1/preflight/r/out/1/-2",
                           "/v1/preflight/r/out/x/2", "/v1/preflight/r/out/1/99999999999999999999", "/v2/preflight/r/out/1/2"}) {
    INFO(path);
    CHECK_FALSE(read_probe_path(path));
  }
}

}  // namespace
