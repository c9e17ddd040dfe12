#include "sim/kubernetes/k8s_api.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "sim/wire/k8s_names.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace json = boost::json;

json::object kube_status(int code, std::string_view reason, std::string_view message, std::optional<json::object> details) {
  json::object out{{"kind", "Status"}, {"apiVersion", "v1"}, {"metadata", json::object()}, {"status", "Failure"}, {"message", message}};
  put(out, "reason", reason);
  if (details) out["details"] = *std::move(details);
  out["code"] = code;
  return out;
}

json::object kube_details(std::string_view name, std::string_view kind, const std::vector<KubeCause>& causes, std::string_view group,
                          int retry_after_seconds) {
  json::object out;
  put(out, "name", name);
  put(out, "group", group);
  put(out, "kind", kind);
  json::array list;
  for (const KubeCause& cause : causes) {
    json::object one{{"reason", cause.reason}, {"message", cause.message}};
    put(one, "field", cause.field);
    list.push_back(std::move(one));
  }
  put(out, "causes", std::move(list));
  if (retry_after_seconds > 0) out["retryAfterSeconds"] = retry_after_seconds;
  return out;
}

Reply kube_error(const json::object& status) {
  Reply reply;
  reply.status = static_cast<int>(status.at("code").as_int64());
  reply.headers.add("Content-Type", "application/json");
  if (const json::value* details = status.if_contains("details")) {
    const json::value* const seconds = details->as_object().if_contains("retryAfterSeconds");
    if (seconds) reply.headers.add("Retry-After", std::to_string(seconds->as_int64()));
  }
  if (reply.status == 403) reply.headers.add("X-Content-Type-Options", "nosniff");
  reply.body = kube_json_text(status) + "\n";
  return reply;
}

Reply kube_bad_request(std::string_view message) { return kube_error(kube_status(400, "BadRequest", message)); }

Reply kube_invalid_options(const std::vector<KubeCause>& causes) {
  std::vector<std::string> texts;
  for (const KubeCause& cause : causes) texts.push_back(fmt::format("{}: {}", cause.field, cause.message));
  const std::string all = texts.size() == 1 ? texts.front() : fmt::format("[{}]", fmt::join(texts, ", "));
  return kube_error(kube_status(422, "Invalid", fmt::format("ListOptions.meta.k8s.io \"\" is invalid: {}", all),
                                kube_details("", "ListOptions", causes, "meta.k8s.io")));
}

Reply kube_not_found(std::string_view kind, std::string_view name) {
  return kube_error(kube_status(404, "NotFound", fmt::format("{} {} not found", kind, go_quoted(name)), kube_details(name, kind)));
}

Reply kube_no_resource() {
  return kube_error(kube_status(404, "NotFound", "the server could not find the requested resource", json::object()));
}

Reply kube_no_method() {
  return kube_error(
      kube_status(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", json::object()));
}

Reply kube_text(int status, std::string_view text) {
  Reply reply;
  reply.status = status;
  reply.headers.add("Content-Type", "text/plain; charset=utf-8");
  reply.headers.add("X-Content-Type-Options", "nosniff");
  reply.body = std::string(text);
  return reply;
}

json::object kube_too_large_version(std::uint64_t wanted, std::uint64_t current) {
  return kube_status(504, "Timeout", fmt::format("Timeout: Too large resource version: {}, current: {}", wanted, current),
                     kube_details("", "", {{"ResourceVersionTooLarge", "Too large resource version", ""}}, "", 1));
}

std::string kube_json_text(const json::value& value) {
  const std::string text = json::serialize(value);
  const auto is_special = [](char c) { return c == '<' || c == '>' || c == '&' || static_cast<unsigned char>(c) >= 0x80; };
  if (std::none_of(text.begin(), text.end(), is_special)) return text;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char c = decode_utf8(text, at);
    if (!c.is_valid) {
      out += "\\ufffd";
    } else if (c.code == '<' || c.code == '>' || c.code == '&' || c.code == 0x2028 || c.code == 0x2029) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c.code));
    } else {
      out.append(text, at, c.size);
    }
    at += c.size;
  }
  return out;
}

std::vector<std::size_t> kube_chunks(const std::vector<std::size_t>& writes) {
  constexpr std::size_t buffer = 2048;
  std::vector<std::size_t> chunks;
  std::size_t held = 0;
  for (std::size_t size : writes) {
    while (size > buffer - held) {
      if (held == 0) {
        chunks.push_back(size);
        size = 0;
        break;
      }
      size -= buffer - held;
      chunks.push_back(buffer);
      held = 0;
    }
    held += size;
  }
  if (!chunks.empty() && held > 0) chunks.push_back(held);
  return chunks;
}

}  // namespace rollcall::sim
