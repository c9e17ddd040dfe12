#include <fmt/format.h>

#include <iterator>

#include "base/base64.hpp"
#include "json/json_text.hpp"
#include "store/wire/etcd_documents.hpp"
#include "store/wire/key_range.hpp"

namespace rollcall::store {
namespace {

void append_key(std::string& out, std::string_view name, std::string_view bytes) {
  fmt::format_to(std::back_inserter(out), R"("{}":"{}")", name, base64_encode(bytes));
}

void append_compare(std::string& out, const Compare& compare) {
  const bool is_create = compare.what == Compare::What::create_revision;
  out += '{';
  append_key(out, "key", compare.key);
  fmt::format_to(std::back_inserter(out), R"(,"result":"EQUAL","target":"{}","{}":"{}"}})", is_create ? "CREATE" : "MOD",
                 is_create ? "create_revision" : "mod_revision", compare.revision);
}

void append_write(std::string& out, const Write& write) {
  out += write.value ? R"({"request_put":{)" : R"({"request_delete_range":{)";
  append_key(out, "key", write.key);
  if (write.value) {
    out += ',';
    append_key(out, "value", *write.value);
  }
  if (write.lease != 0) fmt::format_to(std::back_inserter(out), R"(,"lease":"{}")", write.lease);
  out += "}}";
}

void append_look(std::string& out, const Compare& compare) {
  out += R"({"request_range":{)";
  append_key(out, "key", compare.key);
  out += "}}";
}

template <class Items, class Append>
void append_list(std::string& out, std::string_view name, const Items& items, Append append) {
  fmt::format_to(std::back_inserter(out), R"("{}":[)", name);
  for (const auto& item : items) {
    if (out.back() != '[') out += ',';
    append(out, item);
  }
  out += ']';
}

}  // namespace

std::string render_range(const RangeQuestion& question) {
  std::string out = "{";
  append_key(out, "key", question.from);
  out += ',';
  append_key(out, "range_end", question.end);
  if (question.limit != 0) fmt::format_to(std::back_inserter(out), R"(,"limit":"{}")", question.limit);
  if (question.revision != 0) fmt::format_to(std::back_inserter(out), R"(,"revision":"{}")", question.revision);
  if (question.may_be_old) out += R"(,"serializable":true)";
  return out + '}';
}

std::string render_transaction(const Transaction& transaction) {
  std::string out = "{";
  append_list(out, "compare", transaction.compares, append_compare);
  out += ',';
  append_list(out, "success", transaction.writes, append_write);
  out += ',';
  append_list(out, "failure", transaction.compares, append_look);
  return out + '}';
}

std::string render_watch(std::string_view prefix, std::uint64_t after_revision) {
  std::string out = R"({"create_request":{)";
  append_key(out, "key", begin_of_prefix(prefix));
  out += ',';
  append_key(out, "range_end", end_of_prefix(prefix));
  return out + fmt::format(R"(,"start_revision":"{}","fragment":true}}}})", after_revision + 1);
}

std::string render_grant(std::int64_t seconds) { return fmt::format(R"({{"TTL":"{}"}})", seconds); }

std::string render_lease(std::int64_t lease) { return fmt::format(R"({{"ID":"{}"}})", lease); }

Secret<std::string> render_sign_in(std::string_view user, std::string_view password) {
  std::string out = "{";
  out.reserve(64 + 6 * (user.size() + password.size()));  // what grows would leave a copy behind
  append_json_field(out, "name", user);
  append_json_field(out, "password", password);
  return Secret<std::string>(std::move(out += '}'));
}

}  // namespace rollcall::store
