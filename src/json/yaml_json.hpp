// A part of a YAML document as JSON.
#pragma once

#include <string>

#include "json/yaml.hpp"

namespace rollcall {

/// Keys in order of their bytes, merged ones (`<<`) among them. Plain scalars become null, true and false (also `yes`, `on`, `y` and their
/// opposites, as in YAML 1.1), and decimal numbers without an exponent; whatever else YAML takes for a number stays a text.
std::string yaml_as_json(const YamlNode& node);

}  // namespace rollcall
