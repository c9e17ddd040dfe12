#include "rollcall/accelerator.hpp"
#include "support/result.hpp"

using namespace rollcall;

TEST_CASE("the type that was probably meant") {
  CHECK(nearest_type("v4-33") == "v4-32");
  CHECK(nearest_type("v4-100") == "v4-128");
  CHECK(nearest_type("V5LITEPOD-250") == "v5litepod-256");
  CHECK(nearest_type("tpu7x-999999") == "tpu7x-18432");
  CHECK(nearest_type("v5litpod-16") == "v5litepod-16");
  CHECK(nearest_type("tpu7-128") == "tpu7x-128");
  CHECK(nearest_type("v4") == "v4-8");
  CHECK(nearest_type("trillium-8") == "v6e-8");
  CHECK(nearest_type("Ironwood-60") == "tpu7x-64");
  CHECK_FALSE(nearest_type("v99-8"));
  CHECK_FALSE(nearest_type("v8-8"));
  CHECK_FALSE(nearest_type("trainer"));
  CHECK_FALSE(nearest_type(""));
  CHECK_FALSE(nearest_type(std::string(10000, 'v')));
}
