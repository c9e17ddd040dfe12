#include "sim/kubernetes/k8s_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "sim/kubernetes/k8s_api.hpp"
#include "sim/wire/k8s_names.hpp"

namespace rollcall::sim {

namespace {

constexpr std::string_view not_older = "NotOlderThan";

std::optional<std::int64_t> read_whole(const ParsedTarget& target, std::string_view name, std::optional<Reply>& refusal) {
  const auto text = target.get(name);
  if (!text || refusal) return std::nullopt;
  const auto number = go_parse_int(*text);
  if (!number) refusal = kube_bad_request(go_number_error("ParseInt", *text));
  return number;
}

KubeCause forbidden(std::string_view field, std::string_view why) {
  return {"FieldValueForbidden", fmt::format("Forbidden: {}", why), std::string(field)};
}

KubeCause unknown_match(std::string_view value, std::string_view known) {
  return {"FieldValueNotSupported", fmt::format("Unsupported value: {}: supported values: {}", go_quoted(value), known),
          "resourceVersionMatch"};
}

std::vector<KubeCause> judge_list(const KubeListOptions& options) {
  std::vector<KubeCause> out;
  constexpr std::string_view field = "resourceVersionMatch";
  if (!options.match.empty()) {
    if (options.version.empty()) out.push_back(forbidden(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    if (!options.continues.empty()) out.push_back(forbidden(field, "resourceVersionMatch is forbidden when continue is provided"));
    if (options.match != "Exact" && options.match != not_older)
      out.push_back(unknown_match(options.match, R"("Exact", "NotOlderThan", "")"));
    if (options.match == "Exact" && options.version == "0")
      out.push_back(forbidden(field, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
  }
  if (options.sends_initial_events) out.push_back(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  return out;
}

std::vector<KubeCause> judge_watch(const KubernetesModel& model, const KubeListOptions& options) {
  std::vector<KubeCause> out;
  constexpr std::string_view field = "resourceVersionMatch";
  if (options.sends_initial_events) {
    if (options.match != not_older)
      out.push_back(forbidden(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
    if (model.watch_list == WatchListSupport::forbidden)
      out.push_back(
          forbidden("sendInitialEvents", "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"));
  }
  if (!options.match.empty()) {
    if (!options.sends_initial_events)
      out.push_back(forbidden(field, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
    if (options.match != not_older) out.push_back(unknown_match(options.match, R"("NotOlderThan")"));
    if (!options.continues.empty()) out.push_back(forbidden(field, "resourceVersionMatch is forbidden when continue is provided"));
  }
  return out;
}

Failure bad_continue(std::string_view why) {
  return Failure(Errc::invalid_argument, fmt::format("invalid continue token: continue key is not valid: {}", why));
}

// The message of Go's encoding/json for a text that is invalid from its first byte on.
std::string go_json_error(std::string_view text) {
  if (text.empty()) return "unexpected end of JSON input";
  for (const std::string_view literal : {"null", "true", "false"}) {
    if (text[0] != literal[0]) continue;
    for (std::size_t i = 1; i < literal.size(); ++i) {
      if (i >= text.size()) return "unexpected end of JSON input";
      if (text[i] != literal[i])
        return fmt::format("invalid character '{}' in literal {} (expecting '{}')", printable(text.substr(i, 1)), literal, literal[i]);
    }
  }
  return fmt::format("invalid character '{}' looking for beginning of value", printable(text.substr(0, 1)));
}

}  // namespace

std::optional<KubeListOptions> read_list_options(const KubernetesModel& model, const ParsedTarget& target, std::string_view resource,
                                                 std::optional<Reply>& refusal) {
  KubeListOptions out;
  out.is_watch = kube_flag(target.get("watch"));
  out.allows_bookmarks = kube_flag(target.get("allowWatchBookmarks"));
  out.version = std::string(target.get("resourceVersion").value_or(""));
  out.match = std::string(target.get("resourceVersionMatch").value_or(""));
  out.continues = std::string(target.get("continue").value_or(""));
  if (const auto text = target.get("sendInitialEvents")) out.sends_initial_events = kube_flag(text);
  out.timeout_seconds = read_whole(target, "timeoutSeconds", refusal);
  out.limit = std::max<std::int64_t>(0, read_whole(target, "limit", refusal).value_or(0));
  if (refusal) return std::nullopt;
  auto labels = parse_label_selector(target.get("labelSelector").value_or(""));
  if (!labels) {
    refusal = kube_bad_request(labels.error().what());
    return std::nullopt;
  }
  auto fields = parse_field_selector(target.get("fieldSelector").value_or(""));
  if (!fields) {
    refusal = kube_bad_request(fields.error().what());
    return std::nullopt;
  }
  out.labels = *std::move(labels);
  out.fields = *std::move(fields);
  const std::vector<KubeCause> wrong = out.is_watch ? judge_watch(model, out) : judge_list(out);
  if (!wrong.empty()) {
    refusal = kube_invalid_options(wrong);
  } else if (const auto unknown = unknown_field(out.fields, resource)) {
    refusal = kube_bad_request(fmt::format("field label not supported: {}", *unknown));
  }
  if (refusal) return std::nullopt;
  return out;
}

Result<KubeContinue> parse_continue(std::string_view token) {
  const auto text = base64url_decode(token);
  if (!text) {  // padding is invalid here too; if all letters are valid, the last one is incomplete
    const auto is_letter = [](char c) { return is_alnum(c) || c == '-' || c == '_'; };
    const auto wrong = std::find_if_not(token.begin(), token.end(), is_letter) - token.begin();
    return bad_continue(fmt::format("illegal base64 data at input byte {}", std::min<std::ptrdiff_t>(wrong, std::ssize(token) - 1)));
  }
  std::error_code error;
  const boost::json::value value = boost::json::parse(*text, error);
  if (error || !value.is_object()) return bad_continue(go_json_error(*text));
  const boost::json::object& object = value.get_object();
  const auto text_of = [&object](std::string_view key) {
    const boost::json::value* const found = object.if_contains(key);
    return found && found->is_string() ? std::string(found->get_string()) : std::string();
  };
  const Failure other_server(
      Errc::invalid_argument,
      fmt::format("invalid continue token: continue key is not valid: server cannot recognize this encoded version {}",
                  go_quoted(text_of("v"))));
  if (text_of("v") != "meta.k8s.io/v1") return other_server;
  KubeContinue out;
  const boost::json::value* const version = object.if_contains("rv");
  if (version && version->is_int64()) out.version = version->get_int64();
  if (out.version == 0) return bad_continue("incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  out.start = text_of("start");
  if (out.start.empty()) return bad_continue("encoded start key empty (version meta.k8s.io/v1)");
  if (out.start.starts_with('/')) out.start.erase(0, 1);
  if (out.start.find("..") != std::string::npos) return bad_continue(out.start);
  return out;
}

std::string make_continue(std::int64_t version, std::string_view start) {
  // The key after the page's last one: the last key with a zero byte.
  const std::string key = boost::json::serialize(boost::json::string(std::string(start) + '\0'));
  return base64url_encode(fmt::format(R"({{"v":"meta.k8s.io/v1","rv":{},"start":{}}})", version, key));
}

std::string make_restart_token(const KubeContinue& token) {
  std::string start = token.start;
  if (!start.empty() && start.back() == '\0') start.pop_back();
  return make_continue(-1, start);
}

Result<std::uint64_t> parse_resource_version(std::string_view text) {
  if (text.empty()) return std::uint64_t{0};
  const auto number = parse_decimal<std::uint64_t>(text);
  if (number) return *number;
  return Failure(Errc::invalid_argument,
                 fmt::format("resourceVersion: Invalid value: {}: {}", go_quoted(text), go_number_error("ParseUint", text)));
}

}  // namespace rollcall::sim
