// Fuzz target: what replicas find in their store. The first byte says which record it is read as. What is accepted is safe to print, and
// what is written of it reads as the same.
#include <cstdint>

#include "base/text.hpp"
#include "check.hpp"
#include "fleet/replicas/store_keys.hpp"
#include "fleet/replicas/wire/records.hpp"

using namespace rollcall;
using namespace rollcall::fleet;

namespace {

void require_text(std::string_view text) { require(printable(text) == text); }

void read_head(std::string_view text, const ParseLimits& limits) {
  const Result<HeadRecord> read = parse_head(text, limits);
  require_sane(read);
  if (!read) return;
  require_text(read->source);
  require_text(read->trouble);
  require(!read->target.empty() && read->members <= 1 << 20 && read->history.size() <= 64);
  require(!read->status || read->status->members.empty());
  const std::string written = render_head(*read);
  const Result<HeadRecord> again = parse_head(written, ParseLimits());
  require(again && again->epoch == read->epoch && again->revision == read->revision && again->based_on == read->based_on);
  require(again->is_spec_old == read->is_spec_old && again->spec_age == read->spec_age);
  require(!read->is_spec_old || again->spec_generation == read->spec_generation);
  require(again->age == read->age && again->status == read->status && again->failure.has_value() == read->failure.has_value());
  require(!is_gone_record(written));
}

void read_chunk(std::string_view text, const ParseLimits& limits) {
  const Result<std::vector<Member>> read = parse_chunk(text, limits);
  require_sane(read);
  if (!read) return;
  require(read->size() <= members_a_chunk);
  const Result<std::vector<Member>> again = parse_chunk(render_chunk(*read, 0, read->size()), ParseLimits());
  require(again && *again == *read);
}

void read_spec_record(std::string_view text, const ParseLimits& limits) {
  const Result<std::shared_ptr<const Result<ClusterSpec>>> read = parse_spec_record(text, limits);
  require_sane(read);
  if (!read) return;
  require_sane(**read);
  const Result<std::shared_ptr<const Result<ClusterSpec>>> again = parse_spec_record(render_spec_record(**read), ParseLimits());
  require(again && (*again)->has_value() == (*read)->has_value());
  if (**read) require(***again == ***read);
}

void read_beat(std::string_view text, const ParseLimits& limits) {
  const Result<BeatRecord> read = parse_beat(text, limits);
  require_sane(read);
  if (!read) return;
  require_text(read->trouble);
  require(read->age.count() >= 0);
  const Result<BeatRecord> again = parse_beat(render_beat(*read), ParseLimits());
  require(again && again->epoch == read->epoch && again->age == read->age && again->older == read->older);
}

void read_short_record(std::string_view text, const ParseLimits& limits) {
  const Result<MetaRecord> meta = parse_meta(text, limits);
  const Result<ReplicaRecord> replica = parse_replica(text, limits);
  const Result<WantRecord> want = parse_want(text, limits);
  const Result<OwnerRecord> owner = parse_owner(text, limits);
  require_sane(meta);
  require_sane(replica);
  require_sane(want);
  require_sane(owner);
  if (meta) require(Position::parse(meta->instance + ".0").has_value());
  if (replica) require_text(replica->url + replica->version);
  if (want) {
    const Result<WantRecord> again = parse_want(render_want(*want), ParseLimits());
    require(again && *again == *want);
  }
  if (owner) require_text(owner->source);
}

// Packed as chunks and specs are; and names of keys.
void read_packed(std::string_view text, const ParseLimits&) {
  constexpr std::size_t most = 64 << 10;
  const Result<std::string> unpacked = unpack_record(text, most);
  require_sane(unpacked);
  require(!unpacked || unpacked->size() <= most);
  const Result<std::string> again = unpack_record(pack_record(text), text.size());
  require(again && *again == text);
  const StoreKeys keys("fuzz");
  static_cast<void>(keys.parse(text));
  static_cast<void>(keys.parse(keys.prefix() + std::string(text)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  return read_as_chosen(data, size, {read_head, read_chunk, read_spec_record, read_beat, read_short_record, read_packed});
}
