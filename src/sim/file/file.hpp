// Parses the simulation file into a model, with one parser for each section. Documented in docs/simulation.md.
#pragma once

#include <string_view>
#include <utility>

#include "sim/file/file_form.hpp"
#include "sim/model/model.hpp"

namespace rollcall::sim {

inline constexpr std::size_t max_file_bytes = 16 * 1024 * 1024;
inline constexpr std::size_t max_nodes = 100'000;

/// Errors: invalid_argument, `FILE:LINE:COLUMN: PATH: what is wrong`.
Result<Model> parse_file(std::string_view text, std::string_view file_name);

/// Every kind of object in the file, for the comparison with the JSON Schema.
FileSections file_sections();

// The sections with a file of their own here: a parser, and a description of its forms.
void read_node(Model& model, const FileValue& value);
void describe_node(FileSections& out);
void read_node_workers(NodeModel& node, const FileValue& value);
void describe_node_workers(FileSections& out);
void read_queued_resource(Model& model, const FileValue& value);
void describe_queued_resource(FileSections& out);
void read_worker(Model& model, const FileValue& value);
void describe_worker(FileSections& out);
void read_compute(Model& model, const FileValue& value);
void describe_compute(FileSections& out);
void read_kubernetes(Model& model, const FileValue& value);
void describe_kubernetes(FileSections& out);
void read_slurm(Model& model, const FileValue& value);
void describe_slurm(FileSections& out);
void read_members(Model& model, const FileValue& value);
void describe_members(FileSections& out);
void read_metadata_section(Model& model, const FileValue& value);
void describe_metadata_section(FileSections& out);
void read_sign_in(Model& model, const FileValue& value);
void describe_sign_in(FileSections& out);
void read_recorded(Model& model, const FileValue& value);
void describe_recorded(FileSections& out);
void read_fault(Model& model, const FileValue& value);
void describe_fault(FileSections& out);

/// acceleratorConfig's type and topology for a type's name; empty if the API has none.
std::pair<std::string, std::string> accelerator_config(std::string_view type);

/// `base` plus `offset`, for IPv4 and IPv6. None for an invalid address, or one outside of `base`'s private network.
std::optional<std::string> address_plus(std::string_view base, std::uint64_t offset);

MetadataTree default_metadata(const Model& model);

/// Adds the metadata of worker `index` of a TPU: name, address, and the TPU attributes.
void add_tpu_worker_metadata(MetadataTree& tree, const Model& model, const NodeModel& node, std::size_t index);

/// Sets a value that does not change.
void set_constant(MetadataTree& tree, std::string path, std::string value, MetadataKind kind = MetadataKind::text);

}  // namespace rollcall::sim
