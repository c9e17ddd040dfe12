// Fuzz target: the record of a lease as engines answer it. The first byte says which answer it is read as. A record that is taken is one
// that a replica could have written, and words are safe to print; a Lease that was read can be written over.
#include <cstdint>

#include "check.hpp"
#include "json/json_dom.hpp"
#include "lease/wire/etcd_documents.hpp"
#include "lease/wire/lease_object.hpp"

using namespace rollcall;
using namespace rollcall::lease;

namespace {

void require_record(const LeaseRecord& record) {
  require(record.epoch <= max_epoch);
  require_printable(record.holder);
  require_printable(record.url);
  require(record.version.empty() || record.holder.empty() || (record.epoch != 0 && record.ttl > Duration(0) && record.ttl <= max_ttl));
}

void read_object(std::string_view text, const ParseLimits& limits) {
  const Result<LeaseObject> read = parse_lease_object(text, limits);
  require_sane(read);
  if (!read) return;
  require_record(read->record);
  require(!read->record.version.empty());
  LeaseRecord next;
  next.holder = "r2";
  next.url = "https://r2:7070";
  next.epoch = read->record.epoch + 1;
  next.ttl = std::chrono::seconds(15);
  const std::string written = render_lease_object(read->whole, read->record, next, "rollcall", "ml", WallTime(std::chrono::hours(500'000)));
  const Result<LeaseObject> again = parse_lease_object(written, ParseLimits());
  require(again && again->record.holder == "r2" && again->record.epoch == next.epoch && again->record.version == read->record.version);
}

void read_key(std::string_view text, const ParseLimits& limits) {
  const Result<LeaseRecord> read = parse_key_answer(text, limits);
  require_sane(read);
  if (read) require_record(*read);
}

void read_write(std::string_view text, const ParseLimits& limits) {
  const Result<std::optional<std::string>> read = parse_write_answer(text, limits);
  require_sane(read);
  require(!read || !*read || !(*read)->empty());
}

void read_sign_in_and_refusal(std::string_view text, const ParseLimits& limits) {
  require_sane(parse_password_answer(text, limits));
  const std::optional<EtcdRefusal> refusal = parse_etcd_refusal(text, limits);
  if (!refusal) return;
  require_printable(refusal->message);
  require(!to_string(code_of(*refusal)).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  return read_as_chosen(data, size, {read_object, read_key, read_write, read_sign_in_and_refusal});
}
