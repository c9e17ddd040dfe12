// The accelerators of this host as text or JSON.
#pragma once

#include <string>

#include "rollcall/local_devices.hpp"

namespace rollcall {

/// A line for each group, and the notes below, indented.
std::string render_local_devices_text(const LocalDevices& found);
/// One document on one line; its members are described in docs/command.md.
std::string render_local_devices_json(const LocalDevices& found);

}  // namespace rollcall
