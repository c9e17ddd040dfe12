// Reads the `grpc` entries of a case.
#pragma once

#include "conformance/case.hpp"
#include "conformance/json_reader.hpp"

namespace rollcall::conformance {

GrpcEntry read_grpc_entry(const Reader& entry, std::vector<std::string>& unknown);

/// A device as the format writes it. Throws FormatError.
DeviceAttributes read_device(const Reader& device, std::vector<std::string>& unknown);

}  // namespace rollcall::conformance
