// What the members saw of each other, as a table in which a judge crosses out what has a cause.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "rollcall/preflight_evidence.hpp"

namespace rollcall::preflight {

constexpr std::uint64_t bit_of(ProbeResult result) { return std::uint64_t{1} << static_cast<unsigned>(result); }
/// What is wrong with a way. Silence is not, which a busy host causes as well, nor is a shortage of the host that probes.
inline constexpr std::uint64_t way_faults = bit_of(ProbeResult::refused) | bit_of(ProbeResult::timed_out) | bit_of(ProbeResult::no_route) |
                                            bit_of(ProbeResult::other_member) | bit_of(ProbeResult::other_program) |
                                            bit_of(ProbeResult::other_list) | bit_of(ProbeResult::other_secret) |
                                            bit_of(ProbeResult::large_out) | bit_of(ProbeResult::unknown_name);

/// A way leads from one member to another. What a member saw of the way back, a large message from the other that did not arrive, is kept
/// as a fault of that way: no cell has large_in.
class PairTable {
 public:
  PairTable() {}
  explicit PairTable(const PreflightEvidence& evidence);

  std::size_t size() const noexcept { return size_; }
  ProbeResult at(std::size_t from, std::size_t to) const noexcept {
    return static_cast<ProbeResult>(cells_[from * size_ + to] & value_bits);
  }
  bool is_explained(std::size_t from, std::size_t to) const noexcept { return (cells_[from * size_ + to] & explained_bit) != 0; }
  /// A fault of the way that has no cause yet.
  bool is_bad(std::size_t from, std::size_t to) const noexcept { return (way_faults >> cells_[from * size_ + to] & 1) != 0; }
  bool is_good(std::size_t from, std::size_t to) const noexcept { return at(from, to) == ProbeResult::ok; }
  /// Both ways were not seen to fail, and one at least was seen to work.
  bool is_joined(std::size_t a, std::size_t b) const noexcept;

  void explain(std::size_t from, std::size_t to) noexcept { cells_[from * size_ + to] |= explained_bit; }
  /// All that it saw and all that was seen of it.
  void explain_member(std::size_t member) noexcept;

  /// Ways that were tested, as the members reported them.
  std::int64_t tested() const noexcept { return tested_; }
  /// Members that saw a large message stop, where no size was seen to pass: the way may only be slow.
  const std::vector<std::size_t>& slow_members() const noexcept { return slow_; }

 private:
  static constexpr std::uint8_t explained_bit = 0x20;
  static constexpr std::uint8_t value_bits = 0x1f;
  void set(std::size_t from, std::size_t to, ProbeResult result) noexcept { cells_[from * size_ + to] = static_cast<std::uint8_t>(result); }

  std::size_t size_ = 0;
  std::vector<std::uint8_t> cells_;
  std::int64_t tested_ = 0;
  std::vector<std::size_t> slow_;
};

}  // namespace rollcall::preflight
