// Numbers of lines and positions for one reader of the list of clusters: a reader could infer unreadable targets from global numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rollcall::fleet {

/// Shared by all streams of one identity. Lines and versions are those of ClusterSummaries.
class ListReader {
 public:
  explicit ListReader(std::uint64_t epoch) : epoch_(epoch) {}

  /// Of its positions: another reader does not accept them.
  std::uint64_t epoch() const noexcept { return epoch_; }

  /// The number of a line; the next free number for a new line.
  std::uint64_t number_of(std::uint64_t line) {
    const auto [known, is_new] = numbers_.try_emplace(line, last_number_ + 1);
    if (is_new) ++last_number_;
    return known->second;
  }
  /// Numbers all present lines in the order of their creation; forgets the others.
  void number_all(std::vector<std::uint64_t> lines) {
    std::sort(lines.begin(), lines.end());
    std::erase_if(numbers_, [&lines](const auto& one) { return !std::binary_search(lines.begin(), lines.end(), one.first); });
    for (const std::uint64_t line : lines) number_of(line);
  }
  void forget(std::uint64_t line) { numbers_.erase(line); }

  /// Notes that this version has changed something for the reader.
  void note(std::uint64_t version) {
    if (!versions_.empty() && version <= versions_.back().second) return;
    versions_.emplace_back(++last_position_, version);
    if (versions_.size() > max_versions) versions_.pop_front();
  }
  /// The position of a reader that has everything of this version.
  std::uint64_t position_of(std::uint64_t version) const {
    std::uint64_t position = versions_.empty() ? 0 : versions_.front().first - 1;
    for (const auto& [at, of] : versions_) {
      if (of > version) break;
      position = at;
    }
    return position;
  }
  /// The version of a position; absent: forgotten, or unknown.
  std::optional<std::uint64_t> version_of(std::uint64_t position) const {
    for (const auto& [at, of] : versions_) {
      if (at == position) return of;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t max_versions = 64;  // a client that was away for longer gets all lines

  std::uint64_t epoch_;
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;  // by line
  std::uint64_t last_number_ = 0;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> versions_;  // positions and their versions; both ascend
  std::uint64_t last_position_ = 0;
};

}  // namespace rollcall::fleet
