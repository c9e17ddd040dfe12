// What a program has to know of its cluster's members and its machine, out of a watch.
#pragma once

#include <asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <string>

#include "command/process/started_cluster.hpp"
#include "rollcall/watch.hpp"

namespace rollcall::command {

enum class NewsKind { preemption, maintenance, members, joined, end };
inline constexpr std::size_t news_kinds = 5;

class News {
 public:
  News(NewsKind what, std::string words) : kind(what), why(std::move(words)) {}
  NewsKind kind;
  std::string why;
  bool is_of_own_machine = false;  ///< of preemption and maintenance
  bool is_of_first_poll = false;   ///< of joined: it may have been there before
};

/// Which cluster changes are measured by.
enum class MeasuredBy {
  start,       ///< the one that the program was started in: it is started anew for another
  last_ready   ///< the one that was ready last: the program lives with what becomes of it
};

class MemberNews {
 public:
  /// `waited`: how the cluster stood when it was ready. `tell` gets the news, of losses the first until the cluster was ready again;
  /// `on_status` is told how the cluster stands whenever that changes.
  MemberNews(std::shared_ptr<ClusterWatch> following, StartedCluster waited, MeasuredBy measure, std::function<void(const News&)> tell,
             std::function<void(const ClusterStatus&)> on_status);

  /// Reads the watch of `news`, until it ends or close(). Returns why: cancelled after close(). That the cluster is gone for good is told
  /// as news of the kind `end` as well.
  static asio::awaitable<Failure> follow(std::shared_ptr<MemberNews> news);
  /// Nothing more is told. Idempotent.
  void close();

 private:
  void consider(const ClusterChange& change);
  void compare_with_waited();
  void tell_loss(const Loss& loss, const Member* in_its_place);

  std::shared_ptr<ClusterWatch> following_;
  StartedCluster cluster_;
  MeasuredBy measure_;
  std::function<void(const News&)> tell_;
  std::function<void(const ClusterStatus&)> on_status_;
  bool is_compared_ = false;  ///< what happened between the wait's last look and the watch's first
  std::size_t first_left_ = 0;  ///< changes of the first look, once it is compared
  bool has_reported_loss_ = false;  ///< since the cluster was last ready
  bool is_closed_ = false;
};

}  // namespace rollcall::command
