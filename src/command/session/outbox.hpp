// Output that waits for the client to read it. Answers are always kept; events only while there is room: the newest progress of a request
// replaces older progress, and a sender of other events waits here until there is room again. All calls on one executor.
#pragma once

#include <asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "async/async_event.hpp"

namespace rollcall::serve {

/// Progress of one request that is not sent yet. Lives as long as the request.
class ProgressSlot : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  ProgressSlot() {}
  std::string newest;  ///< a line; sent once there is room, unless a newer one replaces it before
};

class Outbox {
 public:
  static constexpr std::size_t room_for_events = 256 * 1024;  ///< unsent bytes from which on events wait
  static constexpr std::size_t room_for_answers = 16 * 1024 * 1024;  ///< unsent bytes from which on no further requests are read

  Outbox() {}
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// Adds an answer, or an event for which there is room.
  void put(std::string line);
  /// Sends progress at once, or when there is room.
  void offer(ProgressSlot& slot, std::string line);
  /// The request is answered by `line`. Its unsent progress is sent before it if there is room, otherwise dropped.
  void settle(ProgressSlot& slot, std::string line);

  bool has_room_for_events() const noexcept { return waiting_ < room_for_events; }
  bool has_room_for_answers() const noexcept { return waiting_ < room_for_answers; }
  /// Suspends until there is room. False when cancelled.
  asio::awaitable<bool> until_room_for_events();
  asio::awaitable<bool> until_room_for_answers();
  /// The same before making an answer, one caller after the other: so at most room_for_answers and one more answer wait, even if many
  /// requests are ready to be answered. The next suspension after it must be settle().
  asio::awaitable<bool> until_turn_to_answer();

  // For the writer:
  bool is_empty() const noexcept { return text_.empty(); }
  /// Suspends until there is output to write. False when cancelled.
  asio::awaitable<bool> until_filled() { return filled_.wait(); }
  /// Ends until_filled() although there is no output.
  void wake_writer() { filled_.wake(); }
  /// Takes all output. It counts as unsent until it is written().
  std::string take();
  void written(std::size_t bytes);
  std::size_t waiting() const noexcept { return waiting_; }

 private:
  struct Waiter;
  using Waiters = boost::intrusive::list<Waiter, boost::intrusive::constant_time_size<false>>;
  struct Waiter : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
    explicit Waiter(Waiters& list) { list.push_back(*this); }
    AsyncEvent event;
  };
  static void wake_first(Waiters& waiters);
  static void wake_all(Waiters& waiters);
  void wake_next_answer();

  std::string text_;
  std::size_t waiting_ = 0;  // bytes of text_, and those taken but not yet written
  AsyncEvent filled_;
  boost::intrusive::list<ProgressSlot, boost::intrusive::constant_time_size<false>> slots_;
  Waiters event_waiters_;
  Waiters answer_waiters_;
  Waiters turn_waiters_;
};

}  // namespace rollcall::serve
