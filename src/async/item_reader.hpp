// The public edge of a stream: takes the next item of a queue on the Runtime's executor, for a caller on any other.
#pragma once

#include <asio/associated_cancellation_slot.hpp>
#include <asio/associated_executor.hpp>
#include <asio/bind_executor.hpp>
#include <asio/dispatch.hpp>
#include <asio/use_awaitable.hpp>
#include <memory>
#include <string>

#include "async/item_queue.hpp"
#include "async/spawn.hpp"
#include "rollcall/error.hpp"

namespace rollcall {

/// One call of read_item(): how the caller's cancellation gets to it.
class ItemHop {
 public:
  explicit ItemHop(asio::any_io_executor on) : executor(std::move(on)) {}
  asio::any_io_executor executor;
  asio::cancellation_signal signal;
};

template <class T, class Owner>
asio::awaitable<Result<std::optional<T>>> take_item(std::shared_ptr<Owner> owner) {
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
