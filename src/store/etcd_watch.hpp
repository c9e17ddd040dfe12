// One watch of etcd's: lines come in, changes go out by revisions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "call/api_client.hpp"
#include "json/limits.hpp"
#include "json/watch_lines.hpp"
#include "store/etcd_gateway.hpp"

namespace rollcall::store {

class EtcdWatch final : public BodySink {
 public:
  /// After `revision`. `gateway` and `watcher` must outlive it.
  EtcdWatch(EtcdGateway& gateway, Watcher& watcher, std::uint64_t revision, ParseLimits limits);

  void restart() override;
  Result<void> take(std::string_view piece) override;
  /// How it ended, if the store said so.
  const std::optional<Result<WatchEnd>>& end() const noexcept { return end_; }

 private:
  Result<void> take_line(std::string_view line);
  Result<void> end(Result<WatchEnd> how);
  void keep(std::vector<Change> changes);
  void tell();

  EtcdGateway& gateway_;
  Watcher& watcher_;
  const ParseLimits limits_;
  WatchLines lines_;
  std::uint64_t told_;  // the last revision
  std::uint64_t kept_revision_ = 0;
  std::vector<Change> kept_;  // of kept_revision_, of which more may come
  std::size_t kept_bytes_ = 0;
  std::optional<Result<WatchEnd>> end_;
};

}  // namespace rollcall::store
