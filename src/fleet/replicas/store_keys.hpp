// How the replicas' keys are spelled, and how what is behind them is packed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

namespace rollcall::fleet {

/// What stands for a target's or a source's name in keys: the first 26 digits of its SHA-256 in base32, so that keys are short, of one
/// length, and tell nothing.
std::string store_id(std::string_view name);

/// A key below the prefix.
class StoreKey {
 public:
  StoreKey() {}
  enum class Kind { meta, replica, want, owner, beat, head, chunk, spec };
  Kind kind = Kind::meta;
  /// Its record ends with a lease: it says who is there, and what it wants or asks.
  bool is_control() const noexcept { return kind == Kind::replica || kind == Kind::owner || kind == Kind::want; }
  std::string id;       ///< of a replica, a target or a source
  std::string replica;  ///< of a want
  std::size_t chunk = 0;
};

/// The keys of one fleet: below `/rollcall/FLEET/v1/`.
class StoreKeys {
 public:
  explicit StoreKeys(std::string_view fleet);
  const std::string& prefix() const noexcept { return prefix_; }
  std::string meta() const { return prefix_ + "meta"; }
  std::string replicas() const { return prefix_ + "replica/"; }
  std::string wants() const { return prefix_ + "want/"; }
  std::string owners() const { return prefix_ + "owner/"; }
  std::string replica(std::string_view replica) const { return replicas().append(replica); }
  std::string want(std::string_view target, std::string_view replica) const;
  std::string owner(std::string_view source) const { return owners().append(source); }
  std::string beat(std::string_view source) const { return prefix_ + "beat/" + std::string(source); }
  std::string head(std::string_view target) const { return prefix_ + "status/" + std::string(target); }
  std::string chunk(std::string_view target, std::size_t number) const;
  std::string spec(std::string_view target) const { return head(target) + "/spec"; }
  /// None: it is of no fleet, or of no replica that this one understands.
  std::optional<StoreKey> parse(std::string_view key) const;

 private:
  std::string prefix_;
};

/// As zlib (RFC 1950) has it.
std::string pack_record(std::string_view json);
/// Errors: malformed_response; limit_exceeded: more than `most` bytes come out of it.
Result<std::string> unpack_record(std::string_view packed, std::size_t most);

inline constexpr std::size_t most_chunk_bytes = 4 << 20;  ///< unpacked: 256 members with the longest texts that are kept
inline constexpr std::size_t most_spec_bytes = 8 << 20;

}  // namespace rollcall::fleet
