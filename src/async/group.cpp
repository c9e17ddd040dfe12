#include "async/group.hpp"

#include <algorithm>

namespace rollcall {

asio::awaitable<void> ChildGroup::wait_all() {
  co_await event_.wait_through([](void* self) { static_cast<ChildGroup*>(self)->cancel_all(); }, this);
  if (error_) std::rethrow_exception(error_);
}

Failure ChildGroup::failure_of(std::exception_ptr error) {
  try {
    std::rethrow_exception(error);
  } catch (const std::system_error& thrown) {
    return Failure(Errc::cancelled, thrown.code().message());
  } catch (...) {
    keep_exception(std::move(error));
    return Failure(Errc::cancelled, "it threw");
  }
}

asio::awaitable<Result<void>> join(std::vector<asio::awaitable<Result<void>>> children) {
  const std::vector<Result<void>> results = co_await gather(std::move(children), OnFailure::cancel_rest);
  std::optional<Failure> failed = first_cause(results);
  if (failed) co_return std::move(*failed);
  co_return Result<void>();
}

namespace {

class BoundedWork {
 public:
  BoundedWork(std::size_t questions, std::size_t workers, std::function<asio::awaitable<Result<void>>(std::size_t)> ask_one,
              OnFailure when_failed)
      : ask(std::move(ask_one)), count(questions), on_failure(when_failed), group(workers), asking(workers, 0) {}

  std::function<asio::awaitable<Result<void>>(std::size_t)> ask;
  std::size_t count;
  std::size_t next = 0;
  OnFailure on_failure;
  ChildGroup group;
  std::vector<std::size_t> asking;  // each worker's index
  std::optional<Failure> failure;
  std::size_t failed = 0;  // the index of that failure

  void fail(std::size_t question, Failure why) {
    next = count;
    if (on_failure == OnFailure::cancel_rest) return fail_all(question, std::move(why));
    // The calls before this one go on: one of them may fail, too, and would then be the result.
    if (failure && failed < question) return;
    failure = std::move(why);
    failed = question;
    cancel_where([this](std::size_t other) { return other > failed; });
  }

 private:
  void fail_all(std::size_t question, Failure why) {
    if (!failure) cancel_where([question](std::size_t other) { return other != question; });
    if (is_rather_cause(failure, why)) failure = std::move(why);
  }
  template <class IsEnded>
  void cancel_where(IsEnded is_ended) {
    for (std::size_t i = 0; i < asking.size(); ++i) {
      if (is_ended(asking[i])) group.cancel(i);
    }
  }
};

// One of the workers: takes the next index until there is none.
asio::awaitable<void> work_through(BoundedWork& work, std::size_t worker) {
  while (work.next < work.count) {
    const std::size_t question = work.next++;
    work.asking[worker] = question;
    const Result<void> answer = co_await work.ask(question);
    if (!answer) work.fail(question, answer.error());
  }
}

}  // namespace

asio::awaitable<Result<void>> join_bounded(std::size_t count, std::size_t limit,
                                           std::function<asio::awaitable<Result<void>>(std::size_t)> ask, OnFailure on_failure) {
  const std::size_t workers = std::min(count, std::max<std::size_t>(limit, 1));
  if (workers == 0) co_return Result<void>();
  BoundedWork work(count, workers, std::move(ask), on_failure);
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  for (std::size_t i = 0; i < workers; ++i) {
    auto on_done = [&work, i](std::exception_ptr error) {
      if (error) work.fail(work.asking[i], work.group.failure_of(std::move(error)));
      work.group.on_child_done();
    };
    spawn(executor, work_through(work, i), work.group.slot(i), std::move(on_done));
  }
  co_await work.group.wait_all();
  if (work.failure) co_return std::move(*work.failure);
  co_return Result<void>();
}

}  // namespace rollcall
