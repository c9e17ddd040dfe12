// What waits to be read by the client. Answers are kept whatever happens; events only while there is room: the newest progress of a request
// stands for those before it, and whoever has other events waits here until there is room again. All calls on one executor.
#pragma once

#include <asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "async/async_event.hpp"

namespace rollcall::serve {

/// One request's progress that has not been told yet. Lives as long as the request.
class ProgressSlot : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  ProgressSlot() {}
  std::string newest;  ///< a line; told once there is room, unless a newer one has taken its place by then
};

class Outbox {
 public:
  static constexpr std::size_t room_for_events = 256 * 1024;  ///< bytes that wait: with more, events wait too
  static constexpr std::size_t room_for_answers = 16 * 1024 * 1024;  ///< with more, no further requests are read

  Outbox() {}
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  /// An answer, or an event for which there is room.
  void put(std::string line);
  /// Told at once, or when there is room.
  void offer(ProgressSlot& slot, std::string line);
  /// The request is answered by `line`. Progress that still waits is told before it if there is room, else left out.
  void settle(ProgressSlot& slot, std::string line);

  bool has_room_for_events() const noexcept { return waiting_ < room_for_events; }
  bool has_room_for_answers() const noexcept { return waiting_ < room_for_answers; }
  /// Suspends until there is room. False when cancelled.
  asio::awaitable<bool> until_room_for_events();
  asio::awaitable<bool> until_room_for_answers();
  /// The same before an answer is made, one after the other: what waits is at most room_for_answers and one answer more, however many
  /// requests are ready to be answered. What suspends next is settle().
  asio::awaitable<bool> until_turn_to_answer();

  // The writer's side.
  bool is_empty() const noexcept { return text_.empty(); }
  /// Suspends until something waits to be written. False when cancelled.
  asio::awaitable<bool> until_filled() { return filled_.wait(); }
  /// Ends until_filled() although nothing waits.
  void wake_writer() { filled_.wake(); }
  /// All that waits. It counts as waiting until it is written().
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
  std::size_t waiting_ = 0;  // text_, and what was taken but is not written yet
  AsyncEvent filled_;
  boost::intrusive::list<ProgressSlot, boost::intrusive::constant_time_size<false>> slots_;
  Waiters event_waiters_;
  Waiters answer_waiters_;
  Waiters turn_waiters_;
};

}  // namespace rollcall::serve
