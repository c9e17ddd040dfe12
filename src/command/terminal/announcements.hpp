// What a program is told of its machines: not more often than it can act on.
#pragma once

#include <array>
#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
#include <string>

namespace rollcall::tools {

enum class AnnouncementKind { preemption, maintenance, members, end };

/// At most one a second of each kind. What comes sooner is put together: when the second is over the last of it is told, and how many came.
class Announcements {
 public:
  /// `tell` must not destroy this.
  Announcements(const asio::any_io_executor& executor, std::function<void(const std::string& why)> tell);

  void add(AnnouncementKind kind, const std::string& why);

 private:
  class Lane {
   public:
    explicit Lane(const asio::any_io_executor& executor) : pause(executor) {}
    asio::steady_timer pause;
    bool is_paused = false;
    std::string last;
    std::size_t waiting = 0;
  };

  void tell_and_pause(Lane& lane, const std::string& why);

  std::function<void(const std::string& why)> tell_;
  std::array<Lane, 4> lanes_;  // by kind
};

}  // namespace rollcall::tools
