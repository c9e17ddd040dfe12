#include "preflight/rules/pair_table.hpp"

#include <utility>

namespace rollcall::preflight {
namespace {

bool counts_as_tested(ProbeResult result) {
  return result != ProbeResult::untested && result != ProbeResult::silent && result != ProbeResult::shortage;
}

std::vector<bool> members_with_sizes(const PreflightEvidence& evidence) {
  std::vector<bool> has_size(evidence.members.size());
  for (std::size_t i = 0; i < evidence.members.size(); ++i) {
    for (const ProbeDetail& detail : evidence.members[i].details) {
      if (detail.large_bytes > 0) has_size[i] = has_size[static_cast<std::size_t>(detail.to)] = true;
    }
  }
  return has_size;
}

}  // namespace

PairTable::PairTable(const PreflightEvidence& evidence) : size_(evidence.members.size()), cells_(size_ * size_) {
  const std::vector<bool> has_size = members_with_sizes(evidence);
  std::vector<std::pair<std::size_t, std::size_t>> ways_back;  // of large_in
  std::vector<bool> is_slow(size_);
  for (std::size_t i = 0; i < size_; ++i) {
    const EvidenceMember& member = evidence.members[i];
    if (member.state != EvidenceState::reported || member.row.empty()) continue;
    const Result<std::vector<ProbeResult>> row = ProbeRow::read(member.row, size_);
    if (!row) continue;  // evidence that was read has been checked
    for (std::size_t j = 0; j < size_; ++j) {
      ProbeResult result = (*row)[j];
      if (i == j) continue;
      if (counts_as_tested(result)) ++tested_;
      const bool is_large = result == ProbeResult::large_in || result == ProbeResult::large_out;
      if (is_large && !has_size[i] && !has_size[j]) {
        is_slow[i] = is_slow[j] = true;
        result = ProbeResult::ok;  // the small messages passed
      }
      if (result == ProbeResult::large_in) {
        ways_back.emplace_back(j, i);
        result = ProbeResult::ok;
      }
      set(i, j, result);
    }
  }
  for (const auto& [from, to] : ways_back) {
    const ProbeResult seen = at(from, to);
    if (seen == ProbeResult::ok || !counts_as_tested(seen)) set(from, to, ProbeResult::large_out);
  }
  for (std::size_t i = 0; i < size_; ++i) {
    if (is_slow[i]) slow_.push_back(i);
  }
}

bool PairTable::is_joined(std::size_t a, std::size_t b) const noexcept {
  const std::uint64_t seen = bit_of(at(a, b)) | bit_of(at(b, a));
  return (seen & bit_of(ProbeResult::ok)) != 0 && (seen & way_faults) == 0;
}

void PairTable::explain_member(std::size_t member) noexcept {
  for (std::size_t other = 0; other < size_; ++other) {
    explain(member, other);
    explain(other, member);
  }
}

}  // namespace rollcall::preflight
