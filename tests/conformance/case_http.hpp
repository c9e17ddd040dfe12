// Reads the `http` and `expect_requests` parts of a case.
#pragma once

#include "conformance/case.hpp"

namespace rollcall::conformance {

HttpEntry read_http_entry(const Reader& entry, std::vector<std::string>& unknown);
ExpectedRequests read_expected_requests(const Reader& expected, std::vector<std::string>& unknown);

}  // namespace rollcall::conformance
