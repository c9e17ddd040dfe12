// What one reader of the list of clusters has been told, in numbers of its own: by those of the service it could count what others do.
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

/// Shared by all streams of one identity. Lines and versions are ClusterSummaries'.
class ListReader {
 public:
  explicit ListReader(std::string instance) : instance_(std::move(instance)) {}

  /// Of its positions, which mean nothing to another reader.
  const std::string& instance() const noexcept { return instance_; }

  /// The line's number, the next one where it has none yet.
  std::uint64_t number_of(std::uint64_t line) {
    const auto [known, is_new] = numbers_.try_emplace(line, last_number_ + 1);
    if (is_new) ++last_number_;
    return known->second;
  }
  /// Numbers these lines, which are all that there are, in the order in which they came to be; others are forgotten.
  void number_all(std::vector<std::uint64_t> lines) {
    std::sort(lines.begin(), lines.end());
    std::erase_if(numbers_, [&lines](const auto& one) { return !std::binary_search(lines.begin(), lines.end(), one.first); });
    for (const std::uint64_t line : lines) number_of(line);
  }
  void forget(std::uint64_t line) { numbers_.erase(line); }

  /// In that version something was new for this reader.
  void note(std::uint64_t version) {
    if (!versions_.empty() && version <= versions_.back().second) return;
    versions_.emplace_back(++last_position_, version);
    if (versions_.size() > max_versions) versions_.pop_front();
  }
  /// The reader's position when it has been told all of that version.
  std::uint64_t position_of(std::uint64_t version) const {
    std::uint64_t position = versions_.empty() ? 0 : versions_.front().first - 1;
    for (const auto& [at, of] : versions_) {
      if (of > version) break;
      position = at;
    }
    return position;
  }
  /// The other way round; absent: it is not remembered any more, or never was.
  std::optional<std::uint64_t> version_of(std::uint64_t position) const {
    for (const auto& [at, of] : versions_) {
      if (at == position) return of;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t max_versions = 64;  // who has been away for longer is told all

  std::string instance_;
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;  // by line
  std::uint64_t last_number_ = 0;
  std::deque<std::pair<std::uint64_t, std::uint64_t>> versions_;  // positions, and the version of each; both grow
  std::uint64_t last_position_ = 0;
};

}  // namespace rollcall::fleet
