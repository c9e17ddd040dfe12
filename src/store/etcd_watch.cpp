#include "store/etcd_watch.hpp"

#include <fmt/format.h>

#include <utility>

namespace rollcall::store {

EtcdWatch::EtcdWatch(EtcdGateway& gateway, Watcher& watcher, std::uint64_t revision, ParseLimits limits)
    : gateway_(gateway), watcher_(watcher), limits_(std::move(limits)), lines_(limits_.max_document), told_(revision) {}

void EtcdWatch::restart() {
  lines_ = WatchLines(limits_.max_document);
  kept_.clear();
  kept_bytes_ = 0;
}

Result<void> EtcdWatch::take(std::string_view piece) {
  return lines_.feed(piece, [this](std::string_view line) { return take_line(line); });
}

Result<void> EtcdWatch::take_line(std::string_view line) {
  Result<WatchAnswer> answer = parse_watch(line, limits_);
  if (!answer) return answer.error();
  if (answer->refusal) return end(failure_of(*answer->refusal, "a watch", 0));
  const Result<void> noted = gateway_.note(answer->header);
  if (!noted) return noted.error();
  if (answer->is_ended) {
    EtcdRefusal refusal;
    refusal.message = std::move(answer->reason);
    const bool is_refused = answer->is_created || code_of(refusal) != Errc::unavailable;
    if (is_refused && answer->compact_revision == 0) return end(failure_of(refusal, "a watch", 0));
    WatchEnd ended;
    ended.is_compacted = answer->compact_revision != 0;
    ended.compact_revision = answer->compact_revision;
    ended.reason = std::move(refusal.message);
    return end(std::move(ended));
  }
  if (answer->is_created) watcher_.on_revision(answer->header.revision);
  keep(std::move(answer->changes));
  if (!answer->is_part) tell();
  if (kept_bytes_ > limits_.max_document)
    return Failure(Errc::limit_exceeded, fmt::format("the watch: one revision of more than {} bytes", limits_.max_document));
  return {};
}

// What is said makes the stream end.
Result<void> EtcdWatch::end(Result<WatchEnd> how) {
  end_.emplace(std::move(how));
  return Failure(Errc::unavailable, "the watch has ended");
}

// Versions before 3.4.25 tell some revisions twice, and go back in time after a snapshot.
void EtcdWatch::keep(std::vector<Change> changes) {
  for (Change& change : changes) {
    const std::uint64_t revision = change.entry.modify_revision;
    if (revision <= told_) continue;
    if (revision != kept_revision_) tell();
    if (revision <= told_) continue;
    kept_revision_ = revision;
    kept_bytes_ += sizeof(change) + change.entry.key.size() + change.entry.value.size();
    kept_.push_back(std::move(change));
  }
}

void EtcdWatch::tell() {
  if (kept_.empty()) return;
  told_ = kept_revision_;
  kept_bytes_ = 0;
  watcher_.on_changes(kept_revision_, std::exchange(kept_, {}));
}

}  // namespace rollcall::store
