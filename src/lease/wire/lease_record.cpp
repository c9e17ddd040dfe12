#include "lease/wire/lease_record.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall::lease {

Result<void> check_record(std::string_view document, const LeaseRecord& record) {
  constexpr std::size_t max_holder = 128, max_url = 512;
  const auto bad = [document](std::string what) { return Failure(Errc::malformed_response, fmt::format("{} {}", document, what)); };
  if (record.holder.size() > max_holder || !is_ascii_from('!', record.holder))
    return bad(fmt::format("has a holder that is no replica's id: {}", quoted(record.holder, 80)));
  if (record.epoch > max_epoch) return bad(fmt::format("has the epoch {}, which no replica writes", record.epoch));
  if (record.holder.empty()) return Result<void>();
  if (record.epoch == 0) return bad("has a holder, but no epoch");
  if (record.ttl <= Duration(0) || record.ttl > max_ttl) return bad("has no time after which it ends, or one that no replica writes");
  if (record.url.empty()) return Result<void>();
  if (record.url.size() > max_url || !Url::parse(record.url))
    return bad(fmt::format("has a holder at {}, which is no URL", quoted(record.url, 80)));
  return Result<void>();
}

}  // namespace rollcall::lease
