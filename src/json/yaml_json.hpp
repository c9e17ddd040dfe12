// A part of a YAML document as JSON.
#pragma once

#include <string>

#include "json/yaml.hpp"

namespace rollcall {

/// Keys in order of their bytes, merged ones (`<<`) among them. Plain scalars become null, true, false and numbers where YAML 1.1 and JSON
/// write those alike; true is also `yes` and `on`.
std::string yaml_as_json(const YamlNode& node);

}  // namespace rollcall
