// Uses only the values; compiled with the word "asio" poisoned and linked to rollcall::core only.
#include <cstdio>

#include "rollcall/accelerator.hpp"
#include "rollcall/cluster_spec.hpp"
#include "rollcall/device.hpp"
#include "rollcall/endpoint.hpp"
#include "rollcall/error.hpp"
#include "rollcall/http_message.hpp"
#include "rollcall/retry_policy.hpp"
#include "rollcall/target.hpp"

int main() {
  const auto target = rollcall::Target::parse("tpu:trainer,zone=us-central2-b");
  const bool is_right = target && target->scheme == "tpu" && target->get("zone") == "us-central2-b";
  std::puts(is_right ? "consumed" : "wrong answer");
  return is_right ? 0 : 1;
}
