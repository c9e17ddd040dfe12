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

constexpr std::array<std::string_view, 11> fault_words = {
    "refuse",       "reset",   "stall",        "trickle",        "truncate",
    "wrong_length", "corrupt", "endless_body", "endless_header", "endless_chunk_extension",
    "expired_token"};

void read_fault_name(FaultRule& rule, const FileValue& value) {
  const auto number = value.word("fault", fault_words);
  if (!number) return;
  rule.expires_token = fault_words[*number] == "expired_token";
  if (!rule.expires_token) rule.fault.kind = static_cast<FaultKind>(*number + 1);
}

template <auto Member>
void read_pairs(FaultRule& rule, const FileValue& value) {
  read_entries(value, [&rule](std::string key, const FileValue& one) { one.read((rule.*Member).emplace_back(std::move(key), "").second); });
}

void read_match_query(FaultRule& rule, const FileValue& value) { read_pairs<&FaultRule::query>(rule, value); }

void read_headers(FaultRule& rule, const FileValue& value) {
  read_pairs<&FaultRule::headers>(rule, value);
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

void read_route(FaultRule& rule, const FileValue& value) {
  value.read(rule.route);
  if (value.has_problem() || rule.route.starts_with("metadata ")) return;  // any path is valid
  const std::vector<std::string> names = route_names();
  const auto matches = [&rule](const std::string& name) { return glob_match(rule.route, name); };
  if (rule.route.empty() || std::any_of(names.begin(), names.end(), matches)) return;
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto close = nearest(rule.route, views);
  value.complain(fmt::format("no request has the route {}{}", quoted(rule.route, 80),
                             close ? fmt::format(", did you mean '{}'?", *close)
                                   : "; routes are nodes.get, nodes.list, discovery, token, metadata instance/zone and so on"));
}

constexpr auto match_form =
    file_form<FaultRule>("match", by<read_route>("route"), member<&FaultRule::method>("method"), member<&FaultRule::host>("host"),
                         member<&FaultRule::path>("path"), by<read_match_query>("query"));

void read_match(FaultRule& rule, const FileValue& value) { read_object(value, match_form, rule); }

constexpr FileKey<FaultRule> fault_key() {
  FileKey<FaultRule> key = by<read_fault_name>("fault");
  key.words = fault_words;
  return key;
}

constexpr std::int64_t max_count = 1'000'000'000'000;

constexpr FileForm<FaultRule, 18> fault_form = {
    "fault",
    {{
        by<read_match, describe<match_form>>("match"),
        whole<&FaultRule::after>("after", 0, max_count),
        whole<&FaultRule::every>("every", 1, max_count),
        whole<&FaultRule::times>("times", 1, max_count),
        member<&FaultRule::from>("from"),
        member<&FaultRule::until>("until"),
        fault_key(),
        whole<&FaultRule::fault, &Fault::bytes>("bytes", 0, max_count),
        member<&FaultRule::fault, &Fault::interval>("interval"),
        whole<&FaultRule::status>("status", 200, 599),
        by<read_headers>("headers"),
        by<read_body>("body"),
        member<&FaultRule::message>("message"),
        member<&FaultRule::reason>("reason"),
        member<&FaultRule::retry_delay>("retry_delay"),  // may be invalid on purpose: it is sent as it is
        member<&FaultRule::delay>("delay"),
        member<&FaultRule::is_gzip>("gzip"),
        member<&FaultRule::is_chunked>("chunked"),
    }}};

}  // namespace

void read_fault(Model& model, const FileValue& value) {
  FaultRule rule;
  read_object(value, fault_form, rule);
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

void describe_fault(FileSections& out) { describe<fault_form>(out); }

}  // namespace rollcall::sim
