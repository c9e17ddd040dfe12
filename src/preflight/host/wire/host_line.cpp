#include "preflight/host/wire/host_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/last_line.hpp"
#include "base/text.hpp"
#include "json/json_dom.hpp"
#include "json/json_text.hpp"

namespace rollcall {
namespace {

constexpr std::string_view host_line_document = "the answer of the process that looks at folders";
constexpr std::size_t max_libraries = 64;

Failure no_host_line(std::string_view what) { return Failure(Errc::malformed_response, fmt::format("{} {}", host_line_document, what)); }

Result<JsonDocument> document_of(std::string_view output) {
  if (output.size() > max_host_line_bytes) return no_host_line("is too long");
  const std::string_view line = last_line(output);
  if (line.empty()) return no_host_line("is empty");
  return JsonDocument::parse(host_line_document, line);
}

std::optional<std::uint64_t> bytes_in(const boost::json::value& object, std::string_view key) {
  const boost::json::value* const found = find(object, key);
  if (!found) return std::nullopt;
  if (found->is_int64() && found->as_int64() >= 0) return static_cast<std::uint64_t>(found->as_int64());
  return found->is_uint64() ? std::optional<std::uint64_t>(found->as_uint64()) : std::nullopt;
}

std::optional<bool> truth_in(const boost::json::value& object, std::string_view key) {
  const boost::json::value* const found = find(object, key);
  return found && found->is_bool() ? std::optional<bool>(found->as_bool()) : std::nullopt;
}

// Absent: no text, or a longer one.
std::optional<std::string> text_within(const boost::json::value& value, std::size_t max_bytes) {
  if (!value.is_string() || value.as_string().size() > max_bytes) return std::nullopt;
  return std::string(value.as_string().data(), value.as_string().size());
}

bool is_version_text(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return is_digit(c) || c == '.'; }) && is_digit(text.front());
}

}  // namespace

std::string write_folder_line(const FolderLine& folder) {
  std::string out = fmt::format("{{\"folder\":1,\"free\":{},\"total\":{},\"read_only\":{},\"out_of_files\":{}", folder.free_bytes,
                                folder.total_bytes, folder.is_read_only, folder.is_out_of_files);
  append_json_field(out, "error", folder.error);
  return out + "}\n";
}

Result<FolderLine> parse_folder_line(std::string_view output) {
  const Result<JsonDocument> document = document_of(output);
  if (!document) return document.error();
  const boost::json::value* const error_value = find(document->root(), "error");
  const std::optional<std::string> error = error_value ? text_within(*error_value, 4096) : std::nullopt;
  const auto free_bytes = bytes_in(document->root(), "free");
  const auto total = bytes_in(document->root(), "total");
  const auto read_only = truth_in(document->root(), "read_only");
  const auto out_of_files = truth_in(document->root(), "out_of_files");
  if (bytes_in(document->root(), "folder") != 1 || !error || !free_bytes || !total || !read_only || !out_of_files)
    return no_host_line("does not describe a folder");
  FolderLine folder;
  folder.error = *error;
  folder.free_bytes = *free_bytes;
  folder.total_bytes = *total;
  folder.is_read_only = *read_only;
  folder.is_out_of_files = *out_of_files;
  return folder;
}

std::string write_speed_line(const SpeedLine& speed) {
  std::string out = fmt::format("{{\"speed\":1,\"copied\":{},\"written\":{},\"read\":{}", speed.copied, speed.written, speed.read);
  append_json_field(out, "error", speed.error);
  return out + "}\n";
}

Result<SpeedLine> parse_speed_line(std::string_view output) {
  const Result<JsonDocument> document = document_of(output);
  if (!document) return document.error();
  const boost::json::value* const error_value = find(document->root(), "error");
  const std::optional<std::string> error = error_value ? text_within(*error_value, 4096) : std::nullopt;
  const auto copied = bytes_in(document->root(), "copied");
  const auto written = bytes_in(document->root(), "written");
  const auto read = bytes_in(document->root(), "read");
  if (bytes_in(document->root(), "speed") != 1 || !error || !copied || !written || !read) return no_host_line("does not describe a speed");
  SpeedLine speed;
  speed.error = *error;
  speed.copied = *copied;
  speed.written = *written;
  speed.read = *read;
  return speed;
}

std::string write_software_line(const SoftwareLine& software) {
  std::string out = "{\"software\":1";
  append_json_field(out, "python", software.python);
  append_json_field(out, "python_unknown", software.python_unknown);
  out += ",\"libraries\":{";
  for (const auto& [name, version] : software.libraries) append_json_field(out, name, version);
  out += "},\"packages\":[";
  for (const std::string& package : software.packages) {
    if (out.back() != '[') out += ',';
    append_json_string(out, package);
  }
  return out + "]}\n";
}

Result<SoftwareLine> parse_software_line(std::string_view output) {
  const Result<JsonDocument> document = document_of(output);
  if (!document) return document.error();
  const boost::json::value& root = document->root();
  const boost::json::value* const python = find(root, "python");
  const std::optional<std::string> version_of_python = python ? text_within(*python, 64) : std::nullopt;
  const boost::json::object* const libraries = find_object(root, "libraries");
  const boost::json::value* const packages = find(root, "packages");
  const boost::json::value* const unknown = find(root, "python_unknown");
  const std::optional<std::string> why_unknown = unknown ? text_within(*unknown, 4096) : std::string();
  if (!version_of_python || !why_unknown) return no_host_line("does not list software");
  if (bytes_in(root, "software") != 1 || !libraries || !packages || !packages->is_array()) return no_host_line("does not list software");
  if (packages->as_array().size() > max_packages || libraries->size() > max_libraries) return no_host_line("lists too much software");
  SoftwareLine software;
  software.python = *version_of_python;
  software.python_unknown = *why_unknown;
  for (const auto& field : *libraries) {
    const std::string_view name(field.key().data(), field.key().size());
    const bool is_name =
        !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '_'; });
    const std::optional<std::string> version = text_within(field.value(), 64);
    if (!is_name || !version) return no_host_line("has a library without a version");
    software.libraries.emplace(name, *version);
  }
  for (const boost::json::value& one : packages->as_array()) {
    std::optional<std::string> package = text_within(one, 256);
    if (!package) return no_host_line("has a package that is no text");
    software.packages.push_back(std::move(*package));
  }
  std::sort(software.packages.begin(), software.packages.end());
  software.packages.erase(std::unique(software.packages.begin(), software.packages.end()), software.packages.end());
  return software;
}

std::string package_of_folder(std::string_view name) {
  for (const std::string_view ending : {".dist-info", ".egg-info"}) {
    if (!name.ends_with(ending)) continue;
    name.remove_suffix(ending.size());
    std::size_t dash = name.find('-');
    if (dash == 0 || dash == std::string_view::npos || dash + 1 == name.size() || name.size() > 200) return {};
    std::string package = to_lower(name.substr(0, dash));
    std::replace(package.begin(), package.end(), '.', '_');
    std::string_view version = name.substr(dash + 1);
    // setuptools' own form has the Python behind the version.
    if (ending == ".egg-info") version = version.substr(0, version.find("-py"));
    return printable_line(fmt::format("{}-{}", package, version));
  }
  return {};
}

std::string package_version(const std::vector<std::string>& packages, std::string_view name) {
  for (const std::string& package : packages) {
    if (package.size() > name.size() + 1 && package.starts_with(name) && package[name.size()] == '-')
      return package.substr(name.size() + 1);
  }
  return {};
}

std::string library_version(std::string_view file, std::string_view library) {
  if (!file.starts_with(library) || !file.substr(library.size()).starts_with(".so.")) return {};
  const std::string_view version = file.substr(library.size() + 4);
  // `libnccl.so.2` is the name that programs look for, and says nothing.
  return is_version_text(version) && version.find('.') != std::string_view::npos && version.size() <= 64 ? std::string(version)
                                                                                                         : std::string();
}

std::string cuda_version(std::string_view text) {
  const Result<JsonDocument> document = JsonDocument::parse("version.json", text);
  if (!document) return {};
  const boost::json::value* const cuda = find(document->root(), "cuda");
  const std::string_view version = cuda ? find_text(*cuda, "version").value_or("") : std::string_view();
  return is_version_text(version) && version.size() <= 64 ? std::string(version) : std::string();
}

std::string venv_value(std::string_view text, std::string_view key) {
  std::string value;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos && to_lower(trim(line.substr(0, equals))) == key) value = trim(line.substr(equals + 1));
  }
  return value;
}

}  // namespace rollcall
