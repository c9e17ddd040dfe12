#include "rollcall/proxy_settings.hpp"

#include <initializer_list>
#include <optional>
#include <string_view>

namespace rollcall {
namespace {

// The first of the variables that is not empty, and its name.
std::optional<std::string> first_set(const Environment& environment, std::initializer_list<const char*> names, std::string& name_of_it) {
  for (const char* const name : names) {
    std::optional<std::string> value = environment.get(name);
    if (!value || value->empty()) continue;
    name_of_it = name;
    return value;
  }
  return std::nullopt;
}

}  // namespace

// [facts: proxy-variables]
ProxySettings ProxySettings::from_environment(const Environment& environment) {
  ProxySettings settings;
  std::optional<std::string> url = first_set(environment, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}, settings.from);
  if (!url) return settings;
  settings.url = Secret<std::string>(std::move(*url));
  std::string unused;
  settings.exceptions = first_set(environment, {"no_proxy", "NO_PROXY"}, unused).value_or("");
  return settings;
}

}  // namespace rollcall
