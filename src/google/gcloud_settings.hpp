// gcloud's settings as gcloud itself reads them: the variable CLOUDSDK_SECTION_KEY, else its active configuration [facts: gcloud-settings].
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "google/wire/gcloud_config.hpp"
#include "rollcall/environment.hpp"

namespace rollcall {

class GcloudSetting {
 public:
  GcloudSetting() {}
  std::string name;  ///< "core/custom_ca_certs_file"
  std::string value;  ///< it may be a secret: proxy/password
  std::string from;  ///< "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE", "gcloud's configuration 'default'"

  /// As gcloud reads a boolean: true, 1, on, yes, y in any case.
  bool is_true() const;
  /// "core/custom_ca_certs_file of gcloud's configuration 'default'"; for a variable only the variable.
  std::string text() const;
};

/// gcloud's settings at the time of construction; the environment must outlive it. An invalid configuration has no settings: its fault is
/// reported where its project or its zone is needed.
class GcloudSettings {
 public:
  GcloudSettings(const Environment& environment, const Files& files);
  /// Absent: not set, or empty.
  std::optional<GcloudSetting> get(std::string_view name) const;
  bool is_true(std::string_view name) const;
  const GcloudConfig& config() const noexcept { return config_; }

 private:
  const Environment* environment_;
  GcloudConfig config_;
};

}  // namespace rollcall
