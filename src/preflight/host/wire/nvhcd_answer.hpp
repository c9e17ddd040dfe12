// The messages of nvhcd, NVIDIA's daemon for health checks, by field number [facts: nvhcd]. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rollcall {

inline constexpr std::string_view nvhcd_method = "/nvhcd.HealthCheckService/RunHealthCheck";
inline constexpr std::size_t max_nvhcd_answer = std::size_t{1} << 20;

/// A HealthCheckRequest: `arguments` of the script that the daemon runs.
std::string nvhcd_request(const std::vector<std::string>& arguments);

/// What a HealthCheckResponse says, in its own words. Both are empty: the host is healthy.
class NvhcdVerdict {
 public:
  NvhcdVerdict() {}
  std::string failure;  ///< "says: 2 checks failed: gpu, logs"
  std::string fault;    ///< why there is no verdict: what came instead
};
NvhcdVerdict read_nvhcd_answer(std::string_view message);

}  // namespace rollcall
