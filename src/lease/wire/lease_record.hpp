// The lease of a fleet as its engine keeps it: which replica asks the clouds for all of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/time.hpp"

namespace rollcall::lease {

/// Larger epochs are of no replica: a taking adds one, and the wall clock in seconds is far below.
inline constexpr std::uint64_t max_epoch = std::uint64_t(1) << 52;
inline constexpr Duration min_ttl = std::chrono::seconds(5);
inline constexpr Duration max_ttl = std::chrono::minutes(5);

class LeaseRecord {
 public:
  LeaseRecord() {}
  std::string holder;       ///< the id of the replica that has taken it; empty: it was released, or never taken, or there is no record
  std::string url;          ///< where the holder serves
  std::uint64_t epoch = 0;  ///< of the last taking; the next one gets a larger one; 0: it was never taken
  Duration ttl{0};          ///< as the holder wrote
  std::string version;      ///< changes with every write; empty: there is no record
  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

/// Whether a replica has written the record, as far as that shows. `document` begins the message. Errors: malformed_response.
Result<void> check_record(std::string_view document, const LeaseRecord& record);

}  // namespace rollcall::lease
