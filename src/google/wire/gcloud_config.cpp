#include "google/wire/gcloud_config.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace rollcall {
namespace {

std::string* member_of(GcloudConfig& config, std::string_view section, std::string_view key) {
  if (section == "core" && key == "account") return &config.account;
  if (section == "core" && key == "project") return &config.project;
  if (section == "compute" && key == "zone") return &config.zone;
  if (section == "compute" && key == "region") return &config.region;
  return nullptr;
}

}  // namespace

Result<GcloudConfig> parse_gcloud_config(std::string_view name, std::string_view text) {
  GcloudConfig config;
  std::string_view section;
  int number = 0;
  for (const std::string_view raw : split(without_byte_order_mark(text), '\n')) {
    ++number;
    const std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      const std::size_t end = line.find(']');
      if (end == std::string_view::npos)
        return Failure(Errc::invalid_argument, fmt::format("{}, line {}: the section has no ]", name, number));
      section = line.substr(1, end - 1);
      continue;
    }
    if (raw.front() == ' ' || raw.front() == '\t') continue;  // the rest of a value of many lines
    const std::size_t separator = line.find_first_of("=:");
    if (separator == std::string_view::npos) {
      return Failure(Errc::invalid_argument, fmt::format("{}, line {}: neither a [section] nor NAME = VALUE", name, number));
    }
    const std::string key = to_lower(trim(line.substr(0, separator)));
    std::string value(trim(line.substr(separator + 1)));
    if (std::string* const member = member_of(config, section, key)) *member = value;
    config.settings.insert_or_assign(to_lower(fmt::format("{}/{}", trim(section), key)), std::move(value));
  }
  return config;
}

bool is_gcloud_config_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= 63 && is_lower(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

}  // namespace rollcall
