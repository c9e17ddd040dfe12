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

std::string exceptions_in(const Environment& environment) {
  std::string unused;
  return first_set(environment, {"no_proxy", "NO_PROXY"}, unused).value_or("");
}

}  // namespace

// [facts: proxy-variables]
ProxySettings ProxySettings::from_environment(const Environment& environment) {
  ProxySettings settings;
  std::optional<std::string> url = first_set(environment, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"}, settings.from);
  if (!url) return settings;
  settings.url = Secret<std::string>(std::move(*url));
  settings.exceptions = exceptions_in(environment);
  return settings;
}

ProxySettings ProxySettings::given(std::string proxy_url, std::string named_by, const Environment& environment) {
  ProxySettings settings(std::move(proxy_url), exceptions_in(environment));
  settings.from = std::move(named_by);
  return settings;
}

}  // namespace rollcall
