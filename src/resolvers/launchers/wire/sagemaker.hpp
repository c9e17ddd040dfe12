// Parses SageMaker's variables SM_HOSTS and SM_CURRENT_HOST.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

class SageMakerHosts {
 public:
  SageMakerHosts() {}
  std::vector<std::string> hosts;  ///< sorted as text; empty if the current host is not among them
  int current = 0;                 ///< index of the current host
  std::string unlisted;            ///< the message if the current host is not among the hosts; else empty
};

/// `hosts` is a JSON array of names, or empty for no hosts. Errors: invalid_argument, limit_exceeded. [facts: sagemaker-hosts]
Result<SageMakerHosts> parse_sagemaker(std::string_view hosts, std::string_view current_host, const ParseLimits& limits = {});

}  // namespace rollcall
