#include "call/token_mask.hpp"

#include <algorithm>
#include <bit>

#include "base/load.hpp"
#include "base/text.hpp"
#include "call/rules/secret_spellings.hpp"

namespace rollcall {
namespace {

// A run of `run` bytes contains one of every `run - probe_bytes + 1` pieces of the text, at any offset: only those are looked up.
constexpr std::size_t probe_bytes = 4;
// Lower-cases letters, and maps some other characters to the same value: enough to exclude text that cannot be part of the token.
constexpr std::uint64_t to_small = 0x2020202020202020;
constexpr std::uint64_t mixer = 0x9e3779b97f4a7c15;
constexpr std::size_t largest_filter = std::size_t{1} << 18;

// Less than `largest_filter`. Uses the low bits, so that a shift by a constant is enough.
std::uint32_t hash_of_piece(const char* from) noexcept {
  static_assert(sizeof(std::uint32_t) == probe_bytes);
  return (load<std::uint32_t>(from) | static_cast<std::uint32_t>(to_small)) * static_cast<std::uint32_t>(mixer) >>
         (32 - std::countr_zero(largest_filter));
}

}  // namespace

TokenTable::TokenTable(const Secret<std::string>& token) : TokenTable(std::vector<Secret<std::string>>{token}) {}

TokenTable::TokenTable(std::vector<Secret<std::string>> secrets) : secrets_(std::move(secrets)) {
  std::vector<Secret<std::string>> parts;
  std::size_t size = 0;
  for (const Secret<std::string>& secret : secrets_) {
    run_ = std::min(run_, secret.reveal().size());
    for (Secret<std::string>& part : spellings_of(secret)) {
      size += part.reveal().size();
      parts.push_back(std::move(part));
    }
  }
  std::string text;
  text.reserve(size);  // otherwise a copy of the secret remains in memory
  for (const Secret<std::string>& part : parts) text += part.reveal();
  spellings_ = Secret<std::string>(std::move(text));
  filter_.resize(std::clamp<std::size_t>(std::bit_ceil(size * 32), 4096, largest_filter));
  runs_.resize(std::bit_ceil(size * 2));
  std::size_t begin = 0;
  for (const Secret<std::string>& part : parts) {
    add(begin, part.reveal().size());
    begin += part.reveal().size();
  }
}

// The spelling at that position: no run extends over two spellings.
void TokenTable::add(std::size_t begin, std::size_t size) {
  const std::string_view text = spellings_.reveal().substr(begin, size);
  for (const char c : text) {
    letters_.set(static_cast<unsigned char>(to_lower(c)));
    if (is_lower(to_lower(c))) letters_.set(static_cast<unsigned char>(to_lower(c) - 'a' + 'A'));
  }
  for (std::size_t at = 0; at + probe_bytes <= size; ++at) filter_[hash_of_piece(text.data() + at) & (filter_.size() - 1)] = 1;
  for (std::size_t at = 0; at + run_ <= size; ++at) {
    const std::uint32_t hash = hash_of(text.data() + at);
    Slot& slot = runs_[slot_of(text.data() + at, hash)];
    if (slot.place != 0) continue;
    slot.hash = hash;
    slot.place = static_cast<std::uint32_t>(begin + at + 1);
  }
}

std::uint32_t TokenTable::hash_of(const char* run) const noexcept {
  const std::uint64_t first = (load<std::uint64_t>(run) | to_small) * mixer;
  const std::uint64_t last = load<std::uint64_t>(run + run_ - 8) | to_small;
  return static_cast<std::uint32_t>((first ^ first >> 29 ^ last) * mixer >> 32);
}

// The slot of that run, or the free slot for it.
std::size_t TokenTable::slot_of(const char* run, std::uint32_t hash) const noexcept {
  const std::size_t last_slot = runs_.size() - 1;
  std::size_t at = hash & last_slot;
  for (; runs_[at].place != 0; at = (at + 1) & last_slot) {
    if (runs_[at].hash == hash && equals_ignoring_case(std::string_view(run, run_), spellings_.reveal().substr(runs_[at].place - 1, run_)))
      break;
  }
  return at;
}

std::vector<TextSpan> TokenTable::find(std::string_view text) const {
  std::vector<TextSpan> found;
  if (text.size() < run_) return found;
  const std::size_t last_run = text.size() - run_;  // the position of the last run that fits into the text
  const std::size_t step = run_ - probe_bytes + 1;
  const unsigned char* const filter = filter_.data();
  const auto last = static_cast<std::uint32_t>(filter_.size() - 1);
  const auto may_be_part = [filter, last](const char* piece) { return filter[hash_of_piece(piece) & last]; };
  const auto look_around = [&](std::size_t probe) {
    for (std::size_t at = probe + 1 - step; at <= std::min(probe, last_run); ++at) {
      if (!is_run(text.data() + at)) continue;
      if (!found.empty() && at < found.back().end) {
        found.back().end = at + run_;
      } else {
        found.emplace_back(at, at + run_);
      }
    }
  };
  // A run around the piece extends two bytes before or after it, since it has at least eight bytes.
  static_assert(min_token >= probe_bytes + 2 * 2);
  const auto probe_at = [&](std::size_t probe) {
    const char* const piece = text.data() + probe;
    if (may_be_part(piece) == 0) return;
    const bool may_begin_earlier = probe >= 2 && may_be_part(piece - 2) != 0;
    const bool may_go_on = probe + 2 + probe_bytes <= text.size() && may_be_part(piece + 2) != 0;
    if (may_begin_earlier || may_go_on) look_around(probe);
  };
  std::size_t probe = step - 1;
  // Several at a time, with one branch for all of them: few texts have a part.
  constexpr std::size_t many = 4;
  const char* const begin = text.data();
  const std::size_t third = (many - 1) * step;
  const std::size_t ends = text.size() < third + probe_bytes ? 0 : text.size() - third - probe_bytes + 1;
  for (; probe < ends; probe += many * step) {
    const char* const piece = begin + probe;
    if ((may_be_part(piece) | may_be_part(piece + step) | may_be_part(piece + 2 * step) | may_be_part(piece + third)) == 0) continue;
    for (std::size_t i = 0; i < many; ++i) probe_at(probe + i * step);
  }
  for (; probe + probe_bytes <= text.size(); probe += step) probe_at(probe);
  return found;
}

}  // namespace rollcall
