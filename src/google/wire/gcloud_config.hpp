// gcloud's configurations: files of sections and `name = value` lines, as Python's configparser writes them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall {

/// The fields of a configuration that are used here. Empty: not set.
class GcloudConfig {
 public:
  GcloudConfig() {}
  std::string name;  ///< of the configuration: "default"
  std::string account;
  std::string project;
  std::string zone;
  std::string region;
  std::map<std::string, std::string, std::less<>> settings;  ///< all of them, by `section/key`, in lower case
};

/// `name` begins the messages. Errors: invalid_argument, with the line.
Result<GcloudConfig> parse_gcloud_config(std::string_view name, std::string_view text);

/// True if a configuration may have that name: a lower-case letter, then letters, digits and hyphens.
bool is_gcloud_config_name(std::string_view name) noexcept;

}  // namespace rollcall
