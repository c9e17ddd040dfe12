// Fuzz target: what etcd's JSON gateway answers. The first byte says which answer it is read as. Whatever it is, it costs bounded memory, a
// key has a name and a revision, and words are safe to print.
#include <cstdint>

#include "base/text.hpp"
#include "check.hpp"
#include "store/wire/etcd_documents.hpp"

using namespace rollcall;
using namespace rollcall::store;

namespace {

void require_key(const Entry& entry, std::string_view text) {
  require(!entry.key.empty() && entry.modify_revision != 0);
  require(entry.key.size() + entry.value.size() <= text.size());  // Base64 is longer than what it says
}

void read_range(std::string_view text, const ParseLimits& limits) {
  const Result<RangeAnswer> read = parse_range(text, limits);
  require_sane(read);
  if (!read) return;
  require_printable(read->header.cluster);
  for (const Entry& entry : read->entries) require_key(entry, text);
}

void read_transaction(std::string_view text, const ParseLimits& limits) {
  const Result<TransactionAnswer> read = parse_transaction(text, limits);
  require_sane(read);
  if (!read) return;
  require(!read->is_written || read->compared.empty());
  for (const Entry& entry : read->compared) require_key(entry, text);
}

void read_watch(std::string_view text, const ParseLimits& limits) {
  const Result<WatchAnswer> read = parse_watch(text, limits);
  require_sane(read);
  if (!read) return;
  require_printable(read->reason);
  for (const Change& change : read->changes) require_key(change.entry, text);
  if (!read->refusal) return;
  require_printable(read->refusal->message);
  require(read->changes.empty() && !to_string(code_of(*read->refusal)).empty());
}

void read_leases(std::string_view text, const ParseLimits& limits) {
  for (const Result<LeaseAnswer>& read : {parse_grant(text, limits), parse_keep_alive(text, limits)}) {
    require_sane(read);
    require(!read || read->id != 0);
  }
}

void read_refusal(std::string_view text, const ParseLimits& limits) {
  const Result<Secret<std::string>> token = parse_sign_in(text, limits);
  require_sane(token);
  const std::optional<EtcdRefusal> refusal = parse_refusal(text, limits);
  if (refusal) require_printable(refusal->message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  return read_as_chosen(data, size, {read_range, read_transaction, read_watch, read_leases, read_refusal});
}
