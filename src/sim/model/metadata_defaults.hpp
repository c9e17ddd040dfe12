// The metadata tree of an ordinary VM in the file's project and zone.
#pragma once

#include "sim/model/model.hpp"

namespace rollcall::sim {

MetadataTree default_metadata(const Model& model);

/// What the metadata server of worker `index` of a TPU says on top: name, address, and the TPU attributes.
void add_tpu_worker_metadata(MetadataTree& tree, const Model& model, const NodeModel& node, std::size_t index);

/// One value from the start on.
void set_constant(MetadataTree& tree, std::string path, std::string value, MetadataKind kind = MetadataKind::text);

}  // namespace rollcall::sim
