// A bounded buffer of items, between the coroutines that find them and the one that reads them. All calls on one executor.
#pragma once

#include <asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>
#include <deque>
#include <optional>
#include <utility>

#include "async/async_event.hpp"

namespace rollcall {

template <class T>
class ItemQueue {
 public:
  /// Holds up to `capacity` items, fewer if they take more than `max_bytes`; there is always room for one.
  explicit ItemQueue(std::size_t capacity, std::size_t max_bytes = static_cast<std::size_t>(-1))
      : capacity_(capacity > 0 ? capacity : 1), max_bytes_(max_bytes) {}

  /// True if there was room, or if the reader has gone, in which case the item is dropped. `bytes`: what it takes in memory.
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
      const bool woken = co_await writer.waiter.wait();
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
      first.waiter.wake();
    }
    co_return item;
  }

  /// No more items will come.
  void finish() {
    is_finished_ = true;
    reader_.wake();
  }
  /// The reader has gone: the items are dropped, and writers go on without waiting.
  void close() {
    is_closed_ = true;
    items_.clear();
    bytes_ = 0;
    while (!writers_.empty()) {
      Writer& first = writers_.front();
      writers_.pop_front();
      first.waiter.wake();
    }
    finish();
  }
  std::size_t size() const noexcept { return items_.size(); }

 private:
  struct Writer : boost::intrusive::list_base_hook<> {
    explicit Writer(ItemQueue& to) : queue(to) { queue.writers_.push_back(*this); }
    ~Writer() {
      if (this->is_linked()) queue.writers_.erase(queue.writers_.iterator_to(*this));
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ItemQueue& queue;
    AsyncEvent waiter;
  };

  std::size_t capacity_;
  std::size_t max_bytes_;
  std::deque<std::pair<T, std::size_t>> items_;  // and what each takes
  std::size_t bytes_ = 0;
  AsyncEvent reader_;
  boost::intrusive::list<Writer> writers_;
  bool is_finished_ = false;
  bool is_closed_ = false;
};

}  // namespace rollcall
