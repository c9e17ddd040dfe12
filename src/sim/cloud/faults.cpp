#include "sim/cloud/faults.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "sim/compute/compute_api.hpp"
#include "sim/kubernetes/k8s_api.hpp"
#include "sim/metadata/metadata.hpp"
#include "sim/sign_in/sign_in.hpp"
#include "sim/slurm/restd_api.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace {

bool applies(const FaultRule& rule, const Request& request, const Route& route, const ParsedTarget& target) {
  const std::string_view host = std::string_view(request.host);
  if (!rule.route.empty() && !glob_match(rule.route, route.name)) return false;
  if (!rule.method.empty() && !equals_ignoring_case(rule.method, request.method)) return false;
  if (!rule.host.empty() && !glob_match(rule.host, host) && !glob_match(rule.host, host.substr(0, host.rfind(':')))) return false;
  if (!rule.path.empty() && !glob_match(rule.path, target.path)) return false;
  return std::all_of(rule.query.begin(), rule.query.end(), [&](const auto& pair) {
    const auto value = target.get(pair.first);
    return value && glob_match(pair.second, *value);
  });
}

Reply metadata_error(const FaultRule& rule) {
  const int status = *rule.status;
  std::string text = rule.message;
  if (text.empty())
    text = status == 429 ? "Rate limit exceeded" : status == 503 ? "Service is currently unavailable" : std::string(status_phrase(status));
  return metadata_reply(status, std::move(text));
}

Reply api_error(const FaultRule& rule) {
  const int status = *rule.status;
  if (status == 502 && rule.message.empty() && rule.reason.empty() && rule.retry_delay.empty()) return html_error(502);
  json::array details;
  if (!rule.reason.empty()) details.push_back(error_info(rule.reason, "googleapis.com", {{"service", "tpu.googleapis.com"}}));
  if (!rule.retry_delay.empty()) details.push_back(retry_info(rule.retry_delay));
  return google_error(status, rule.message.empty() ? default_message(status) : std::string_view(rule.message), std::move(details));
}

std::string_view guess_content_type(std::string_view body) {
  const std::string_view text = trim(body);
  if (text.starts_with('{') || text.starts_with('[')) return "application/json; charset=UTF-8";
  return text.starts_with('<') ? "text/html; charset=UTF-8" : "text/plain; charset=UTF-8";
}

}  // namespace

FaultDecision decide_faults(const Context& context, const Request& request, const Route& route, const ParsedTarget& target) {
  FaultDecision out;
  for (std::size_t i = 0; i < context.model.faults.size(); ++i) {
    const FaultRule& rule = context.model.faults[i];
    FaultUse& use = context.state.fault_uses[i];
    if (context.now < rule.from || (rule.until && context.now >= *rule.until) || !applies(rule, request, route, target)) continue;
    const std::uint64_t number = use.matched++;
    const bool is_due = number >= rule.after && (number - rule.after) % rule.every == 0 && (!rule.times || use.used < *rule.times);
    if (!is_due || (rule.is_final() && out.final)) continue;
    ++use.used;
    out.delay += rule.delay;
    out.is_gzip = out.is_gzip || rule.is_gzip;
    out.is_chunked = out.is_chunked || rule.is_chunked;
    if (rule.is_final()) out.final = &rule;
  }
  return out;
}

Reply scripted_reply(const Context& context, const FaultRule& rule, const Route& route, const ParsedTarget& target) {
  Reply reply;
  if (rule.body) {
    reply.status = *rule.status;
    reply.body = *rule.body;
    if (route.service == Service::metadata) reply.headers.add("Metadata-Flavor", "Google");
    const bool has_type = std::any_of(rule.headers.begin(), rule.headers.end(),
                                      [](const auto& header) { return equals_ignoring_case(header.first, "Content-Type"); });
    if (!has_type) reply.headers.add("Content-Type", guess_content_type(*rule.body));
  } else if (route.service == Service::metadata) {
    reply = metadata_error(rule);
  } else if (route.service == Service::compute) {
    reply = scripted_compute_error(*rule.status, rule.reason, rule.message);
  } else if (route.service == Service::oauth) {
    reply = oauth_error(*rule.status, rule.reason, rule.message);
  } else if (route.service == Service::imds) {
    reply = imds_error(*rule.status);
  } else if (route.service == Service::kubernetes && context.model.kubernetes) {
    reply = kube_scripted(context, rule, route, target);
  } else if (route.service == Service::slurm && context.model.slurm) {
    reply = slurm_scripted(context, rule, route);
  } else {
    reply = api_error(rule);
  }
  for (const auto& [name, value] : rule.headers) reply.headers.add(name, value);
  return reply;
}

}  // namespace rollcall::sim
