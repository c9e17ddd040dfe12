// A host's HTTP/2 connections: which of them takes the next exchange, and when another one is opened. Exchanges whose answers are read in
// pieces have connections apart: a burst of requests does not delay a watch's events, and a request that is refused for its token does not
// end it [facts: kubernetes-401-closes].
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "net/http/http2_connection.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

enum class ConnectionUse { requests, streams };

class SharedConnections {
 public:
  using Ptr = std::shared_ptr<Http2Connection>;
  class Choice {
   public:
    Ptr connection;         // with a slot that is taken already
    bool may_dial = false;  // or this: the right to open one, until end_dial()
  };

  /// `max`: of connections for each use.
  explicit SharedConnections(std::size_t max) noexcept : max_(max) {}

  Choice choose(ConnectionUse use, SteadyTime now, Duration max_idle_time);
  /// Takes its first slot.
  void add(ConnectionUse use, const Ptr& connection);
  /// The number of requests that the host takes at a time, as far as it has said.
  std::size_t capacity() noexcept;
  void forget_limit() noexcept { expected_streams_ = usual_streams; }
  void end_dial(ConnectionUse use) noexcept { group(use).is_dialling = false; }
  static void give_back(const Ptr& connection, SteadyTime now) noexcept;
  /// Drops those that are over, or idle since before `now` by the time given.
  void sweep(SteadyTime now, Duration max_idle_time) noexcept;
  bool empty() const noexcept { return groups_[0].connections.empty() && groups_[1].connections.empty(); }
  /// Destroys all sockets.
  void abandon() noexcept;

 private:
  class Group {
   public:
    std::vector<Ptr> connections;
    bool is_dialling = false;
  };
  Group& group(ConnectionUse use) noexcept { return groups_[static_cast<std::size_t>(use)]; }

  static constexpr std::size_t usual_streams = 100;  // [facts: http2-streams]
  void note_limit(const Http2Connection& connection) noexcept;

  std::array<Group, 2> groups_;
  std::size_t max_;
  std::size_t expected_streams_ = usual_streams;  // of a new connection, by the one before
};

}  // namespace rollcall
