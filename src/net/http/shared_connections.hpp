// A host's HTTP/2 connections: which of them takes the next exchange, and when another one is opened. Watches have connections apart:
// neither a burst of requests nor a long answer delays their events, and a request that is refused for its token does not end them
// [facts: kubernetes-401-closes]. Long answers, which are read in pieces, have others: a slow reader fills a connection's window.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "net/http/http2_connection.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

enum class ConnectionUse { requests, long_answers, watches };
inline constexpr std::size_t connection_uses = 3;

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
  bool empty() const noexcept;
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

  std::array<Group, connection_uses> groups_;
  std::size_t max_;
  std::size_t expected_streams_ = usual_streams;  // of a new connection, by the one before
};

}  // namespace rollcall
