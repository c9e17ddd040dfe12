// Filters of Compute Engine's lists: any text is accepted or refused, and an accepted filter evaluates an instance quickly.
#include "sim/compute/compute_filter.hpp"

#include <boost/json/parse.hpp>

#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall::sim;
  static const json::value instance = json::parse(
      R"({"name":"worker-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab","status":"RUNNING","labels":{"team":"x"},"n":5})");
  const auto filter = ComputeFilter::parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!filter) return 0;
  const bool first = filter->matches(instance);
  rollcall::require(filter->matches(instance) == first);
  if (filter->is_open()) rollcall::require(first);
  return 0;
}
