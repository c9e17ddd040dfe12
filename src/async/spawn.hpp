// Work that its starter does not await in place: a signal ends it, and a function gets its result.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <exception>
#include <string_view>
#include <utility>

#include "base/exceptions.hpp"

namespace rollcall {

/// Starts `work` on `executor`. `slot` belongs to a signal that outlives the work; emitting it cancels the work by Asio's rules.
/// `on_done(std::exception_ptr, T)`, or without T for work without a value, is called on `executor` unless it is bound to another one.
template <class T, class OnDone>
void spawn(const asio::any_io_executor& executor, asio::awaitable<T> work, asio::cancellation_slot slot, OnDone on_done) {
  asio::co_spawn(executor, std::move(work), asio::bind_cancellation_slot(slot, std::move(on_done)));
}

/// The same with `on_done(Result<T>)`: an exception is converted by failure_of_thrown(). `subject` is a literal.
template <class T, class OnDone>
void spawn_result(const asio::any_io_executor& executor, asio::awaitable<Result<T>> work, asio::cancellation_slot slot,
                  std::string_view subject, OnDone on_done) {
  auto done = [subject, on_done = std::move(on_done)](std::exception_ptr error, Result<T> result) mutable {
    if (error) result = failure_of_thrown(std::move(error), subject);
    on_done(std::move(result));
  };
  spawn(executor, std::move(work), slot, std::move(done));
}

}  // namespace rollcall
