// gcloud's configurations: values are of one line; a configuration's name can be part of a path.
#include "google/wire/gcloud_config.hpp"

#include "base/text.hpp"
#include "check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace rollcall;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<GcloudConfig> config = parse_gcloud_config("gcloud's configuration /config_default", text);
  require_sane(config);
  if (config) {
    for (const std::string& value : {config->account, config->project, config->zone, config->region}) {
      require(value.size() <= size && value.find('\n') == std::string::npos && trim(value) == value);
    }
  }
  if (is_gcloud_config_name(text)) require(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos);
  return 0;
}
