// Options that resolvers define for their calls.
#include <catch2/catch.hpp>
#include <stdexcept>

#include "rollcall/tpu_call.hpp"

using namespace rollcall;

namespace {

class Lines {
 public:
  int count = 1;
};
class Pages {
 public:
  int count = 1;
};

}  // namespace

TEST_CASE("call options have the options of two resolvers, and refuse those of a third") {
  CallOptions options;
  CHECK(options.get<TpuCallOptions>().lookup() == TpuLookup::automatic);
  options.with(TpuCallOptions().lookup(TpuLookup::list));
  Lines lines;
  lines.count = 7;
  options.with(lines);
  CHECK_THROWS_AS(options.with(Pages()), std::length_error);
  lines.count = 8;
  options.with(lines);  // replaces
  CHECK(options.get<Lines>().count == 8);
  CHECK(options.get<Pages>().count == 1);
  CHECK(options.get<TpuCallOptions>().lookup() == TpuLookup::list);
}
