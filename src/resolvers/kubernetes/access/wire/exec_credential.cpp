#include "resolvers/kubernetes/access/wire/exec_credential.hpp"

#include <fmt/format.h>

#include "base/base64.hpp"
#include "base/field_text.hpp"
#include "base/secret_words.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "json/json_dom.hpp"
#include "json/json_text.hpp"

namespace rollcall {
namespace {

constexpr std::size_t max_pem = 256 * 1024;
constexpr std::size_t max_plugin_token = 64 * 1024;  // Azure's tokens with many groups are long

void append_cluster(std::string& out, const ExecCluster& cluster) {
  out += R"(,"cluster":{)";
  append_json_field(out, "server", cluster.server);
  if (!cluster.tls_server_name.empty()) append_json_field(out, "tls-server-name", cluster.tls_server_name);
  if (cluster.skips_verification) out += R"(,"insecure-skip-tls-verify":true)";
  if (!cluster.authorities.empty()) append_json_field(out, "certificate-authority-data", base64_encode(cluster.authorities));
  if (!cluster.proxy_url.empty()) append_json_field(out, "proxy-url", cluster.proxy_url);
  if (cluster.disables_compression) out += R"(,"disable-compression":true)";
  out += fmt::format(R"(,"config":{}}})", cluster.config.empty() ? "null" : cluster.config);
}

// A text that may be missing or null. False if the value has another type.
bool read_member(const boost::json::value& object, std::string_view key, std::string_view& into) {
  const boost::json::value* const value = find(object, key);
  if (!value) return true;
  if (!value->is_string()) return false;
  into = std::string_view(value->get_string());
  return true;
}

// Go's zero time means no expiry. Years outside WallTime's range become its first or last time: some plugins write 9999.
std::optional<Failure> read_expiry(std::string_view text, std::string_view plugin, std::optional<WallTime>& into) {
  if (text.empty() || text == "0001-01-01T00:00:00Z") return std::nullopt;
  into = parse_rfc3339(text);
  const std::optional<int> year = text.size() > 4 ? parse_decimal<int>(text.substr(0, 4)) : std::nullopt;
  if (!into && year && (*year > 2261 || *year < 1678)) {
    const bool is_leap_day = text.substr(4, 6) == "-02-29";
    const bool is_date = parse_rfc3339(std::string(is_leap_day ? "2004" : "2001").append(text.substr(4))).has_value();
    if (is_date) into = *year > 2261 ? WallTime::max() : WallTime::min();
  }
  if (into) return std::nullopt;
  return Failure(Errc::malformed_response, fmt::format("{} printed an expirationTimestamp that is no date (RFC 3339)", plugin));
}

}  // namespace

bool is_exec_api_version(std::string_view text) noexcept {
  return text == "client.authentication.k8s.io/v1" || text == "client.authentication.k8s.io/v1beta1";
}

std::string exec_info(std::string_view api_version, bool is_interactive, const ExecCluster* cluster) {
  std::string out = R"({"kind":"ExecCredential")";
  append_json_field(out, "apiVersion", api_version);
  out += fmt::format(R"(,"spec":{{"interactive":{})", is_interactive);
  if (cluster) append_cluster(out, *cluster);
  return out + "}}";
}

Result<ExecCredential> parse_exec_credential(std::string_view plugin, std::string_view api_version, std::string_view json) {
  const auto refuse = [plugin](std::string_view what) { return Failure(Errc::malformed_response, fmt::format("{} {}", plugin, what)); };
  if (trim(json).empty()) return refuse("printed nothing");
  ParseLimits limits;
  limits.max_document = 1 << 20;
  limits.max_depth = 32;
  const Result<JsonDocument> document = JsonDocument::parse("its output", json, limits);
  if (!document) return refuse(fmt::format("did not print a credential: {}", document.error().what()));
  const boost::json::value& root = document->root();
  if (!root.is_object()) return refuse(fmt::format("printed {}, not a credential", kind_name(root)));
  std::string_view kind;
  std::string_view version;
  if (!read_member(root, "kind", kind) || !read_member(root, "apiVersion", version))
    return refuse("printed a kind or apiVersion that is no text");
  if (kind != "ExecCredential") return refuse(fmt::format("printed an object of kind {}, not ExecCredential", quoted_words(kind, 64)));
  if (version != api_version)
    return refuse(fmt::format("answered in version {}, while the kubeconfig has {}", quoted_words(version, 64), quoted(api_version, 64)));
  const boost::json::value* const status = find(root, "status");
  if (!status) return refuse("printed no status: no credential");
  if (!status->is_object()) return refuse("printed a status that is no object");

  std::string_view token;
  std::string_view certificate;
  std::string_view key;
  std::string_view expiry;
  for (const auto& [name, into] : {std::pair{"token", &token}, std::pair{"clientCertificateData", &certificate},
                                   std::pair{"clientKeyData", &key}, std::pair{"expirationTimestamp", &expiry}}) {
    if (!read_member(*status, name, *into)) return refuse(fmt::format("printed a {} that is no text", name));
  }
  if (certificate.empty() != key.empty())
    return refuse(fmt::format("printed a {} without a {}", key.empty() ? "clientCertificateData" : "clientKeyData",
                              key.empty() ? "clientKeyData" : "clientCertificateData"));
  if (token.empty() && certificate.empty()) return refuse("printed neither a token nor a client certificate");
  if (token.size() > max_plugin_token || (!token.empty() && !is_graphic(token))) return refuse("printed a token that cannot be one");
  if (certificate.size() > max_pem || key.size() > max_pem) return refuse("printed a client certificate or key that is too large");
  ExecCredential credential;
  if (const std::optional<Failure> fault = read_expiry(expiry, plugin, credential.expires_at)) return *fault;
  credential.token = Secret<std::string>(std::string(token));
  credential.certificate = certificate;
  credential.key = Secret<std::string>(std::string(key));
  return credential;
}

}  // namespace rollcall
