#include "google/gcloud_way.hpp"

#include <fmt/format.h>

#include "base/ip.hpp"
#include "base/path_text.hpp"
#include "base/proxy_url.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "call/google_access.hpp"
#include "call/rules/classify_status.hpp"
#include "call/token_rules.hpp"
#include "google/gcloud_config.hpp"

namespace rollcall {
namespace {

constexpr std::string_view authorities_setting = "core/custom_ca_certs_file";
constexpr std::string_view usual_token_host = "https://oauth2.googleapis.com/token";

// The setting that takes precedence over gcloud's trust anchors; empty: none.
std::string_view earlier_authorities(Runtime::Impl& impl) {
  if (found_places(impl).has_own_authorities) return "--ca";
  for (const std::string_view name : {"SSL_CERT_FILE", "SSL_CERT_DIR"}) {
    if (!impl.environment->get(name).value_or("").empty()) return name;
  }
  return {};
}

// The text of the file, or why it is not used.
Result<std::string> authorities_of(Runtime::Impl& impl, const GcloudSetting& setting) {
  const std::string_view earlier = earlier_authorities(impl);
  if (!earlier.empty()) return Failure(Errc::conflict, fmt::format("{} comes first", earlier));
  constexpr std::size_t max_bytes = 1 << 20;
  Result<std::string> text = impl.files->read(setting.value, max_bytes);
  if (text && trim(*text).empty()) return Failure(Errc::invalid_argument, "the file is empty");
  return text;
}

// gcloud's proxy as a URL; empty: none is set. Errors: why it is not used, never with the password.
Result<Secret<std::string>> proxy_of(Runtime::Impl& impl, const GcloudSettings& settings) {
  const auto type = settings.get("proxy/type");
  const auto address = settings.get("proxy/address");
  const auto port = settings.get("proxy/port");
  if (!type && !address && !port) return Secret<std::string>();
  if (!type || !address || !port) return Failure(Errc::invalid_argument, "proxy/type, proxy/address and proxy/port belong together");
  if (found_places(impl).has_own_proxy) return Failure(Errc::conflict, "the program's own choice comes first");
  if (!impl.proxy.url.empty()) return Failure(Errc::conflict, fmt::format("{} comes first", impl.proxy.from));
  const bool looks_up_here = settings.get("proxy/rdns") && !settings.is_true("proxy/rdns");
  const std::string kind = to_lower(type->value);
  if (kind != "http" && kind != "socks5") {
    return Failure(Errc::unimplemented, fmt::format("proxies of the type {} are not asked: http and socks5 are", quoted(type->value, 40)));
  }
  const std::string_view scheme = kind == "http" ? "http" : looks_up_here ? "socks5" : "socks5h";
  std::string login;
  if (const auto user = settings.get("proxy/username")) {
    const auto password = settings.get("proxy/password");
    login = percent_encode(user->value, "");
    if (password) login += ":" + percent_encode(password->value, "");
    login += "@";
  }
  const bool needs_brackets = address->value.find(':') != std::string::npos && !address->value.starts_with('[');
  Secret<std::string> url(
      fmt::format("{}://{}{}{}{}:{}", scheme, login, needs_brackets ? "[" : "", address->value, needs_brackets ? "]" : "", port->value));
  wipe(login.data(), login.size());
  const Result<ProxyUrl> parsed = ProxyUrl::parse(url.reveal(), "gcloud's proxy/address");
  if (!parsed) return parsed.error();
  return url;
}

std::string proxy_setting_text(const GcloudSettings& settings) {
  for (const char* const name : {"proxy/address", "proxy/type", "proxy/port"}) {
    if (const auto setting = settings.get(name)) return setting->text();
  }
  return {};
}

GcloudWay read_way(Runtime::Impl& impl) {
  GcloudWay way(GcloudSettings(*impl.environment, *impl.files));
  const GcloudSettings& settings = way.settings;
  ServerAccess access;
  if (const auto setting = settings.get(authorities_setting)) {
    Result<std::string> text = authorities_of(impl, *setting);
    if (text) {
      access.authorities = std::move(*text);
      access.authorities_from = fmt::format("{}, {}", setting->text(), path_text(setting->value, 200));
    } else {
      way.authorities_fault = text.error().what();
    }
  }
  Result<Secret<std::string>> proxy = proxy_of(impl, settings);
  if (!proxy) way.proxy_fault = proxy.error().what();
  if (proxy && !proxy->empty()) {
    access.proxy = std::move(*proxy);
    access.proxy_from = proxy_setting_text(settings);
  }
  if (!access.authorities.empty() || !access.proxy.empty()) way.access = std::make_shared<const ServerAccess>(std::move(access));
  constexpr std::string_view overrides = "api_endpoint_overrides/";
  for (const auto& [name, value] : settings.config().settings) {
    if (name.starts_with(overrides) && !value.empty()) way.endpoints.emplace(name.substr(overrides.size()), value);
  }
  if (const auto universe = settings.get("core/universe_domain")) way.universe = universe->value;
  return way;
}

// A setting that is on, or has a value, and that is not supported here.
void add_ignored(const GcloudSettings& settings, std::string_view name, bool is_switch, std::string why,
                 std::vector<UnfollowedSetting>& into) {
  const auto setting = settings.get(name);
  if (setting && (!is_switch || setting->is_true())) into.emplace_back(setting->text(), std::move(why));
}

void add_ways(const GcloudWay& way, std::vector<UnfollowedSetting>& into) {
  const GcloudSettings& settings = way.settings;
  const auto authorities = settings.get(authorities_setting);
  if (authorities && !way.authorities_fault.empty()) into.emplace_back(authorities->text(), way.authorities_fault);
  if (!way.proxy_fault.empty()) into.emplace_back(proxy_setting_text(settings), way.proxy_fault);
  add_ignored(settings, "auth/disable_ssl_validation", true,
              "servers are always verified; name their authority by --ca FILE or core/custom_ca_certs_file", into);
  const auto token_host = settings.get("auth/token_host");
  if (token_host && token_host->value != usual_token_host)
    into.emplace_back(token_host->text(), fmt::format("tokens come from {}", usual_token_host));
  for (const char* const api : {"iamcredentials", "sts", "oauth2"}) {
    add_ignored(settings, fmt::format("api_endpoint_overrides/{}", api), false, "the credentials say where tokens come from", into);
  }
}

void add_identities(Runtime::Impl& impl, const GcloudSettings& settings, std::vector<UnfollowedSetting>& into) {
  constexpr std::string_view no_certificate = "Google's servers are shown no client certificate of the device";
  add_ignored(settings, "context_aware/use_client_certificate", true, std::string(no_certificate), into);
  add_ignored(settings, "context_aware/certificate_config_file_path", false, std::string(no_certificate), into);
  add_ignored(settings, "auth/access_token_file", false, "its token is not sent: give it as --token-file", into);
  add_ignored(settings, "auth/disable_credentials", true, "credentials are looked for and sent", into);
  const Result<CredentialFacts::Pointer> known = impl.credentials->facts(*impl.environment, *impl.files);
  if (!known) return;
  const CredentialFacts& facts = **known;
  const auto other_file = settings.get("auth/credential_file_override");
  if (other_file && other_file->value != facts.path) {
    into.emplace_back(other_file->text(), "name it in GOOGLE_APPLICATION_CREDENTIALS");
  }
  const bool is_gclouds_own = facts.named_by.find(gcloud_login) != std::string::npos;
  if (!is_gclouds_own) {
    add_ignored(settings, "auth/impersonate_service_account", false,
                "it is for gcloud's own login; gcloud auth application-default login --impersonate-service-account=ACCOUNT is for others",
                into);
  }
  const auto quota = settings.get("billing/quota_project");
  const bool is_project = quota && quota->value != "LEGACY" && quota->value != facts.quota_project;
  if (is_project && !is_gclouds_own) {
    into.emplace_back(quota->text(), "it is for gcloud's own login; set GOOGLE_CLOUD_QUOTA_PROJECT for others");
  }
  const auto universe = settings.get("core/universe_domain");
  if (universe && !facts.universe_domain.empty() && !equals_ignoring_case(universe->value, facts.universe_domain)) {
    into.emplace_back(universe->text(), fmt::format("the credentials are of {}", printable(facts.universe_domain, 100)));
  }
}

}  // namespace

void note_network_options(Runtime::Impl& impl, const NetworkOptions& network) {
  found_places(impl).has_own_authorities = !network.ca_file.empty();
  found_places(impl).has_own_proxy = network.proxy.has_value();
  found_places(impl).own_certificate_file = network.certificate_file;
}

const GcloudWay& gcloud_way(Runtime::Impl& impl) {
  std::optional<GcloudWay>& way = found_places(impl).way;
  if (!way) way = read_way(impl);
  return *way;
}

std::vector<UnfollowedSetting> unfollowed_gcloud_settings(Runtime::Impl& impl) {
  std::vector<UnfollowedSetting> unfollowed;
  add_ways(gcloud_way(impl), unfollowed);
  add_identities(impl, gcloud_way(impl).settings, unfollowed);
  return unfollowed;
}

std::vector<std::string> followed_gcloud_settings(Runtime::Impl& impl) {
  const GcloudWay& way = gcloud_way(impl);
  const GcloudSettings& settings = way.settings;
  std::vector<std::string> followed;
  if (way.access && !way.access->authorities.empty()) followed.push_back(way.access->authorities_from);
  if (way.access && !way.access->proxy.empty()) {
    const Result<ProxyUrl> proxy = ProxyUrl::parse(way.access->proxy.reveal(), way.access->proxy_from);
    if (proxy) followed.push_back(fmt::format("{}, {}", way.access->proxy_from, proxy->shown()));
  }
  for (const char* const api : {"tpu", "compute", "cloudresourcemanager"}) {
    const auto setting = settings.get(fmt::format("api_endpoint_overrides/{}", api));
    if (setting && way.endpoints.contains(api)) followed.push_back(fmt::format("{}, {}", setting->text(), printable(setting->value, 200)));
  }
  return followed;
}

bool is_for_google(const ApiRequest& request, Runtime::Impl& impl) {
  if (!request.http.url.is_https) return false;
  if (request.service->is_google_api) return true;
  if (!request.service->may_be_google) return false;
  const std::string& universe = gcloud_way(impl).universe;
  return is_google_host(request.http.url.host) || (!universe.empty() && is_host_below(request.http.url.host, universe));
}

std::shared_ptr<const ServerAccess> google_access(Runtime::Impl& impl) { return gcloud_way(impl).access; }

const std::string& own_certificate_file(Runtime::Impl& impl) { return found_places(impl).own_certificate_file; }

std::string unfollowed_settings(Runtime::Impl& impl, Errc code) {
  const bool is_of_identity = code == Errc::unauthenticated || code == Errc::permission_denied;
  const bool is_of_way = code == Errc::tls_failed || code == Errc::unreachable || code == Errc::unknown_host || is_timeout(code);
  if (!is_of_identity && !is_of_way) return {};
  std::vector<UnfollowedSetting> unfollowed;
  if (is_of_way) add_ways(gcloud_way(impl), unfollowed);
  if (is_of_identity) add_identities(impl, gcloud_way(impl).settings, unfollowed);
  std::string text;
  for (const UnfollowedSetting& one : unfollowed) {
    text += fmt::format("{}{} is not followed: {}", text.empty() ? "" : "; ", one.setting, one.why);
  }
  return text;
}

}  // namespace rollcall
