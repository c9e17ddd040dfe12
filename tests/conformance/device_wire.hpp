// The device messages as a server writes them, and the requests as it reads them: by hand, so that the library's codec is checked by other
// code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rollcall/device.hpp"

namespace rollcall::conformance {

std::string write_device_lists(const std::vector<DeviceAttributes>& local, const std::vector<DeviceAttributes>& remote);
/// A message with one text field 1.
std::string write_text_field(const std::string& text);
/// The text of field 1, if there is one.
std::string read_text_field(const std::string& message);

}  // namespace rollcall::conformance
