// A bounded buffer between the coroutines that produce items and the reader, and read_item(), which takes the next item on the Runtime's
// executor for a caller on any other. All calls on one executor except read_item().
#pragma once

#include <asio/associated_cancellation_slot.hpp>
#include <asio/associated_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/bind_executor.hpp>
#include <asio/dispatch.hpp>
#include <asio/use_awaitable.hpp>
#include <boost/intrusive/list.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "async/async_event.hpp"
#include "async/reader_mark.hpp"
#include "async/spawn.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

template <class T>
class ItemQueue {
 public:
  /// Holds up to `capacity` items, fewer if they take more than `max_bytes`; there is always room for one.
  explicit ItemQueue(std::size_t capacity, std::size_t max_bytes = static_cast<std::size_t>(-1))
      : capacity_(capacity > 0 ? capacity : 1), max_bytes_(max_bytes) {}

  /// True if there was room, or if the reader has gone, in which case the item is dropped. `bytes`: its memory.
  bool try_push(T& item, std::size_t bytes = 0) {
    if (is_closed_) return true;
    if (items_.size() >= capacity_ || bytes_ > max_bytes_) return false;
    push_anyway(std::move(item), bytes);
    return true;
  }
  /// Adds an item even if the buffer is full: for the last one, which must not wait.
  void push_anyway(T item, std::size_t bytes = 0) {
    if (is_closed_) return;
    items_.emplace_back(std::move(item), bytes);
    bytes_ += bytes;
    reader_.wake();
  }
  /// Suspends while the buffer is full. False when cancelled.
  asio::awaitable<bool> push(T item, std::size_t bytes = 0) {
    while (!try_push(item, bytes)) {
      Writer writer(*this);
      const bool woken = co_await writer.event.wait();
      if (!woken) co_return false;
    }
    co_return true;
  }

  /// The next item; suspends while there is none. None at the end, or when cancelled (`was_cancelled` then). One reader at a time.
  asio::awaitable<std::optional<T>> pop(bool& was_cancelled) {
    while (items_.empty() && !is_finished_) {
      const bool woken = co_await reader_.wait();
      if (!woken) {
        was_cancelled = true;
        co_return std::optional<T>();
      }
    }
    if (items_.empty()) co_return std::optional<T>();
    std::optional<T> item(std::move(items_.front().first));
    bytes_ -= items_.front().second;
    items_.pop_front();
    if (!writers_.empty()) {
      Writer& first = writers_.front();
      writers_.pop_front();
      first.event.wake();
    }
    co_return item;
  }

  /// No more items will be added.
  void finish() {
    is_finished_ = true;
    reader_.wake();
  }
  /// The reader has gone: the items are dropped, and writers continue without waiting.
  void close() {
    is_closed_ = true;
    items_.clear();
    bytes_ = 0;
    while (!writers_.empty()) {
      Writer& first = writers_.front();
      writers_.pop_front();
      first.event.wake();
    }
    finish();
  }
  std::size_t size() const noexcept { return items_.size(); }
  /// For a ReaderMark.
  bool& is_being_read() noexcept { return is_being_read_; }

 private:
  struct Writer : boost::intrusive::list_base_hook<> {
    explicit Writer(ItemQueue& to) : queue(to) { queue.writers_.push_back(*this); }
    ~Writer() {
      if (this->is_linked()) queue.writers_.erase(queue.writers_.iterator_to(*this));
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ItemQueue& queue;
    AsyncEvent event;
  };

  std::size_t capacity_;
  std::size_t max_bytes_;
  std::deque<std::pair<T, std::size_t>> items_;  // and the memory of each
  std::size_t bytes_ = 0;
  AsyncEvent reader_;
  boost::intrusive::list<Writer> writers_;
  bool is_finished_ = false;
  bool is_closed_ = false;
  bool is_being_read_ = false;
};

/// One call of read_item(): passes on the caller's cancellation.
class ItemHop {
 public:
  explicit ItemHop(asio::any_io_executor on) : executor(std::move(on)) {}
  asio::any_io_executor executor;
  asio::cancellation_signal signal;
};

template <class T, class Owner>
asio::awaitable<Result<std::optional<T>>> take_item(std::shared_ptr<Owner> owner) {
  if (owner->queue.is_being_read())
    co_return Failure(Errc::invalid_argument, "another reader waits for the next item: there is one at a time");
  const ReaderMark mark(owner->queue.is_being_read());
  bool was_cancelled = false;
  std::optional<Result<T>> item = co_await owner->queue.pop(was_cancelled);
  if (was_cancelled) co_return Failure(Errc::cancelled, "the wait for the next item was cancelled");
  if (!item) co_return std::optional<T>();
  if (!*item) co_return item->error();
  co_return std::optional<T>(std::move(**item));
}

/// The next item of `owner->queue`, an ItemQueue<Result<T>>; `owner->executor` is where the queue lives. None at the end; Errc::cancelled
/// when the caller cancelled, and then no item is lost.
template <class T, class Owner>
asio::awaitable<Result<std::optional<T>>> read_item(std::shared_ptr<Owner> owner) {
  auto initiate = [owner = std::move(owner)](auto handler) mutable {
    const auto hop = std::make_shared<ItemHop>(owner->executor);
    auto slot = asio::get_associated_cancellation_slot(handler);
    if (slot.is_connected()) {
      slot.assign([weak = std::weak_ptr<ItemHop>(hop)](asio::cancellation_type) {
        const auto alive = weak.lock();
        if (!alive) return;
        asio::dispatch(alive->executor, [alive] { alive->signal.emit(asio::cancellation_type::terminal); });
      });
    }
    const auto executor = asio::get_associated_executor(handler, owner->executor);
    auto done = [hop, handler = std::move(handler)](std::exception_ptr error, Result<std::optional<T>> item) mutable {
      std::move(handler)(std::move(error), std::move(item));
    };
    spawn(hop->executor, take_item<T>(std::move(owner)), hop->signal.slot(), asio::bind_executor(executor, std::move(done)));
  };
  return asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr, Result<std::optional<T>>)>(std::move(initiate),
                                                                                                                 asio::use_awaitable);
}

}  // namespace rollcall
