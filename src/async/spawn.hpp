// Work that its starter does not await in place: a signal ends it, and a function gets its result.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/associated_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/cancellation_signal.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/exceptions.hpp"

namespace rollcall {

/// What is called when spawned work has ended: once, unless the event loop is destroyed first.
class SpawnedEnd {
 public:
  SpawnedEnd() = default;
  virtual ~SpawnedEnd() = default;
  SpawnedEnd(const SpawnedEnd&) = delete;
  SpawnedEnd& operator=(const SpawnedEnd&) = delete;
  virtual void on_end(std::exception_ptr error) = 0;
};

/// Starts `work` on `executor`, and calls `end` on `home`. The one way for work of all types of results: what Asio generates for it takes
/// longer to compile than most of what is spawned.
void spawn_erased(const asio::any_io_executor& executor, asio::awaitable<void> work, asio::cancellation_slot slot,
                  asio::any_io_executor home, std::unique_ptr<SpawnedEnd> end);

/// A result that waits for `OnDone`, and where the work puts it.
template <class T, class OnDone>
class SpawnedResult final : public SpawnedEnd {
 public:
  explicit SpawnedResult(OnDone on_done) : on_done_(std::move(on_done)) {}
  std::optional<T>& result() noexcept { return result_; }
  void on_end(std::exception_ptr error) override { on_done_(std::move(error), result_ ? std::move(*result_) : T()); }

 private:
  std::optional<T> result_;
  OnDone on_done_;
};

template <class OnDone>
class SpawnedResult<void, OnDone> final : public SpawnedEnd {
 public:
  explicit SpawnedResult(OnDone on_done) : on_done_(std::move(on_done)) {}
  void on_end(std::exception_ptr error) override { on_done_(std::move(error)); }

 private:
  OnDone on_done_;
};

template <class T>
asio::awaitable<void> put_result(asio::awaitable<T> work, std::optional<T>& into) {
  T result = co_await std::move(work);
  into.emplace(std::move(result));
}

/// Starts what `work_into(std::optional<T>&)` returns, an awaitable<void> that puts its result there, on `executor`. `slot` belongs to a
/// signal that outlives the work; emitting it cancels the work by Asio's rules. `on_done(std::exception_ptr, T)` is called on `executor`
/// unless it is bound to another one.
template <class T, class Work, class OnDone>
void spawn_into(const asio::any_io_executor& executor, Work work_into, asio::cancellation_slot slot, OnDone on_done) {
  asio::any_io_executor home = asio::get_associated_executor(on_done, executor);
  auto end = std::make_unique<SpawnedResult<T, OnDone>>(std::move(on_done));
  asio::awaitable<void> work = work_into(end->result());
  spawn_erased(executor, std::move(work), slot, std::move(home), std::move(end));
}

/// The same for work that returns its result; without T in `on_done` for work without a value.
template <class T, class OnDone>
void spawn(const asio::any_io_executor& executor, asio::awaitable<T> work, asio::cancellation_slot slot, OnDone on_done) {
  if constexpr (std::is_void_v<T>) {
    asio::any_io_executor home = asio::get_associated_executor(on_done, executor);
    spawn_erased(executor, std::move(work), slot, std::move(home), std::make_unique<SpawnedResult<void, OnDone>>(std::move(on_done)));
  } else {
    auto work_into = [&work](std::optional<T>& into) { return put_result(std::move(work), into); };
    spawn_into<T>(executor, work_into, slot, std::move(on_done));
  }
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
