#include "sim/wire/responses.hpp"

#include <fmt/format.h>

namespace rollcall::sim {

namespace {

void print(std::string& out, const json::value& value, std::size_t indent) {
  const auto newline = [&](std::size_t depth) { out.append("\n").append(depth * 2, ' '); };
  if (const json::object* object = value.if_object(); object && !object->empty()) {
    out += '{';
    for (std::string_view comma = ""; const auto& [key, child] : *object) {
      out += comma;
      comma = ",";
      newline(indent + 1);
      out.append(json::serialize(key)).append(": ");
      print(out, child, indent + 1);
    }
    newline(indent);
    out += '}';
  } else if (const json::array* array = value.if_array(); array && !array->empty()) {
    out += '[';
    for (std::string_view comma = ""; const json::value& child : *array) {
      out += comma;
      comma = ",";
      newline(indent + 1);
      print(out, child, indent + 1);
    }
    newline(indent);
    out += ']';
  } else {
    out += json::serialize(value);
  }
}

struct StatusNames {
  int status;
  std::string_view phrase;
  std::string_view code = "UNKNOWN";
  std::string_view message = "Unknown error.";
};

constexpr StatusNames status_names[] = {
    {100, "Continue"},
    {200, "OK", "OK", ""},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content", "OK", ""},
    {206, "Partial Content"},
    {301, "Moved Permanently", "UNKNOWN", "Moved."},
    {302, "Found", "UNKNOWN", "Moved."},
    {303, "See Other"},
    {304, "Not Modified", "UNKNOWN", "Not modified."},
    {307, "Temporary Redirect", "UNKNOWN", "Moved."},
    {308, "Permanent Redirect"},
    {400, "Bad Request", "INVALID_ARGUMENT", "Request contains an invalid argument."},
    {401, "Unauthorized", "UNAUTHENTICATED",
     "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication "
     "credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."},
    {403, "Forbidden", "PERMISSION_DENIED", "The caller does not have permission"},
    {404, "Not Found", "NOT_FOUND", "Requested entity was not found."},
    {405, "Method Not Allowed", "UNIMPLEMENTED", "Method not allowed."},
    {406, "Not Acceptable", "UNKNOWN", "Not acceptable."},
    {408, "Request Timeout", "UNAVAILABLE", "Request timed out."},
    {409, "Conflict", "ABORTED", "The operation was aborted."},
    {410, "Gone", "NOT_FOUND", "Requested entity is gone."},
    {412, "Precondition Failed", "FAILED_PRECONDITION", "Precondition check failed."},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {422, "Unprocessable Entity", "UNKNOWN", "Unprocessable entity."},
    {429, "Too Many Requests", "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."},
    {431, "Request Header Fields Too Large"},
    {499, "Client Closed Request", "CANCELLED", "The operation was cancelled."},
    {500, "Internal Server Error", "INTERNAL", "Internal error encountered."},
    {501, "Not Implemented", "UNIMPLEMENTED", "Operation is not implemented, or supported, or enabled."},
    {502, "Bad Gateway", "UNAVAILABLE", "Bad gateway."},
    {503, "Service Unavailable", "UNAVAILABLE", "The service is currently unavailable."},
    {504, "Gateway Timeout", "DEADLINE_EXCEEDED", "Deadline expired before operation could complete."},
    {511, "Network Authentication Required"},
};

const StatusNames& names_of(int status) {
  static constexpr StatusNames other{0, "Unknown"};
  for (const StatusNames& names : status_names) {
    if (names.status == status) return names;
  }
  return other;
}

void add_front_end_headers(Reply& reply) {
  reply.headers.add("Server", "ESF");
  reply.headers.add("Cache-Control", "private");
  reply.headers.add("X-XSS-Protection", "0");
  reply.headers.add("X-Frame-Options", "SAMEORIGIN");
  reply.headers.add("X-Content-Type-Options", "nosniff");
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      default: out += c;
    }
  }
  return out;
}

Reply html_reply(int status, std::string body) {
  Reply reply;
  reply.status = status;
  reply.headers.add("Content-Type", "text/html; charset=UTF-8");
  reply.headers.add("Referrer-Policy", "no-referrer");
  reply.body = std::move(body);
  return reply;
}

}  // namespace

std::string_view rpc_code_name(int status) { return names_of(status).code; }
std::string_view default_message(int status) { return names_of(status).message; }
std::string_view status_phrase(int status) { return names_of(status).phrase; }

std::string json_text(const json::value& value, bool is_pretty) {
  if (!is_pretty) return json::serialize(value);
  std::string out;
  print(out, value, 0);
  out += '\n';
  return out;
}

void apply_raw(json::object& out, const json::object& raw) {
  for (const auto& [key, value] : raw) {
    if (value.is_null()) {
      out.erase(key);
    } else {
      out[key] = value;
    }
  }
}

void merge_json(json::object& into, const json::object& patch) {
  for (const auto& [key, value] : patch) {
    if (value.is_null()) {
      into.erase(key);
    } else if (json::value* known = into.if_contains(key); known && known->is_object() && value.is_object()) {
      merge_json(known->get_object(), value.get_object());
    } else {
      into[key] = value;
    }
  }
}

Reply json_reply(const json::value& value, bool is_pretty) {
  Reply reply;
  reply.headers.add("Content-Type", "application/json; charset=UTF-8");
  reply.headers.add("Vary", "Origin, X-Origin, Referer");
  add_front_end_headers(reply);
  reply.body = json_text(value, is_pretty);
  return reply;
}

Reply google_error(int status, std::string_view message, json::array details, std::string_view code_name) {
  json::object error{{"code", status}, {"message", message}, {"status", code_name.empty() ? rpc_code_name(status) : code_name}};
  put(error, "details", std::move(details));
  Reply reply = json_reply(json::object{{"error", std::move(error)}}, true);
  reply.status = status;
  return reply;
}

json::object error_info(std::string_view reason, std::string_view domain, json::object metadata) {
  json::object info{{"@type", "type.googleapis.com/google.rpc.ErrorInfo"}, {"reason", reason}, {"domain", domain}};
  put(info, "metadata", std::move(metadata));
  return info;
}

json::object retry_info(std::string_view delay) { return {{"@type", "type.googleapis.com/google.rpc.RetryInfo"}, {"retryDelay", delay}}; }

Reply resource_not_found(std::string_view name) {
  return google_error(404, fmt::format("Resource '{}' was not found", name),
                      {json::object{{"@type", "type.googleapis.com/google.rpc.ResourceInfo"}, {"resourceName", name}}});
}

Reply invalid_argument(std::string_view field, std::string_view description, std::string_view message) {
  json::object violation;
  put(violation, "field", field);
  violation["description"] = description;
  json::object bad_request{{"@type", "type.googleapis.com/google.rpc.BadRequest"}, {"fieldViolations", json::array{std::move(violation)}}};
  return google_error(400, message.empty() ? default_message(400) : message, {std::move(bad_request)});
}

Reply html_not_found(std::string_view path) {
  return html_reply(404,
                    fmt::format("<!DOCTYPE html>\n<html lang=en>\n  <meta charset=utf-8>\n  <title>Error 404 (Not Found)!!1</title>\n"
                                "  <p><b>404.</b> <ins>That’s an error.</ins>\n  <p>The requested URL <code>{}</code> was not found on "
                                "this server.  <ins>That’s all we know.</ins>\n",
                                escape_html(path)));
}

Reply html_error(int status) {
  return html_reply(status, fmt::format("<!DOCTYPE html>\n<html lang=en><meta charset=utf-8><title>Error {0} (Server Error)!!1</title>\n"
                                        "<p><b>{0}.</b> <ins>That is an error.</ins><p>The server encountered a temporary error and could "
                                        "not complete your request.<p>Please try again in 30 seconds.\n",
                                        status));
}

std::string corrupted_body(const Reply& reply) {
  std::string body = reply.body;
  if (reply.fault.kind == FaultKind::corrupt) {
    for (std::size_t i = 0; i < body.size(); i += 11) body[i] = static_cast<char>(body[i] ^ '\x80');
  }
  return body;
}

std::size_t wrong_length(const Fault& fault, std::size_t body_size) { return fault.bytes.value_or(body_size + 16); }

}  // namespace rollcall::sim
