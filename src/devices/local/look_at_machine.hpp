// Reads what the folders of this host say about accelerators: /dev, /proc/driver/nvidia, /sys. Needs no privileges, opens no device.
#pragma once

#include <string>

#include "devices/local/rules/machine_facts.hpp"
#include "rollcall/environment.hpp"

namespace rollcall {

/// `root` stands in front of all paths: empty, or a folder where another machine's files lie. Files that cannot be read count as absent.
MachineFacts look_at_machine(const Files& files, const std::string& root);

}  // namespace rollcall
