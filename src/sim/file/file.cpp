#include "sim/file/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "rollcall/accelerator.hpp"

namespace rollcall::sim {

namespace {

void read_project_number(Model& model, const FileValue& value) {
  std::string text;
  value.read(text);
  if (!value.has_problem() && !parse_decimal<std::uint64_t>(text, 1)) return value.complain("expected the digits of a project number");
  model.project_number = std::move(text);
}

constexpr auto project_form = file_form<Model>("project", id<&Model::project>("id", "project"), by<read_project_number>("number"));

constexpr auto token_form = file_form<TokenModel>("token", member<&TokenModel::lifetime>("lifetime"), member<&TokenModel::age>("age"),
                                                  member<&TokenModel::renewed_before>("renewed_before"));

constexpr std::array<std::string_view, 2> authorizations = {"required", "none"};

constexpr auto api_form =
    file_form<ApiModel>("api", word<&ApiModel::is_open>("authorization", "rule", authorizations), member<&ApiModel::tokens>("tokens"),
                        member<&ApiModel::checks_expiry>("checks_expiry"), whole<&ApiModel::max_page_size>("max_page_size", 1, 100'000),
                        member<&ApiModel::gzips>("gzip"));

void add_accelerator_type(Model& model, std::string_view name) {
  AcceleratorTypeModel& type = model.accelerator_types.emplace_back();
  type.name = name;
  const auto config = accelerator_config(name);
  if (!config.first.empty()) type.configs.push_back(config);
}

void read_accelerator_type(Model& model, const FileValue& value) {
  std::string name;
  value.read(name);
  add_accelerator_type(model, name);
}

template <auto Member>
void read_zone(Model& model, const FileValue& value) {
  value.read_id((model.*Member).emplace_back(), "zone");
}

void read_project(Model& model, const FileValue& value) {
  if (value.json().is_string()) {
    value.read_id(model.project, "project");
  } else {
    read_object(value, project_form, model);
  }
}

void ignore(Model&, const FileValue&) {}

constexpr FileForm<Model, 21> whole_file = {
    "file",  // in the order of parsing: nodes need the project and the zone, the metadata may refer to nodes
    {{
        by<ignore>("$schema"),
        by<ignore>("description"),
        by<read_project, describe<project_form>>("project"),
        id<&Model::zone>("zone", "zone"),
        each<read_zone<&Model::zones>>("zones"),
        each<read_zone<&Model::unreachable_zones>>("unreachable_zones"),
        member<&Model::start_time>("start_time"),
        object<token_form, &Model::token>("token"),
        object<api_form, &Model::api>("api"),
        by<read_sign_in, describe_sign_in>("sign_in"),
        each<read_accelerator_type>("accelerator_types"),
        each<read_node, describe_node>("nodes"),
        each<read_queued_resource, describe_queued_resource>("queued_resources"),
        each<read_worker, describe_worker>("workers"),
        by<read_compute, describe_compute>("compute"),
        by<read_kubernetes, describe_kubernetes>("kubernetes"),
        by<read_slurm, describe_slurm>("slurm"),
        by<read_members, describe_members>("members"),
        by<read_metadata_section, describe_metadata_section>("metadata"),
        by<read_recorded, describe_recorded>("recorded"),
        each<read_fault, describe_fault>("faults"),
    }}};

constexpr std::array<std::string_view, 16> usual_types = {
    "v2-8",        "v3-8",         "v3-32",         "v4-8",  "v4-16",   "v4-32", "v5litepod-1", "v5litepod-4",
    "v5litepod-8", "v5litepod-16", "v5litepod-256", "v5p-8", "v5p-128", "v6e-4", "v6e-16",      "v6e-256"};

void complete(Model& model) {
  if (model.metadata.empty()) model.metadata = default_metadata(model);
  if (model.accelerator_types.empty()) {
    for (const std::string_view name : usual_types) add_accelerator_type(model, name);
  }
  model.runtime_versions = {"tpu-ubuntu2204-base", "tpu-vm-tf-2.17.0-pjrt", "v2-alpha-tpuv5", "v2-alpha-tpuv5-lite", "v2-alpha-tpuv6e"};
  model.zones.push_back(model.zone);
  for (const NodeModel& node : model.nodes) model.zones.push_back(node.zone);
  for (const QueuedModel& request : model.queued) model.zones.push_back(request.zone);
  std::sort(model.queued.begin(), model.queued.end(), [](const auto& a, const auto& b) { return a.full_name() < b.full_name(); });
  for (const ComputeInstance& instance : model.compute.instances) model.zones.push_back(instance.zone);
  for (const std::string& zone : model.unreachable_zones) model.zones.push_back(zone);
  std::sort(model.zones.begin(), model.zones.end());
  model.zones.erase(std::unique(model.zones.begin(), model.zones.end()), model.zones.end());
}

Failure failure_at(std::string_view text, std::string_view file_name, std::size_t offset, std::string_view what) {
  return Failure(Errc::invalid_argument, fmt::format("{}:{}: {}", file_name, line_and_column(text, offset), what));
}

// Sorts the nodes, since they are looked up and listed by name. If two have the same name, returns the number of the second.
std::optional<std::size_t> sort_nodes(Model& model) {
  std::vector<std::pair<std::string, std::size_t>> order;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) order.emplace_back(model.nodes[i].full_name(), i);
  std::sort(order.begin(), order.end());
  const auto twice = std::adjacent_find(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != order.end()) return std::next(twice)->second;
  std::vector<NodeModel> sorted;
  sorted.reserve(order.size());
  for (const auto& [name, index] : order) sorted.push_back(std::move(model.nodes[index]));
  model.nodes = std::move(sorted);
  return std::nullopt;
}

// The path of the entry that made the node with this number. An entry makes as many nodes as its count, or its number of slices.
FilePath path_of_node(const json::value& document, std::size_t number) {
  FilePath path(2);
  path[1].is_index = true;
  for (const auto& [section, count_key] : {std::pair("nodes", "count"), std::pair("queued_resources", "slices")}) {
    path[0].key = section;
    path[1].index = 0;
    const json::value* const entries = document.as_object().if_contains(section);
    if (!entries) continue;
    for (const json::value& entry : entries->as_array()) {
      const json::value* const count = entry.as_object().if_contains(count_key);
      const std::size_t made = count ? static_cast<std::size_t>(count->as_int64()) : 1;
      if (number < made) return path;
      number -= made;
      ++path[1].index;
    }
  }
  return path;
}

}  // namespace

Result<Model> parse_file(std::string_view text, std::string_view file_name) {
  if (text.size() > max_file_bytes)
    return Failure(Errc::limit_exceeded, fmt::format("{}: a simulation file may have at most 16 MB", file_name));
  json::stream_parser parser;
  std::error_code error;
  std::size_t read = parser.write_some(text.data(), text.size(), error);
  if (!error && read < text.size()) return failure_at(text, file_name, read, "text after the end of the JSON document");
  if (!error) parser.finish(error);
  if (error) return failure_at(text, file_name, read, fmt::format("not JSON: {}", error.message()));
  const json::value document = parser.release();
  if (const auto twice = find_duplicate_key(text)) {
    return failure_at(text, file_name, find_position(text, *twice, true), fmt::format("{}: the key is there twice", to_text(*twice)));
  }
  Model model;
  std::optional<FileProblem> problem;
  read_object(FileValue(document, problem), whole_file, model);
  if (problem) {
    return failure_at(text, file_name, find_position(text, problem->path, problem->is_about_key),
                      fmt::format("{}: {}", to_text(problem->path), problem->what));
  }
  if (const auto twice = sort_nodes(model)) {
    const FilePath path = path_of_node(document, *twice);
    return failure_at(text, file_name, find_position(text, path, false),
                      fmt::format("{}: there are two nodes {}", to_text(path), quoted(model.nodes[*twice].full_name())));
  }
  complete(model);
  return model;
}

std::pair<std::string, std::string> accelerator_config(std::string_view type) {
  static constexpr std::array<std::string_view, 7> names = {"V2", "V3", "V4", "V5LITE_POD", "V5P", "V6E", ""};
  const auto parsed = AcceleratorType::parse(type);
  if (!parsed) return {};
  const std::string_view name = names[static_cast<std::size_t>(parsed->generation())];
  if (name.empty()) return {};
  return {std::string(name), parsed->topology().to_text()};
}

FileSections file_sections() {
  FileSections out;
  describe<whole_file>(out);
  return out;
}

}  // namespace rollcall::sim
