#include "conformance/case_http.hpp"

#include <fmt/format.h>

#include <boost/json/serialize.hpp>

#include "base/text.hpp"
#include "conformance/text_form.hpp"

namespace rollcall::conformance {
namespace {

HttpMatch read_match(const Reader& match, std::vector<std::string>& unknown) {
  match.note_unknown({"method", "scheme", "host", "path", "path_any", "query", "query_absent", "headers", "body_json", "grpc_attempts"},
                     unknown);
  HttpMatch result;
  if (const auto method = match.find("method")) result.method = method->text();
  if (const auto scheme = match.find("scheme")) result.scheme = scheme->text();
  if (const auto host = match.find("host")) result.host = host->text();
  if (const auto path = match.find("path")) result.paths.push_back(path->text());
  if (const auto paths = match.find("path_any")) {
    for (std::string& path : paths->texts()) result.paths.push_back(std::move(path));
  }
  if (const auto query = match.find("query")) {
    for (const auto& [key, value] : query->object()) {
      const Reader member(value, fmt::format("{}.{}", query->path(), std::string_view(key)));
      if (value.is_array()) {
        for (const json::value& item : value.get_array()) result.query.emplace_back(key, scalar_text(item));
      } else if (value.is_object()) {
        member.fail("a text");
      } else {
        result.query.emplace_back(key, scalar_text(value));
      }
    }
  }
  if (const auto absent = match.find("query_absent")) {
    result.query_absent = absent->value().is_string() ? std::vector<std::string>{absent->text()} : absent->texts();
  }
  if (const auto headers = match.find("headers")) {
    for (const auto& [key, value] : headers->object()) result.headers.emplace_back(key, value);
  }
  if (const auto body = match.member("body_json")) result.body_json = body->value();
  if (const auto target = match.find("grpc_attempts")) result.grpc_target = target->text();
  return result;
}

HttpAnswer read_answer(const Reader& response, std::vector<std::string>& unknown) {
  response.note_unknown({"status", "headers", "json", "text", "fault"}, unknown);
  HttpAnswer answer;
  if (const auto fault = response.find("fault")) {
    const std::string name = fault->text();
    if (name == "connect_refused")
      answer.fault = Fault::connect_refused;
    else if (name == "reset")
      answer.fault = Fault::reset;
    else if (name == "dns")
      answer.fault = Fault::dns;
    else
      fault->fail(fmt::format("'connect_refused', 'reset' or 'dns', not '{}'", name));
    return answer;
  }
  const auto status = response.find("status");
  answer.response.status = static_cast<int>(status ? status->integer(100) : 200);
  bool has_type = false;
  if (const auto headers = response.find("headers")) {
    for (const auto& [key, value] : headers->object()) {
      if (value.is_object() || value.is_array()) Reader(value, fmt::format("{}.{}", headers->path(), std::string_view(key))).fail("a text");
      answer.response.headers.add(key, scalar_text(value));
      has_type = has_type || to_lower(std::string_view(key)) == "content-type";
    }
  }
  const auto document = response.member("json");
  const auto text = response.find("text");
  if (document && text) throw FormatError(response.path() + ": has both 'json' and 'text'");
  if (document) {
    answer.response.body = json::serialize(document->value());
    if (!has_type) answer.response.headers.add("Content-Type", "application/json");
  } else if (text) {
    answer.response.body = text->text();
  }
  return answer;
}

}  // namespace

HttpEntry read_http_entry(const Reader& entry, std::vector<std::string>& unknown) {
  entry.note_unknown({"request", "response", "timeline", "times", "delay_ms"}, unknown);
  HttpEntry result;
  result.request = read_match(entry.require("request"), unknown);
  const auto response = entry.find("response");
  const auto timeline = entry.find("timeline");
  if (response.has_value() == timeline.has_value()) throw FormatError(entry.path() + ": needs either 'response' or 'timeline'");
  if (response) {
    result.answers.emplace_back(0, read_answer(*response, unknown));
  } else {
    for (const Reader& item : timeline->items()) {
      item.note_unknown({"from_s", "response"}, unknown);
      result.answers.emplace_back(item.require("from_s").number(), read_answer(item.require("response"), unknown));
    }
    if (result.answers.empty()) timeline->fail("at least one element");
  }
  if (const auto times = entry.find("times")) result.times = times->integer(0);
  if (const auto delay = entry.find("delay_ms")) result.delay = std::chrono::milliseconds(static_cast<long>(delay->number()));
  return result;
}

ExpectedRequests read_expected_requests(const Reader& expected, std::vector<std::string>& unknown) {
  expected.note_unknown({"match", "headers", "min", "max"}, unknown);
  ExpectedRequests result;
  if (const auto match = expected.find("match")) result.match = read_match(*match, unknown);
  if (const auto headers = expected.find("headers")) {
    for (const auto& [key, value] : headers->object()) result.headers.emplace_back(key, value);
  }
  if (const auto min = expected.find("min")) result.min = min->integer(0);
  if (const auto max = expected.find("max")) result.max = max->integer(0);
  return result;
}

}  // namespace rollcall::conformance
