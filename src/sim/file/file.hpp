// The simulation file: JSON text in, a model out; its sections, one reader each. Documented in docs/simulation.md.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "sim/file/file_reader.hpp"
#include "sim/model/model.hpp"

namespace rollcall::sim {

inline constexpr std::size_t max_file_bytes = 16 * 1024 * 1024;
inline constexpr std::size_t max_nodes = 100'000;

/// Errors: invalid_argument, `FILE:LINE:COLUMN: PATH: what is wrong`.
Result<Model> parse_file(std::string_view text, std::string_view file_name);

void read_node(Model& model, const FileValue& value);
void read_queued_resource(Model& model, const FileValue& value);
void read_metadata_section(Model& model, const FileValue& value);
void read_fault(Model& model, const FileValue& value);
void read_node_workers(NodeModel& node, const FileValue& value);
void read_worker(Model& model, const FileValue& value);

using KeyNames = std::vector<std::string_view>;
using FileSections = std::vector<std::pair<std::string_view, KeyNames>>;
/// Every kind of object in the file with its keys, as the JSON Schema must have them.
FileSections file_sections();
FileSections node_sections();
FileSections queued_sections();
FileSections metadata_sections();
FileSections fault_sections();
FileSections worker_sections();

template <class Keys>
KeyNames names_of(const Keys& keys) {
  KeyNames out;
  for (const auto& key : keys) out.push_back(key.name);
  return out;
}

/// Words that the file may use.
std::vector<std::string_view> node_states();
std::vector<std::string_view> node_healths();
std::vector<std::string_view> queued_states();
std::vector<std::string_view> fault_names();
std::vector<std::string_view> worker_fault_names();
std::vector<std::string_view> rpc_status_names();

/// acceleratorConfig's type and topology of a type's name; empty where the API has none.
std::pair<std::string, std::string> accelerator_config(std::string_view type);

/// `base` plus `offset`, for IPv4 and IPv6. None when that is no address, or one outside of the private network that `base` is in.
std::optional<std::string> address_plus(std::string_view base, std::uint64_t offset);

void read_compute(Model& model, const FileValue& value);
FileSections compute_sections();
std::vector<std::string_view> instance_statuses();

MetadataTree default_metadata(const Model& model);

/// What the metadata server of worker `index` of a TPU says on top: name, address, and the TPU attributes.
void add_tpu_worker_metadata(MetadataTree& tree, const Model& model, const NodeModel& node, std::size_t index);

/// One value from the start on.
void set_constant(MetadataTree& tree, std::string path, std::string value, MetadataKind kind = MetadataKind::text);

}  // namespace rollcall::sim
