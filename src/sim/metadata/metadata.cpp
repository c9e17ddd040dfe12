#include "sim/metadata/metadata.hpp"

#include <fmt/format.h>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "sim/wire/issuer.hpp"
#include "sim/wire/state.hpp"

namespace rollcall::sim {

namespace {

constexpr std::string_view metadata_root = "/computeMetadata/v1/";
constexpr std::string_view html_type = "text/html; charset=UTF-8";

// The refusal of an invalid request has no Metadata-Flavor.
Reply refused(std::string_view why) {
  Reply reply;
  reply.status = 403;
  reply.headers.add("Content-Type", html_type);
  reply.headers.add("Server", "Metadata Server for VM");
  reply.body = fmt::format("<!DOCTYPE html><title>Error 403 (Forbidden)</title><p>Your client does not have permission: {}</p>", why);
  return reply;
}

Reply not_found() {
  return metadata_reply(404, "<!DOCTYPE html><title>Error 404 (Not Found)</title><p>The requested URL was not found.</p>", html_type);
}

Reply bad_request(std::string_view why) {
  return metadata_reply(400, fmt::format("<!DOCTYPE html><title>Error 400 (Bad Request)</title><p>{}</p>", why), html_type);
}

Reply moved(const std::string& path) {
  Reply reply = metadata_reply(301, fmt::format("<a href=\"{0}\">Moved</a>", path), "text/html");
  reply.headers.add("Location", path);
  return reply;
}

Reply content_reply(const MetadataContent& content) {
  Reply reply = metadata_reply(200, content.body, content.is_json ? "application/json" : "application/text");
  reply.headers.add("ETag", content.etag);
  return reply;
}

// The current value of a constant of the tree.
std::string value_at(const Context& context, std::string_view path) {
  const auto content = read_metadata(context.state.metadata, path, MetadataForm(), context.now);
  return content ? content->body : std::string();
}

// cloud.google.com/compute/docs/instances/verifying-instance-identity. `account`: the path of the service account.
std::string identity_token(const Context& context, std::string_view audience, std::string_view account, bool is_full) {
  const std::int64_t now = std::chrono::floor<std::chrono::seconds>(context.date().time_since_epoch()).count();
  constexpr std::string_view account_id = "100000000000000000000";
  boost::json::object claims{
      {"aud", audience},  {"azp", account_id}, {"exp", now + 3600}, {"iat", now}, {"iss", "https://accounts.google.com"},
      {"sub", account_id}};
  if (is_full) {
    const std::string zone = value_at(context, "instance/zone");
    claims["email"] = value_at(context, std::string(account) + "email");
    claims["email_verified"] = true;
    claims["google"] = {{"compute_engine",
                         {{"instance_creation_timestamp", now},
                          {"instance_id", value_at(context, "instance/id")},
                          {"instance_name", value_at(context, "instance/name")},
                          {"project_id", value_at(context, "project/project-id")},
                          {"project_number", parse_decimal<std::int64_t>(value_at(context, "project/numeric-project-id")).value_or(0)},
                          {"zone", zone.substr(zone.rfind('/') + 1)}}}};
  }
  return signed_token(Issuer::google, claims);
}

Reply dynamic_reply(const Context& context, MetadataKind kind, const ParsedTarget& target, std::string_view path) {
  if (kind == MetadataKind::token) {
    Reply reply = metadata_reply(200, token_json(context), "application/json");
    reply.headers.add("Cache-Control", "private");
    return reply;
  }
  const auto audience = target.get("audience");
  if (!audience || audience->empty()) return metadata_reply(400, "non-empty audience parameter required\n", "text/html");
  const std::string_view account = path.substr(0, path.rfind('/') + 1);
  return metadata_reply(200, identity_token(context, *audience, account, target.get("format") == "full"), "text/html");
}

// wait_for_change: the client's known version is `last_etag`, or else the value at its first request.
Reply wait_for_change(const Context& context, const Request& request, const ParsedTarget& target, std::string_view path,
                      const MetadataContent& content, SteadyTime now) {
  std::optional<Duration> timeout;
  if (const auto text = target.get("timeout_sec")) {
    const auto seconds = parse_decimal<std::int64_t>(*text, 0, 1'000'000);
    if (!seconds) return bad_request("Invalid timeout_sec.");
    timeout = std::chrono::seconds(*seconds);
  }
  Held held;
  if (request.held) {
    held = *request.held;
  } else {
    held.since = now;
    held.etag = std::string(target.get("last_etag").value_or(content.etag));
  }
  const bool is_over = timeout && now - held.since >= *timeout;
  if (content.etag != held.etag || is_over) return content_reply(content);
  held.ask_again = SteadyTime::max();
  if (const auto next = next_metadata_change(context.state.metadata, path, context.now))
    held.ask_again = saturating_sum(now, *next - context.now);
  if (timeout) held.ask_again = std::min(held.ask_again, held.since + *timeout);
  Reply reply;
  reply.hold = std::move(held);
  return reply;
}

Reply read(const Context& context, const Request& request, const ParsedTarget& target, std::string_view path, SteadyTime now) {
  MetadataForm form;
  form.is_recursive = target.is_true("recursive");
  form.alt = target.get("alt").value_or("");
  if (form.alt != "" && form.alt != "json" && form.alt != "text") return bad_request("Invalid alt parameter.");
  const auto content = read_metadata(context.state.metadata, path, form, context.now);
  if (!content) {
    if (is_metadata_directory(context.state.metadata, path, context.now))
      return moved(std::string(metadata_root) + std::string(path) + "/");
    return not_found();
  }
  if (content->kind == MetadataKind::token || content->kind == MetadataKind::identity)
    return dynamic_reply(context, content->kind, target, path);
  if (target.is_true("wait_for_change")) return wait_for_change(context, request, target, path, *content, now);
  return content_reply(*content);
}

// Guest attributes: instance/guest-attributes/NAMESPACE/KEY.
MetadataAnswer write(const Context& context, const Request& request, std::string_view path) {
  constexpr std::string_view guest = "instance/guest-attributes/";
  const std::string_view rest = path.substr(std::min(path.size(), guest.size()));
  const std::size_t slash = rest.find('/');
  MetadataAnswer out;
  if (!path.starts_with(guest) || slash == std::string_view::npos || slash + 1 == rest.size() || request.body.size() > 262144) {
    out.reply = metadata_reply(405, "Method not allowed", "text/html");
    return out;
  }
  std::optional<MetadataValue> value;
  if (request.method == "PUT") value = MetadataValue{MetadataKind::text, request.body};
  context.state.metadata[std::string(path)] = always(std::move(value));
  out.has_changed = true;
  out.reply = metadata_reply(200, "");
  return out;
}

}  // namespace

Reply metadata_reply(int status, std::string body, std::string_view content_type) {
  Reply reply;
  reply.status = status;
  reply.headers.add("Metadata-Flavor", "Google");
  reply.headers.add("Content-Type", content_type);
  reply.headers.add("Server", "Metadata Server for VM");
  reply.headers.add("X-XSS-Protection", "0");
  reply.headers.add("X-Frame-Options", "SAMEORIGIN");
  reply.body = std::move(body);
  return reply;
}

std::optional<std::string_view> metadata_path(const ParsedTarget& target) {
  const std::string_view path = target.path;
  if (!path.starts_with(metadata_root)) return std::nullopt;
  return path.substr(metadata_root.size());
}

MetadataAnswer answer_metadata(const Context& context, const Request& request, const ParsedTarget& target, SteadyTime now) {
  MetadataAnswer out;
  const auto flavor = request.headers.get("Metadata-Flavor");
  const auto older = request.headers.get("X-Google-Metadata-Request");
  const bool is_marked = (flavor && equals_ignoring_case(*flavor, "Google")) || (older && equals_ignoring_case(*older, "True"));
  const auto path = metadata_path(target);
  if (request.headers.get("X-Forwarded-For")) {
    out.reply = refused("Requests with an X-Forwarded-For header are not served.");
  } else if (target.path == "/") {
    out.reply = metadata_reply(200, "computeMetadata/\n");
  } else if (context.model.requires_flavor && !is_marked) {
    out.reply = refused("Missing Metadata-Flavor:Google header.");
  } else if (target.path == "/computeMetadata" || target.path == "/computeMetadata/v1") {
    out.reply = moved(target.path + "/");
  } else if (target.path == "/computeMetadata/") {
    out.reply = metadata_reply(200, "v1/\n");
  } else if (!path) {
    out.reply = not_found();
  } else if (request.method == "GET" || request.method == "HEAD") {
    out.reply = read(context, request, target, *path, now);
  } else {
    out = write(context, request, *path);
  }
  return out;
}

}  // namespace rollcall::sim
