// Runs work together with a companion task that lasts as long as the work.
#pragma once

#include "async/group.hpp"

namespace rollcall {

/// The result of `work`, after which `companion` is cancelled and awaited. A companion that fails before ends the work with its failure; a
/// companion that ends without a failure does not affect the work.
template <class T>
asio::awaitable<Result<T>> with_background(asio::awaitable<Result<void>> companion, asio::awaitable<Result<T>> work) {
  std::optional<Failure> companion_failure;
  std::optional<Result<T>> result;
  ChildGroup group(2);
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  auto on_companion = [&group, &result, &companion_failure](std::exception_ptr error, Result<void> ended) {
    if (!result) {
      if (error) {
        try {
          std::rethrow_exception(error);
        } catch (const std::system_error&) {  // cancelled
        } catch (...) {
          group.keep_exception(std::current_exception());
          group.cancel_all();
        }
      } else if (ended.has_error()) {
        companion_failure = ended.error();
        group.cancel_all();
      }
    }
    group.on_child_done();
  };
  auto on_work = [&group, &result](std::exception_ptr error, Result<T> ended) {
    if (error) {
      result.emplace(group.failure_of(std::move(error)));
    } else {
      result.emplace(std::move(ended));
    }
    group.cancel_all();
    group.on_child_done();
  };
  spawn(executor, std::move(companion), group.slot(0), std::move(on_companion));
  spawn(executor, std::move(work), group.slot(1), std::move(on_work));
  co_await group.wait_all();
  if (companion_failure && companion_failure->code() != Errc::cancelled) co_return std::move(*companion_failure);
  co_return std::move(*result);
}

}  // namespace rollcall
