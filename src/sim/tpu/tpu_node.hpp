// A node as each version of the Cloud TPU API shows it.
#pragma once

#include <string_view>

#include "sim/model/model.hpp"

namespace rollcall::sim {

/// proto3 JSON: defaults left out, 64-bit integers as strings. Source: google/cloud/tpu/{v1,v2,v2alpha1}/cloud_tpu.proto.
json::object node_json(const NodeModel& node, const NodeMoment& moment, std::string_view version, std::string_view start_time);

/// The fields of a node of that version, as a field mask's text.
std::string_view node_schema(std::string_view version);

}  // namespace rollcall::sim
