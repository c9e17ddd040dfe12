// The instance metadata server of a machine of AWS, version 2: a session first, then the zone and the role's keys. Source:
// docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html.
#include <fmt/format.h>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "sim/sign_in/sign_in.hpp"
#include "sim/wire/encoding.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace {

Reply imds_text(std::string text, std::string_view type = "text/plain") {
  Reply reply;
  reply.headers.add("Content-Type", type);
  reply.headers.add("Server", "EC2ws");
  reply.body = std::move(text);
  return reply;
}

// `SECOND-NUMBER-FINGERPRINT`: contains its expiry.
std::string session_text(std::int64_t end, std::string_view number) {
  const std::string content = fmt::format("{}-{}", end, number);
  return fmt::format("{}-{}", content, fingerprint("session " + content));
}

std::int64_t seconds_since_start(const Context& context) { return std::chrono::floor<std::chrono::seconds>(context.now).count(); }

Reply make_session(const Context& context, const Request& request) {
  constexpr std::int64_t max = 21'600;
  const auto lifetime = parse_decimal<std::int64_t>(request.headers.get("X-aws-ec2-metadata-token-ttl-seconds").value_or(""), 1, max);
  if (!lifetime) return imds_error(400);
  Reply reply = imds_text(session_text(seconds_since_start(context) + *lifetime, std::to_string(context.state.total)));
  reply.headers.add("X-Aws-Ec2-Metadata-Token-Ttl-Seconds", std::to_string(*lifetime));
  return reply;
}

bool has_session(const Context& context, const Request& request) {
  const std::string_view sent = request.headers.get("X-aws-ec2-metadata-token").value_or("");
  const std::vector<std::string_view> parts = split(sent, '-');
  const auto end = parts.size() == 3 ? parse_decimal<std::int64_t>(parts[0]) : std::nullopt;
  return end && *end > seconds_since_start(context) && sent == session_text(*end, parts[1]);
}

std::string keys_text(const Context& context) {
  const AwsMachine& machine = *context.model.sign_in.aws;
  const WallTime now = std::chrono::floor<std::chrono::seconds>(context.date());
  return json_text(json::object{{"Code", "Success"},
                                {"LastUpdated", format_rfc3339(now)},
                                {"Type", "AWS-HMAC"},
                                {"AccessKeyId", machine.access_key_id},
                                {"SecretAccessKey", machine.secret_access_key},
                                {"Token", machine.session_token},
                                {"Expiration", format_rfc3339(saturating_sum(now, std::chrono::hours(6)))}},
                   true);
}

}  // namespace

Reply imds_error(int status) {
  Reply reply = imds_text(fmt::format("<?xml version=\"1.0\" encoding=\"iso-8859-1\"?>\n<html><head><title>{0} - "
                                      "{1}</title></head><body><h1>{0} - {1}</h1></body></html>\n",
                                      status, status_phrase(status)),
                          "text/html");
  reply.status = status;
  return reply;
}

Reply answer_imds(const Context& context, const Request& request, const Route& route, const ParsedTarget& target) {
  if (request.headers.get("X-Forwarded-For")) return imds_error(403);
  if (route.name == "imds.session") return request.method == "PUT" ? make_session(context, request) : imds_error(405);
  if (request.method != "GET") return imds_error(405);
  if (!has_session(context, request)) return imds_error(401);
  const AwsMachine& machine = *context.model.sign_in.aws;
  if (route.name == "imds.zone") return imds_text(machine.zone);
  if (route.name == "imds.role") return imds_text(machine.role);
  const std::string_view name = std::string_view(target.path).substr(target.path.rfind('/') + 1);
  if (route.name == "imds.keys" && name == machine.role) return imds_text(keys_text(context));
  return imds_error(404);
}

}  // namespace rollcall::sim
