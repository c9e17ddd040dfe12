// News about a cluster's members and its machine that a program needs, from a watch.
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
  bool is_of_own_machine = false;  ///< for preemption and maintenance
  bool is_of_first_poll = false;   ///< for joined: the member may have been there before
};

/// The reference that cluster changes are compared with.
enum class MeasuredBy {
  start,       ///< the cluster that the program was started in: the program is restarted for another one
  last_ready   ///< the cluster that was ready last: the program continues with it
};

class MemberNews {
 public:
  /// `waited`: the cluster's status when it was ready. The first callback gets the news; of losses only the first until the cluster is
  /// ready again. The second one gets each new status of the cluster.
  MemberNews(std::shared_ptr<ClusterWatch> following, StartedCluster waited, MeasuredBy measure, std::function<void(const News&)> report,
             std::function<void(const ClusterStatus&)> on_status);

  /// Reads the watch of `news` until it ends or until close(). Returns why it ended: cancelled after close(). If the cluster is gone for
  /// good, also reports news of the kind `end`.
  static asio::awaitable<Failure> follow(std::shared_ptr<MemberNews> news);
  /// No news is reported after this. Idempotent.
  void close();

 private:
  void consider(const ClusterChange& change);
  void compare_with_waited();
  void report_loss(const Loss& loss, const Member* in_its_place);

  std::shared_ptr<ClusterWatch> following_;
  StartedCluster cluster_;
  MeasuredBy measure_;
  std::function<void(const News&)> report_;
  std::function<void(const ClusterStatus&)> on_status_;
  bool is_compared_ = false;  ///< whether changes between the wait's last poll and the watch's first are reported
  std::size_t first_left_ = 0;  ///< remaining changes of the first poll, once it is compared
  bool has_reported_loss_ = false;  ///< since the cluster was last ready
  bool is_closed_ = false;
};

}  // namespace rollcall::command
