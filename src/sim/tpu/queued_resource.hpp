// A queued resource as each version of the Cloud TPU API shows it.
#pragma once

#include <string_view>

#include "sim/model/model.hpp"

namespace rollcall::sim {

/// proto3 JSON. v2 and v2alpha1 differ in the names of the slices' parameters and in the tiers. Source:
/// google/cloud/tpu/{v2,v2alpha1}/cloud_tpu.proto.
json::object queued_json(const QueuedModel& request, const QueuedMoment& moment, std::string_view version, std::string_view start_time);

/// Its fields in that version, as a field mask's text.
std::string queued_schema(std::string_view version);

}  // namespace rollcall::sim
