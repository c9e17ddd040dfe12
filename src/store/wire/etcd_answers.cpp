#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "base/base64.hpp"
#include "base/text.hpp"
#include "json/json_dom.hpp"
#include "store/wire/etcd_documents.hpp"

namespace rollcall::store {
namespace {

using boost::json::value;

Failure malformed(std::string_view document, std::string_view what) {
  return Failure(Errc::malformed_response, fmt::format("{} {}", document, what));
}

// A number, which the gateway writes as a text; absent: 0, which it leaves out.
template <class Number>
Result<Number> number_in(std::string_view document, const value& object, std::string_view key) {
  const value* const found = find(object, key);
  if (!found) return Number(0);
  std::optional<Number> number;
  if (found->is_string()) number = parse_decimal<Number>(std::string_view(found->get_string()));
  if (found->is_int64() && found->get_int64() >= 0) number = static_cast<Number>(found->get_int64());
  if (!number) return malformed(document, fmt::format("has a field {} that is no number", key));
  return *number;
}

bool is_set(const value& object, std::string_view key) {
  const value* const found = find(object, key);
  return found && found->is_bool() && found->get_bool();
}

// Bytes; absent: none.
Result<std::string> bytes_in(std::string_view document, const value& object, std::string_view key) {
  const value* const found = find(object, key);
  if (!found) return std::string();
  std::optional<std::string> bytes;
  if (found->is_string()) bytes = base64_decode(std::string_view(found->get_string()));
  if (!bytes) return malformed(document, fmt::format("has a field {} that is no Base64", key));
  return std::move(*bytes);
}

// The elements of an array; absent: none.
Result<const boost::json::array*> list_in(std::string_view document, const value& object, std::string_view key) {
  static const boost::json::array none;
  const value* const found = find(object, key);
  if (!found) return &none;
  const boost::json::array* const list = found->if_array();
  if (!list) return malformed(document, fmt::format("has a field {} that is no array", key));
  return list;
}

// Nothing that a store tells was written after what it says of itself: else it would be believed for what is still to come.
template <class SentState>
bool is_of_future(const EtcdHeader& header, const std::vector<SentState>& all) {
  const auto revision = [](const auto& one) {
    if constexpr (std::is_same_v<SentState, Change>) {
      return one.entry.modify_revision;
    } else {
      return one.modify_revision;
    }
  };
  return std::any_of(all.begin(), all.end(), [&](const SentState& one) { return revision(one) > header.revision; });
}

// Every document begins with one: who answers without it is no etcd.
Result<EtcdHeader> header_in(std::string_view document, const value& object) {
  const value* const found = find(object, "header");
  if (!found || !found->is_object()) return malformed(document, "has no header, so the server is no etcd (or no JSON gateway of one)");
  EtcdHeader header;
  const Result<std::uint64_t> revision = number_in<std::uint64_t>(document, *found, "revision");
  if (!revision) return revision.error();
  header.revision = *revision;
  header.cluster = printable(find_text(*found, "cluster_id").value_or(""), 32);
  return header;
}

// A key as it is, or, in the event of its deletion, its name and revision alone.
Result<Entry> entry_in(std::string_view document, const value& object) {
  Entry entry;
  Result<std::string> key = bytes_in(document, object, "key");
  if (!key) return key.error();
  Result<std::string> bytes = bytes_in(document, object, "value");
  if (!bytes) return bytes.error();
  const Result<std::uint64_t> created = number_in<std::uint64_t>(document, object, "create_revision");
  if (!created) return created.error();
  const Result<std::uint64_t> modified = number_in<std::uint64_t>(document, object, "mod_revision");
  if (!modified) return modified.error();
  const Result<std::int64_t> lease = number_in<std::int64_t>(document, object, "lease");
  if (!lease) return lease.error();
  if (key->empty() || *modified == 0) return malformed(document, "tells of a key without its name or its revision");
  entry.key = std::move(*key);
  entry.value = std::move(*bytes);
  entry.create_revision = *created;
  entry.modify_revision = *modified;
  entry.lease = *lease;
  return entry;
}

Result<std::vector<Entry>> entries_in(std::string_view document, const value& object) {
  const Result<const boost::json::array*> list = list_in(document, object, "kvs");
  if (!list) return list.error();
  std::vector<Entry> entries;
  entries.reserve((*list)->size());
  for (const value& one : **list) {
    Result<Entry> entry = entry_in(document, one);
    if (!entry) return entry.error();
    entries.push_back(std::move(*entry));
  }
  return entries;
}

Result<std::vector<Change>> changes_in(std::string_view document, const value& object) {
  const Result<const boost::json::array*> list = list_in(document, object, "events");
  if (!list) return list.error();
  std::vector<Change> changes;
  changes.reserve((*list)->size());
  for (const value& one : **list) {
    const value* const key = find(one, "kv");
    if (!key) return malformed(document, "tells of an event without a key");
    Result<Entry> entry = entry_in(document, *key);
    if (!entry) return entry.error();
    Change& change = changes.emplace_back();
    change.entry = std::move(*entry);
    change.is_deleted = find_text(one, "type") == "DELETE";
  }
  return changes;
}

EtcdRefusal refusal_of(const value& object) {
  EtcdRefusal refusal;
  for (const std::string_view key : {"code", "grpc_code"}) {
    const value* const code = find(object, key);
    if (code && code->is_int64()) refusal.code = static_cast<int>(std::clamp<std::int64_t>(code->get_int64(), 0, 999));
  }
  refusal.message = printable(find_text(object, "message").value_or(""), 500);
  return refusal;
}

Result<LeaseAnswer> lease_in(std::string_view document, const value& object) {
  Result<EtcdHeader> header = header_in(document, object);
  if (!header) return header.error();
  const Result<std::int64_t> id = number_in<std::int64_t>(document, object, "ID");
  if (!id) return id.error();
  const Result<std::int64_t> seconds = number_in<std::int64_t>(document, object, "TTL");
  if (!seconds) return seconds.error();
  if (*id == 0) return malformed(document, "names no lease");
  // No lease is asked for that is longer than this.
  constexpr std::int64_t longest = 24 * 3600;
  LeaseAnswer answer;
  answer.header = std::move(*header);
  answer.id = *id;
  answer.seconds = std::min(*seconds, longest);
  return answer;
}

}  // namespace

// The words count where one code stands for several things, and stood for others in other versions. Source: etcd's rpctypes/error.go.
bool is_too_large(const EtcdRefusal& refusal) noexcept {
  return refusal.message.find("request is too large") != std::string::npos ||
         refusal.message.find("message larger than max") != std::string::npos;
}

Errc code_of(const EtcdRefusal& refusal) noexcept {
  constexpr int invalid_argument = 3, not_found = 5, permission_denied = 7, resource_exhausted = 8, failed_precondition = 9,
                unimplemented = 12, unauthenticated = 16;
  const auto says = [&refusal](std::string_view words) { return refusal.message.find(words) != std::string::npos; };
  if (says("invalid auth token") || says("auth store is old") || says("user name is empty") || says("authentication failed"))
    return Errc::unauthenticated;
  if (says("database space exceeded")) return Errc::limit_exceeded;
  if (is_too_large(refusal)) return Errc::invalid_argument;
  if (says("permission denied")) return Errc::permission_denied;
  if (says("too many requests") || says("revision has been compacted")) return Errc::unavailable;
  switch (refusal.code) {
    case invalid_argument: return Errc::invalid_argument;
    case not_found: return Errc::not_found;
    case permission_denied: return Errc::permission_denied;
    case resource_exhausted: return Errc::limit_exceeded;
    case failed_precondition:
    case unimplemented: return Errc::failed_precondition;
    case unauthenticated: return Errc::unauthenticated;
    default: return Errc::unavailable;
  }
}

Result<RangeAnswer> parse_range(std::string_view json, const ParseLimits& limits) {
  constexpr std::string_view what = "the list";
  const Result<JsonDocument> document = JsonDocument::parse(what, json, limits);
  if (!document) return document.error();
  RangeAnswer answer;
  Result<EtcdHeader> header = header_in(what, document->root());
  if (!header) return header.error();
  Result<std::vector<Entry>> entries = entries_in(what, document->root());
  if (!entries) return entries.error();
  if (header->revision == 0) return malformed(what, "does not say of which revision it is");
  if (is_of_future(*header, *entries)) return malformed(what, "tells of a key that is newer than the store");
  answer.header = std::move(*header);
  answer.entries = std::move(*entries);
  answer.has_more = is_set(document->root(), "more");
  return answer;
}

Result<TransactionAnswer> parse_transaction(std::string_view json, const ParseLimits& limits) {
  constexpr std::string_view what = "the answer to the transaction";
  const Result<JsonDocument> document = JsonDocument::parse(what, json, limits);
  if (!document) return document.error();
  TransactionAnswer answer;
  Result<EtcdHeader> header = header_in(what, document->root());
  if (!header) return header.error();
  // What is fenced by a revision must have one.
  if (header->revision == 0) return malformed(what, "does not say of which revision it is");
  answer.header = std::move(*header);
  answer.is_written = is_set(document->root(), "succeeded");
  if (answer.is_written) return answer;
  const Result<const boost::json::array*> responses = list_in(what, document->root(), "responses");
  if (!responses) return responses.error();
  for (const value& response : **responses) {
    const value* const range = find(response, "response_range");
    if (!range) return malformed(what, "has no key as it is");
    Result<std::vector<Entry>> entries = entries_in(what, *range);
    if (!entries) return entries.error();
    for (Entry& entry : *entries) answer.compared.push_back(std::move(entry));
  }
  return answer;
}

Result<LeaseAnswer> parse_grant(std::string_view json, const ParseLimits& limits) {
  constexpr std::string_view what = "the lease";
  const Result<JsonDocument> document = JsonDocument::parse(what, json, limits);
  if (!document) return document.error();
  return lease_in(what, document->root());
}

// A stream of one answer.
Result<LeaseAnswer> parse_keep_alive(std::string_view json, const ParseLimits& limits) {
  constexpr std::string_view what = "the lease that is kept alive";
  const Result<JsonDocument> document = JsonDocument::parse(what, json, limits);
  if (!document) return document.error();
  const value* const result = find(document->root(), "result");
  if (!result) return malformed(what, "has no result");
  return lease_in(what, *result);
}

Result<WatchAnswer> parse_watch(std::string_view line, const ParseLimits& limits) {
  constexpr std::string_view what = "the watch";
  const Result<JsonDocument> document = JsonDocument::parse(what, line, limits);
  if (!document) return document.error();
  WatchAnswer answer;
  if (const value* const error = find(document->root(), "error")) {
    answer.refusal = refusal_of(error->is_object() ? *error : document->root());
    return answer;
  }
  const value* const result = find(document->root(), "result");
  if (!result) return malformed(what, "has a line that is no result");
  Result<EtcdHeader> header = header_in(what, *result);
  if (!header) return header.error();
  const Result<std::uint64_t> compacted = number_in<std::uint64_t>(what, *result, "compact_revision");
  if (!compacted) return compacted.error();
  Result<std::vector<Change>> changes = changes_in(what, *result);
  if (!changes) return changes.error();
  if (is_of_future(*header, *changes)) return malformed(what, "tells of a change that is newer than the store");
  answer.header = std::move(*header);
  answer.is_created = is_set(*result, "created");
  answer.is_ended = is_set(*result, "canceled");
  answer.is_part = is_set(*result, "fragment");
  answer.compact_revision = *compacted;
  answer.reason = printable(find_text(*result, "cancel_reason").value_or(""), 500);
  answer.changes = std::move(*changes);
  return answer;
}

Result<Secret<std::string>> parse_sign_in(std::string_view json, const ParseLimits& limits) {
  constexpr std::string_view what = "the answer to the sign-in";
  const Result<JsonDocument> document = JsonDocument::parse(what, json, limits);
  if (!document) return malformed(what, "is no JSON");  // nothing is quoted of what may have a token in it
  const std::optional<std::string_view> token = find_text(document->root(), "token");
  if (!token || token->empty()) return malformed(what, "has no token");
  return Secret<std::string>(std::string(*token));
}

std::optional<EtcdRefusal> parse_refusal(std::string_view json, const ParseLimits& limits) {
  const Result<JsonDocument> document = JsonDocument::parse("the refusal", json, limits);
  if (!document) return std::nullopt;
  EtcdRefusal refusal = refusal_of(document->root());
  if (refusal.message.empty() && refusal.code == 0) return std::nullopt;
  return refusal;
}

}  // namespace rollcall::store
