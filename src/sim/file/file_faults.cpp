// The faults of a simulation file.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "sim/file/file.hpp"
#include "sim/wire/route.hpp"

namespace rollcall::sim {

namespace {

constexpr std::array<std::string_view, 11> known_faults = {
    "refuse",       "reset",   "stall",        "trickle",        "truncate",
    "wrong_length", "corrupt", "endless_body", "endless_header", "endless_chunk_extension",
    "expired_token"};

void read_fault_name(FaultRule& rule, const FileValue& value) {
  std::string word;
  value.read_word(word, "fault", known_faults);
  if (value.has_problem()) return;
  if (word == "expired_token") {
    rule.expires_token = true;
    return;
  }
  const auto index = std::find(known_faults.begin(), known_faults.end(), word) - known_faults.begin();
  rule.fault.kind = static_cast<FaultKind>(index + 1);
}

template <class Pairs>
void read_pairs(Pairs& into, const FileValue& value) {
  const json::object* const object = value.object();
  if (!object) return;
  for (const auto& entry : *object) {
    std::string text;
    if (value.has_problem()) return;
    value.child(entry.key(), entry.value()).read(text);
    into.emplace_back(std::string(entry.key()), std::move(text));
  }
}

void read_headers(FaultRule& rule, const FileValue& value) {
  read_pairs(rule.headers, value);
  for (const auto& [name, text] : rule.headers) {
    if (!is_field_name(name)) return value.complain_about_key(name, "this is no header name");
    if (field_value_fault(text))
      return value.complain_about_key(name, "a header's value has no line breaks, no other control characters and no blanks at its ends");
  }
}

void read_body(FaultRule& rule, const FileValue& value) {
  if (value.json().is_string()) {
    std::string text;
    value.read(text);
    rule.body = std::move(text);
  } else {
    rule.body = json::serialize(value.json());
  }
}

void read_retry_delay(FaultRule& rule, const FileValue& value) {
  value.read(rule.retry_delay);  // may be nonsense on purpose: it goes out as it is
}

void read_route(FaultRule& rule, const FileValue& value) {
  value.read(rule.route);
  if (value.has_problem() || rule.route.starts_with("metadata ")) return;  // any path may be asked for
  const std::vector<std::string> names = route_names();
  const auto matches = [&rule](const std::string& name) { return glob_match(rule.route, name); };
  if (rule.route.empty() || std::any_of(names.begin(), names.end(), matches)) return;
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto close = nearest(rule.route, views);
  value.complain(fmt::format("no request has the route {}{}", quoted(rule.route, 80),
                             close ? fmt::format(", did you mean '{}'?", *close)
                                   : "; routes are nodes.get, nodes.list, discovery, token, metadata instance/zone and so on"));
}

constexpr std::array<FileKey<FaultRule>, 5> match_keys = {{
    {"route", read_route},
    member<&FaultRule::method>("method"),
    member<&FaultRule::host>("host"),
    member<&FaultRule::path>("path"),
    {"query", [](FaultRule& rule, const FileValue& value) { read_pairs(rule.query, value); }},
}};

constexpr std::int64_t max_count = 1'000'000'000'000;

constexpr std::array<FileKey<FaultRule>, 18> fault_keys = {{
    {"match", [](FaultRule& rule, const FileValue& value) { read_object<FaultRule>(value, match_keys, rule); }},
    whole<0, max_count, &FaultRule::after>("after"),
    whole<1, max_count, &FaultRule::every>("every"),
    whole<1, max_count, &FaultRule::times>("times"),
    member<&FaultRule::from>("from"),
    member<&FaultRule::until>("until"),
    {"fault", read_fault_name},
    whole<0, max_count, &FaultRule::fault, &Fault::bytes>("bytes"),
    member<&FaultRule::fault, &Fault::interval>("interval"),
    whole<200, 599, &FaultRule::status>("status"),
    {"headers", read_headers},
    {"body", read_body},
    member<&FaultRule::message>("message"),
    member<&FaultRule::reason>("reason"),
    {"retry_delay", read_retry_delay},
    member<&FaultRule::delay>("delay"),
    member<&FaultRule::is_gzip>("gzip"),
    member<&FaultRule::is_chunked>("chunked"),
}};

}  // namespace

void read_fault(Model& model, const FileValue& value) {
  FaultRule rule;
  read_object<FaultRule>(value, fault_keys, rule);
  if (value.has_problem()) return;
  const bool has_answer = rule.body || !rule.headers.empty() || !rule.message.empty() || !rule.reason.empty() || !rule.retry_delay.empty();
  if (has_answer && !rule.status) return value.complain("headers, body, message, reason and retry_delay need a status");
  if (!rule.is_final() && rule.delay == Duration(0) && !rule.is_gzip && !rule.is_chunked)
    return value.complain("this rule does nothing: give a fault, a status, a delay, gzip or chunked");
  if (rule.fault.kind == FaultKind::trickle && (rule.fault.bytes == 0u || rule.fault.interval == Duration(0))) {
    return value.complain("trickle: bytes and interval must be positive");
  }
  model.faults.push_back(std::move(rule));
}

FileSections fault_sections() { return {{"fault", names_of(fault_keys)}, {"match", names_of(match_keys)}}; }

std::vector<std::string_view> fault_names() { return {known_faults.begin(), known_faults.end()}; }

}  // namespace rollcall::sim
