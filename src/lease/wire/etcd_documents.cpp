#include "lease/wire/etcd_documents.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/append_formatted.hpp"
#include "base/base64.hpp"
#include "base/text.hpp"
#include "json/json_dom.hpp"
#include "json/json_text.hpp"

namespace rollcall::lease {
namespace {

using boost::json::value;

constexpr std::string_view key_answer = "etcd's answer";
constexpr std::string_view key_value = "the key's value";

Failure odd_answer(std::string_view document, std::string_view what) {
  return Failure(Errc::malformed_response, fmt::format("{} {}", document, what));
}

// A number, which the gateway writes as a text and leaves out where it is 0.
Result<std::uint64_t> gateway_number(const value& object, std::string_view key) {
  const value* const found = find(object, key);
  if (!found) return std::uint64_t(0);
  std::optional<std::uint64_t> number;
  if (found->is_string()) number = parse_decimal<std::uint64_t>(std::string_view(found->get_string()));
  if (found->is_int64() && found->get_int64() >= 0) number = static_cast<std::uint64_t>(found->get_int64());
  if (!number) return odd_answer(key_answer, fmt::format("has a field {} that is no number", key));
  return *number;
}

// Of the store; every answer has it.
Result<std::uint64_t> revision_of(const value& root) {
  const value* const header = find(root, "header");
  if (!header || !header->is_object()) return odd_answer(key_answer, "has no header, so the server is no etcd (or no JSON gateway of one)");
  Result<std::uint64_t> revision = gateway_number(*header, "revision");
  if (revision && *revision == 0) return odd_answer(key_answer, "does not say of which revision it is");
  return revision;
}

Result<LeaseRecord> record_in(std::string_view text, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse(key_value, text, limits);
  if (!document) return document.error();
  const value& root = document->root();
  const value* const epoch = find(root, "epoch");
  const value* const ttl = find(root, "ttl_ms");
  const auto is_number = [](const value* number) { return number && number->is_int64() && number->get_int64() >= 0; };
  if (!is_number(epoch) || !is_number(ttl) || !find_text(root, "holder")) {
    return Failure(Errc::failed_precondition, fmt::format("{} is not of Rollcall: it has no holder, epoch and ttl_ms", key_value))
        .with_hint("name another fleet, or delete the key");
  }
  LeaseRecord record;
  record.holder = std::string(*find_text(root, "holder"));
  record.url = std::string(find_text(root, "url").value_or(""));
  record.epoch = static_cast<std::uint64_t>(epoch->get_int64());
  record.ttl = std::chrono::milliseconds(std::min<std::int64_t>(ttl->get_int64(), 24 * 3600 * 1000));
  const Result<void> fine = check_record(key_value, record);
  if (!fine) return fine.error();
  return record;
}

EtcdRefusal refusal_in(const value& object) {
  EtcdRefusal refusal;
  for (const std::string_view key : {"code", "grpc_code"}) {
    const value* const code = find(object, key);
    if (code && code->is_int64()) refusal.code = static_cast<int>(std::clamp<std::int64_t>(code->get_int64(), 0, 999));
  }
  refusal.message = printable(find_text(object, "message").value_or(""), 500);
  return refusal;
}

}  // namespace

std::string render_key_question(std::string_view key) { return fmt::format(R"({{"key":"{}"}})", base64_encode(key)); }

std::string render_key_write(std::string_view key, const LeaseRecord& seen, const LeaseRecord& next) {
  std::string record = "{";
  append_json_field(record, "holder", next.holder);
  append_json_field(record, "url", next.url);
  append_formatted(record, R"(,"epoch":{},"ttl_ms":{}}})", next.epoch,
                   std::chrono::duration_cast<std::chrono::milliseconds>(next.ttl).count());
  const std::string name = base64_encode(key);
  return fmt::format(R"({{"compare":[{{"key":"{}","result":"EQUAL","target":"MOD","mod_revision":"{}"}}],)"
                     R"("success":[{{"request_put":{{"key":"{}","value":"{}"}}}}]}})",
                     name, seen.version.empty() ? "0" : seen.version, name, base64_encode(record));
}

Secret<std::string> render_password(std::string_view user, std::string_view password) {
  std::string out = "{";
  out.reserve(64 + 6 * (user.size() + password.size()));  // a text that grows leaves a copy behind
  append_json_field(out, "name", user);
  append_json_field(out, "password", password);
  return Secret<std::string>(std::move(out += '}'));
}

Result<LeaseRecord> parse_key_answer(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse(key_answer, json, limits);
  if (!document) return document.error();
  const Result<std::uint64_t> revision = revision_of(document->root());
  if (!revision) return revision.error();
  const value* const keys = find(document->root(), "kvs");
  if (!keys) return LeaseRecord();
  if (!keys->is_array() || keys->get_array().size() != 1) return odd_answer(key_answer, "has not one key, where one was asked for");
  const value& key = keys->get_array().front();
  const Result<std::uint64_t> modified = gateway_number(key, "mod_revision");
  if (!modified) return modified.error();
  if (*modified == 0 || *modified > *revision) return odd_answer(key_answer, "has a key that is newer than the store, or of no revision");
  const std::optional<std::string> text = base64_decode(find_text(key, "value").value_or(""));
  if (!text) return odd_answer(key_answer, "has a value that is no Base64");
  Result<LeaseRecord> record = record_in(*text, limits);
  if (record) record->version = fmt::format("{}", *modified);
  return record;
}

Result<std::optional<std::string>> parse_write_answer(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse(key_answer, json, limits);
  if (!document) return document.error();
  const Result<std::uint64_t> revision = revision_of(document->root());
  if (!revision) return revision.error();
  const value* const written = find(document->root(), "succeeded");
  if (!written || !written->is_bool() || !written->get_bool()) return std::optional<std::string>();
  return std::optional<std::string>(fmt::format("{}", *revision));
}

Result<Secret<std::string>> parse_password_answer(std::string_view json, const ParseLimits& limits) {
  constexpr std::string_view what = "the answer to the sign-in";
  const Result<JsonDocument> document = JsonDocument::parse(what, json, limits);
  if (!document) return odd_answer(what, "is no JSON");  // nothing is quoted of what may have a token in it
  const std::optional<std::string_view> token = find_text(document->root(), "token");
  if (!token || token->empty()) return odd_answer(what, "has no token");
  return Secret<std::string>(std::string(*token));
}

std::optional<EtcdRefusal> parse_etcd_refusal(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the refusal", json, limits);
  if (!document) return std::nullopt;
  EtcdRefusal refusal = refusal_in(document->root());
  if (refusal.message.empty() && refusal.code == 0) return std::nullopt;
  return refusal;
}

// The words count where one code stands for several things, and stood for others in other versions. Source: etcd's rpctypes/error.go.
Errc code_of(const EtcdRefusal& refusal) noexcept {
  const auto says = [&refusal](std::string_view words) { return refusal.message.find(words) != std::string::npos; };
  if (says("invalid auth token") || says("auth store is old") || says("user name is empty") || says("authentication failed"))
    return Errc::unauthenticated;
  if (says("database space exceeded")) return Errc::limit_exceeded;
  if (says("permission denied")) return Errc::permission_denied;
  constexpr int invalid_argument = 3, denied = 7, failed_precondition = 9, unimplemented = 12, unauthenticated = 16;
  switch (refusal.code) {
    case invalid_argument: return Errc::invalid_argument;
    case denied: return Errc::permission_denied;
    case failed_precondition:
    case unimplemented: return Errc::failed_precondition;
    case unauthenticated: return Errc::unauthenticated;
    default: return Errc::unavailable;
  }
}

}  // namespace rollcall::lease
