// Reads the `compute` section of a simulation file.
#pragma once

#include "sim/file/file_sections.hpp"

namespace rollcall::sim {

void read_compute(Model& model, const FileValue& value);
std::vector<std::pair<std::string_view, KeyNames>> compute_sections();
std::vector<std::string_view> instance_statuses();

}  // namespace rollcall::sim
