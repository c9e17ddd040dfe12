// Fuzz target: what replicas of a service send each other. The first byte says which document it is read as. What is accepted is safe to
// print, and what is written of it reads as the same.
#include <cstdint>

#include "base/text.hpp"
#include "check.hpp"
#include "fleet/replicas/wire/replica_documents.hpp"

using namespace rollcall;
using namespace rollcall::fleet;

namespace {

void require_printable(std::string_view text) { require(printable(text) == text); }

void read_topic(std::string_view text, const ParseLimits& limits) {
  const Result<TopicDocument> read = parse_topic(text, limits);
  require_sane(read);
  if (!read) return;
  require_printable(read->known.trouble);
  require(read->history.size() <= 64 && read->parts >= 0);
  if (!is_valid_utf8(read->target)) return;
  const Result<TopicDocument> again = parse_topic(render_topic(*read), ParseLimits());
  require(again && again->topic == read->topic && again->known.revision == read->known.revision &&
          again->known.generation == read->known.generation);
  require(again->age == read->age && again->parts == read->parts && again->is_whole == read->is_whole);
  const auto has_same = [&again, &read](auto field) { return (again->known.*field == nullptr) == (read->known.*field == nullptr); };
  require(has_same(&Known::failure) && has_same(&Known::spec));
}

void read_part(std::string_view text, const ParseLimits& limits) {
  const Result<PartDocument> read = parse_part(text, limits);
  require_sane(read);
  if (!read) return;
  const Result<PartDocument> again = parse_part(render_part(read->topic, read->members.generation, read->members.delta), ParseLimits());
  require(again && again->topic == read->topic && again->members.delta == read->members.delta);
}

void read_short_documents(std::string_view text, const ParseLimits& limits) {
  const Result<HelloDocument> hello = parse_hello(text, limits);
  const Result<LookedDocument> looked = parse_looked(text, limits);
  const Result<LookedDocument> gone = parse_gone(text, limits);
  const Result<ReachedDocument> reached = parse_reached(text, limits);
  require_sane(hello);
  require_sane(looked);
  require_sane(gone);
  require_sane(reached);
  if (hello) require_printable(hello->replica);
  if (looked) {
    const Result<LookedDocument> again = parse_looked(render_looked(*looked), ParseLimits());
    require(again && again->topics == looked->topics && again->age == looked->age);
  }
  if (reached) require(parse_reached(render_reached(*reached), ParseLimits()).has_value());
}

void read_wanted(std::string_view text, const ParseLimits& limits) {
  const Result<WantedDocument> read = parse_wanted(text, limits);
  require_sane(read);
  if (!read) return;
  require_printable(read->replica);
  for (const WantedTarget& target : read->targets) {
    if (!is_valid_utf8(target.target)) return;
  }
  const Result<WantedDocument> again = parse_wanted(render_wanted(*read), ParseLimits());
  require(again && again->version == read->version && again->targets == read->targets);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) noexcept {
  return read_as_chosen(data, size, {read_topic, read_part, read_short_documents, read_wanted});
}
