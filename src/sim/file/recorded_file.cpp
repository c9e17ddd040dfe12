// The section `recorded` of a simulation file: requests to real services and their answers.
#include <fmt/format.h>

#include <array>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "sim/file/file.hpp"
#include "sim/wire/recorded_key.hpp"

namespace rollcall::sim {

namespace {

constexpr std::array<std::string_view, 4> recorded_methods = {"GET", "POST", "PUT", "DELETE"};

// A text as it is, anything else as JSON.
std::string text_of_body(const FileValue& value) {
  std::string text;
  if (value.json().is_string()) {
    value.read(text);
  } else {
    text = json::serialize(value.json());
  }
  return text;
}

void read_recorded_path(RecordedExchange& exchange, const FileValue& value) {
  value.read(exchange.path);
  if (!value.has_problem() && (!exchange.path.starts_with('/') || printable_line(exchange.path) != exchange.path))
    value.complain("expected a path that begins with / and has no control characters");
}

void read_recorded_headers(RecordedExchange& exchange, const FileValue& value) {
  read_entries(value, [&](std::string name, const FileValue& one) {
    std::string text;
    one.read(text);
    if (value.has_problem()) return;
    if (!is_field_name(name)) return value.complain_about_key(name, "this is no header name");
    if (field_value_fault(text)) return value.complain_about_key(name, "this is no value of a header");
    exchange.headers.emplace_back(std::move(name), std::move(text));
  });
}

void read_recorded_body(RecordedExchange& exchange, const FileValue& value) { exchange.body = text_of_body(value); }

void read_recorded_line_text(RecordedLine& line, const FileValue& value) { line.text = text_of_body(value); }

constexpr auto recorded_line_form =
    file_form<RecordedLine>("recorded_line", member<&RecordedLine::at>("at"), by<read_recorded_line_text>("line"));

void read_recorded_line(RecordedExchange& exchange, const FileValue& value) {
  RecordedLine line;
  read_object(value, recorded_line_form, line);
  if (value.has_problem()) return;
  if (!exchange.lines.empty() && line.at < exchange.lines.back().at)
    return value.complain("at: a line must not be earlier than the one before");
  if (line.text.find('\n') != std::string::npos) return value.complain("line: a line has no line breaks");
  exchange.lines.push_back(std::move(line));
}

void read_recorded_lines(RecordedExchange& exchange, const FileValue& value) {
  exchange.is_stream = true;
  read_list(value, [&exchange](const FileValue& one) { read_recorded_line(exchange, one); });
}

constexpr auto recorded_exchange_form = file_form<RecordedExchange>(
    "recorded_exchange", member<&RecordedExchange::at>("at"), member<&RecordedExchange::took>("took"),
    word<&RecordedExchange::method>("method", "method", recorded_methods), member<&RecordedExchange::host>("host"),
    by<read_recorded_path>("path"), whole<&RecordedExchange::status>("status", 200, 599), member<&RecordedExchange::failure>("failure"),
    by<read_recorded_headers>("headers"), by<read_recorded_body>("body"), by<read_recorded_lines, describe<recorded_line_form>>("lines"),
    member<&RecordedExchange::ended>("ended"));

void read_recorded_exchange(RecordedModel& recorded, const FileValue& value) {
  RecordedExchange exchange;
  read_object(value, recorded_exchange_form, exchange);
  if (value.has_problem()) return;
  if (exchange.status == 0 && (exchange.is_stream || !exchange.body.empty() || !exchange.headers.empty()))
    return value.complain("headers, body and lines need a status");
  if (exchange.status != 0 && !exchange.failure.empty()) return value.complain("an exchange has a status or a failure, not both");
  if (exchange.is_stream && !exchange.body.empty()) return value.complain("an answer has a body or lines, not both");
  if (exchange.ended && !exchange.is_stream) return value.complain("ended needs lines");
  if (exchange.ended && !exchange.lines.empty() && *exchange.ended < exchange.lines.back().at)
    return value.complain("ended: the answer cannot end before its last line");
  const ParsedTarget target = parse_target(exchange.path);
  const std::size_t number = recorded.exchanges.size();
  recorded.by_key[recorded_key(exchange.method, target, false)].push_back(number);
  recorded.by_loose_key[recorded_key(exchange.method, target, true)].push_back(number);
  recorded.has_cluster = recorded.has_cluster || is_kube_path(target.path);
  recorded.exchanges.push_back(std::move(exchange));
}

void read_recorded_version(RecordedModel&, const FileValue& value) {
  const auto version = value.integer(1, 1'000'000);
  if (version && *version > recorded_version)
    value.complain(
        fmt::format("this recording has form {}, and this rollcall reads form {}: a newer one is needed", *version, recorded_version));
}

void read_recorded_target(RecordedModel& recorded, const FileValue& value) {
  std::string text;
  value.read(text);
  if (!value.has_problem() && printable_line(text) != text) return value.complain("a target has no control characters");
  recorded.targets.push_back(std::move(text));
}

void ignore_recorded(RecordedModel&, const FileValue&) {}  // for readers

constexpr auto recorded_form =
    file_form<RecordedModel>("recorded", by<read_recorded_version>("version"), each<read_recorded_target>("targets"),
                             by<ignore_recorded>("used_token"), by<ignore_recorded>("left_out"), member<&RecordedModel::context>("context"),
                             label<&RecordedModel::namespace_name>("namespace", "namespace"),
                             each<read_recorded_exchange, describe<recorded_exchange_form>>("exchanges"));

}  // namespace

void read_recorded(Model& model, const FileValue& value) {
  RecordedModel recorded;
  read_object(value, recorded_form, recorded);
  if (value.has_problem()) return;
  model.recorded = std::make_shared<const RecordedModel>(std::move(recorded));
}

void describe_recorded(FileSections& out) { describe<recorded_form>(out); }

}  // namespace rollcall::sim
