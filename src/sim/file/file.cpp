#include "sim/file/file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "rollcall/accelerator.hpp"
#include "sim/file/k8s_draft.hpp"

namespace rollcall::sim {

namespace {

constexpr std::array<FileKey<Model>, 2> project_keys = {{
    {"id", [](Model& model, const FileValue& value) { value.read_id(model.project, "project"); }},
    {"number",
     [](Model& model, const FileValue& value) {
       std::string text;
       value.read(text);
       if (!value.has_problem() && !parse_decimal<std::uint64_t>(text, 1)) return value.complain("expected the digits of a project number");
       model.project_number = std::move(text);
     }},
}};

constexpr std::array<FileKey<TokenModel>, 3> token_keys = {{
    member<&TokenModel::lifetime>("lifetime"),
    member<&TokenModel::age>("age"),
    member<&TokenModel::renewed_before>("renewed_before"),
}};

constexpr std::array<FileKey<ApiModel>, 5> api_keys = {{
    {"authorization",
     [](ApiModel& api, const FileValue& value) {
       static constexpr std::array<std::string_view, 2> words = {"required", "none"};
       std::string word = "required";
       value.read_word(word, "rule", words);
       api.is_open = word == "none";
     }},
    {"tokens", [](ApiModel& api, const FileValue& value) { value.read(api.tokens.emplace()); }},
    member<&ApiModel::checks_expiry>("checks_expiry"),
    whole<1, 100'000, &ApiModel::max_page_size>("max_page_size"),
    member<&ApiModel::gzips>("gzip"),
}};

void read_accelerator_type(Model& model, const FileValue& value) {
  AcceleratorTypeModel type;
  value.read(type.name);
  if (value.has_problem()) return;
  const auto config = accelerator_config(type.name);
  if (!config.first.empty()) type.configs.push_back(config);
  model.accelerator_types.push_back(std::move(type));
}

void read_zones(std::vector<std::string>& into, const FileValue& value) {
  read_list(value, [&into](const FileValue& one) { one.read_id(into.emplace_back(), "zone"); });
}

void read_project(Model& model, const FileValue& value) {
  if (value.json().is_string()) {
    value.read_id(model.project, "project");
  } else {
    read_object<Model>(value, project_keys, model);
  }
}

// In the order of reading: nodes need the project and the zone, the metadata may speak of nodes.
constexpr std::array<FileKey<Model>, 17> file_keys = {{
    {"$schema", [](Model&, const FileValue&) {}},
    {"description", [](Model&, const FileValue&) {}},
    {"project", read_project},
    {"zone", [](Model& model, const FileValue& value) { value.read_id(model.zone, "zone"); }},
    {"zones", [](Model& model, const FileValue& value) { read_zones(model.zones, value); }},
    {"unreachable_zones", [](Model& model, const FileValue& value) { read_zones(model.unreachable_zones, value); }},
    member<&Model::start_time>("start_time"),
    {"token", [](Model& model, const FileValue& value) { read_object<TokenModel>(value, token_keys, model.token); }},
    {"api", [](Model& model, const FileValue& value) { read_object<ApiModel>(value, api_keys, model.api); }},
    each<read_accelerator_type>("accelerator_types"),
    each<read_node>("nodes"),
    each<read_queued_resource>("queued_resources"),
    each<read_worker>("workers"),
    {"compute", read_compute},
    {"kubernetes", read_kubernetes_section},
    {"metadata", read_metadata_section},
    each<read_fault>("faults"),
}};

constexpr std::array<std::string_view, 16> usual_types = {
    "v2-8",        "v3-8",         "v3-32",         "v4-8",  "v4-16",   "v4-32", "v5litepod-1", "v5litepod-4",
    "v5litepod-8", "v5litepod-16", "v5litepod-256", "v5p-8", "v5p-128", "v6e-4", "v6e-16",      "v6e-256"};

void complete(Model& model) {
  if (model.metadata.empty()) model.metadata = default_metadata(model);
  if (model.accelerator_types.empty()) {
    for (const std::string_view name : usual_types) {
      AcceleratorTypeModel type;
      type.name = std::string(name);
      const auto config = accelerator_config(name);
      if (!config.first.empty()) type.configs.push_back(config);
      model.accelerator_types.push_back(std::move(type));
    }
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

// Nodes are looked up and listed by name. Of two with the same name, the number of the second.
std::optional<std::size_t> sort_nodes(Model& model) {
  std::vector<std::pair<std::string, std::size_t>> order;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) order.emplace_back(model.nodes[i].full_name(), i);
  std::sort(order.begin(), order.end());
  const auto twice = std::adjacent_find(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != order.end()) return std::next(twice)->second;
  std::vector<NodeModel> sorted;
  sorted.reserve(order.size());
  for (auto& [name, index] : order) {
    sorted.push_back(std::move(model.nodes[index]));
    model.node_names.push_back(std::move(name));
  }
  model.nodes = std::move(sorted);
  return std::nullopt;
}

// The entry that made the node with this number: each makes as many as its count, or its number of slices, says.
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
  read_object<Model>(FileValue(document, problem), file_keys, model);
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
  out.emplace_back("file", names_of(file_keys));
  out.emplace_back("project", names_of(project_keys));
  out.emplace_back("token", names_of(token_keys));
  out.emplace_back("api", names_of(api_keys));
  for (const auto& sections : {node_sections(), queued_sections(), metadata_sections(), fault_sections(), worker_sections(),
                               compute_sections(), kubernetes_sections()})
    out.insert(out.end(), sections.begin(), sections.end());
  return out;
}

}  // namespace rollcall::sim
