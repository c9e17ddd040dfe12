#include "conformance/case.hpp"

#include <fmt/format.h>

#include "conformance/case_grpc.hpp"
#include "conformance/case_http.hpp"
#include "conformance/instant.hpp"
#include "conformance/text_form.hpp"

namespace rollcall::conformance {
namespace {

Acceptable read_error(const Reader& error, std::vector<std::string>& unknown) {
  error.note_unknown({"kind", "contains"}, unknown);
  Acceptable result;
  result.is_error = true;
  const Reader kind = error.require("kind");
  result.kinds = kind.value().is_array() ? kind.texts() : std::vector<std::string>{kind.text()};
  if (result.kinds.empty()) kind.fail("at least one kind");
  if (const auto contains = error.find("contains")) {
    result.contains = contains->value().is_string() ? std::vector<std::string>{contains->text()} : contains->texts();
  }
  return result;
}

Acceptable read_acceptable(const Reader& expected, std::vector<std::string>& unknown) {
  if (expected.value().is_object() && expected.object().size() == 1) {
    if (const auto error = expected.find("$error")) return read_error(*error, unknown);
  }
  Acceptable result;
  result.value = expected.value();
  return result;
}

std::vector<Acceptable> read_expectation(const Reader& step, std::vector<std::string>& unknown) {
  const auto expect = step.member("expect");  // null is an expectation
  const auto any = step.find("expect_any");
  const auto error = step.find("error");
  if (expect.has_value() + any.has_value() + error.has_value() > 1) {
    throw FormatError(step.path() + ": has more than one of 'expect', 'expect_any' and 'error'");
  }
  std::vector<Acceptable> result;
  if (expect) result.push_back(read_acceptable(*expect, unknown));
  if (error) result.push_back(read_error(*error, unknown));
  if (any) {
    for (const Reader& item : any->items()) result.push_back(read_acceptable(item, unknown));
    if (result.empty()) any->fail("at least one element");
  }
  return result;
}

Step read_call(const Reader& step, std::vector<std::string>& unknown) {
  Step result;
  if (const auto call = step.find("call")) result.call = call->text();
  if (const auto args = step.find("call_args")) result.call_args = args->object();
  result.acceptable = read_expectation(step, unknown);
  return result;
}

Step read_step(const Reader& step, std::vector<std::string>& unknown) {
  step.note_unknown({"set", "set_env", "call", "call_args", "expect", "expect_any", "error", "note"}, unknown);
  Step result = read_call(step, unknown);
  if (const auto set = step.find("set")) result.set = set->object();
  if (const auto variables = step.find("set_env")) {
    for (const auto& [key, value] : variables->object()) {
      std::optional<std::string> text;
      if (!value.is_null()) text = Reader(value, fmt::format("{}.{}", variables->path(), std::string_view(key))).text();
      result.set_env.emplace_back(key, std::move(text));
    }
  }
  if (result.call && result.acceptable.empty()) throw FormatError(step.path() + ": needs one of 'expect', 'expect_any' and 'error'");
  return result;
}

std::map<std::string, std::string, std::less<>> read_texts(const Reader& object) {
  std::map<std::string, std::string, std::less<>> result;
  for (const auto& [key, value] : object.object())
    result.emplace(key, Reader(value, fmt::format("{}.{}", object.path(), std::string_view(key))).text());
  return result;
}

void read_clock(const Reader& clock, Case& result) {
  clock.note_unknown({"now", "virtual"}, result.unknown_keys);
  if (const auto now = clock.find("now")) {
    result.wall = parse_instant(now->text());
    if (!result.wall) now->fail("a UTC time such as 2000-01-31T12:00:00Z");
  }
  if (const auto is_virtual = clock.find("virtual")) result.is_virtual = is_virtual->boolean();
}

std::chrono::milliseconds milliseconds(const Reader& number) {
  if (number.number() < 0) number.fail("a number of milliseconds that is not negative");
  return std::chrono::milliseconds(static_cast<long>(number.number()));
}

void read_options(const Reader& options, Case& result) {
  options.note_unknown({"retry", "deadline_ms"}, result.unknown_keys);
  if (const auto deadline = options.find("deadline_ms")) result.deadline = milliseconds(*deadline);
  const auto retry = options.find("retry");
  if (!retry) return;
  retry->note_unknown({"max_retries", "base_delay_ms", "max_delay_ms"}, result.unknown_keys);
  if (const auto retries = retry->find("max_retries")) result.max_retries = static_cast<int>(retries->integer(0));
  if (const auto base = retry->find("base_delay_ms")) result.base_delay = milliseconds(*base);
  if (const auto max = retry->find("max_delay_ms")) result.max_delay = milliseconds(*max);
}

void read_checks(const Reader& document, Case& result) {
  if (const auto after = document.find("expect_after")) {
    after->note_unknown({"env", "task_type", "task_id", "clock_s"}, result.unknown_keys);
    result.after = after->object();
    if (const auto env = after->find("env")) env->object();
  }
  if (const auto requests = document.find("expect_requests")) {
    for (const Reader& item : requests->items()) result.requests.push_back(read_expected_requests(item, result.unknown_keys));
  }
  if (const auto elapsed = document.find("expect_elapsed_ms")) {
    elapsed->note_unknown({"max"}, result.unknown_keys);
    if (const auto max = elapsed->find("max")) result.max_elapsed_ms = max->number();
  }
}

void note_unknown_keys(const Reader& document, Case& result) {
  std::vector<std::string> unknown;
  // clang-format off
  document.note_unknown({"name", "resolver", "tier", "rule", "args", "env", "files", "clock", "options", "local_devices", "http", "grpc", "set", "call",
                         "call_args", "steps", "expect", "expect_any", "error", "expect_after", "expect_requests", "expect_elapsed_ms", "source", "note", "mode"},
                        unknown);
  // clang-format on
  for (std::string& path : unknown) {
    const bool is_judged = path.substr(path.rfind('.') + 1).starts_with("expect");
    (is_judged ? result.unknown_keys : result.ignored_keys).push_back(std::move(path));
  }
}

Case read_case(const Reader& document) {
  Case result;
  result.name = document.require("name").text();
  const Reader named(document.value(), fmt::format("case '{}'", result.name));
  result.resolver = named.require("resolver").text();
  note_unknown_keys(named, result);
  if (const auto args = named.find("args")) result.args = args->object();
  if (const auto env = named.find("env")) result.env = read_texts(*env);
  if (const auto files = named.find("files")) result.files = read_texts(*files);
  if (const auto clock = named.find("clock")) read_clock(*clock, result);
  if (const auto options = named.find("options")) read_options(*options, result);
  if (const auto grpc = named.find("grpc")) {
    for (const Reader& entry : grpc->items()) result.grpc.push_back(read_grpc_entry(entry, result.unknown_keys));
  }
  result.has_local_devices = named.find("local_devices").has_value();
  if (const auto http = named.find("http")) {
    for (const Reader& entry : http->items()) result.http.push_back(read_http_entry(entry, result.unknown_keys));
  }
  if (const auto set = named.find("set")) result.set = set->object();
  if (const auto note = named.find("note")) result.note = note->text();
  const auto steps = named.find("steps");
  if (steps.has_value() == named.find("call").has_value()) throw FormatError(named.path() + ": needs either 'call' or 'steps'");
  if (steps) {
    for (const Reader& step : steps->items()) result.steps.push_back(read_step(step, result.unknown_keys));
    if (result.steps.empty()) steps->fail("at least one step");
  } else {
    result.steps.push_back(read_call(named, result.unknown_keys));
    if (result.steps.front().acceptable.empty()) throw FormatError(named.path() + ": needs one of 'expect', 'expect_any' and 'error'");
  }
  read_checks(named, result);
  return result;
}

}  // namespace

std::string Acceptable::to_text() const {
  if (!is_error) return short_text(value);
  std::string text = fmt::format("an error of kind {}", fmt::join(kinds, "/"));
  if (!contains.empty()) text += fmt::format(" that mentions '{}'", fmt::join(contains, "', '"));
  return text;
}

std::vector<Case> read_cases(const json::value& document, const std::string& file) {
  std::vector<Case> result;
  for (const Reader& item : Reader(document, file).items()) {
    try {
      result.push_back(read_case(item));
    } catch (const FormatError& error) {
      const std::string_view what = error.what();
      throw FormatError(what.starts_with(file) ? std::string(what) : fmt::format("{}: {}", file, what));
    }
  }
  return result;
}

}  // namespace rollcall::conformance
