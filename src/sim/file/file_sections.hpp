// The parts of a simulation file, one reader each, and the names of their keys.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "sim/file/file_reader.hpp"

namespace rollcall::sim {

void read_node(Model& model, const FileValue& value);
void read_queued_resource(Model& model, const FileValue& value);
void read_metadata_section(Model& model, const FileValue& value);
void read_fault(Model& model, const FileValue& value);
void read_node_workers(NodeModel& node, const FileValue& value);
void read_worker(Model& model, const FileValue& value);

using KeyNames = std::vector<std::string_view>;
/// Every kind of object in the file with its keys, as the JSON Schema must have them.
std::vector<std::pair<std::string_view, KeyNames>> file_sections();
std::vector<std::pair<std::string_view, KeyNames>> node_sections();
std::vector<std::pair<std::string_view, KeyNames>> queued_sections();
std::vector<std::pair<std::string_view, KeyNames>> metadata_sections();
std::vector<std::pair<std::string_view, KeyNames>> fault_sections();
std::vector<std::pair<std::string_view, KeyNames>> worker_sections();

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

}  // namespace rollcall::sim
