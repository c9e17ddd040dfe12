#include "net/system/system_programs.hpp"

#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <csignal>

#include "async/with_background.hpp"
#include "base/duration.hpp"
#include "base/path_text.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "net/system/child_process.hpp"
#include "programs/helpful_lines.hpp"

namespace rollcall {
namespace {

constexpr Duration grace = std::chrono::seconds(2);  // between SIGTERM and SIGKILL

asio::awaitable<Result<void>> fail_after(Duration time, Failure failure) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  asio::steady_timer timer(executor);
  timer.expires_at(saturating_sum(SteadyTime(std::chrono::steady_clock::now()), time));
  std::error_code error;
  co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return Failure(Errc::cancelled, "cancelled");
  co_return failure;
}

asio::awaitable<Result<void>> collect(std::shared_ptr<ChildProcess> child, std::size_t max_bytes, bool with_errors) {
  std::vector<asio::awaitable<Result<void>>> parts;
  parts.push_back(child->read_output(max_bytes));
  if (with_errors) parts.push_back(child->read_errors());
  parts.push_back(child->await_end());
  co_return co_await join(std::move(parts));
}

// Goes on after the caller got the result, which need not wait for a program that does not end.
asio::awaitable<void> put_down(std::shared_ptr<ChildProcess> child) {
  for (const int number : {SIGTERM, SIGKILL}) {
    child->signal(number);
    asio::awaitable<Result<void>> clock = fail_after(grace, Failure(Errc::response_timeout, "it did not end"));
    asio::awaitable<Result<void>> work = child->await_end();
    const Result<void> ended = co_await with_background(std::move(clock), std::move(work));
    if (ended) break;
  }
  // The destructor kills the rest of its group.
}

class SystemPrograms final : public ProgramRunner {
 public:
  explicit SystemPrograms(bool watches_end) : watches_end_(watches_end) {}

  asio::awaitable<Result<ProgramOutput>> run(ProgramRequest request) override {
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    const Result<std::shared_ptr<ChildProcess>> started = ChildProcess::start(executor, request, watches_end_);
    if (!started) co_return started.error();
    const std::shared_ptr<ChildProcess> child = *started;
    Failure late(Errc::response_timeout,
                 fmt::format("{} did not end within {}", quoted_path(request.words.front()), duration_text(request.timeout)));
    asio::awaitable<Result<void>> clock = fail_after(request.timeout, std::move(late));
    asio::awaitable<Result<void>> work = collect(child, request.max_output_bytes, !request.shows_errors);
    const Result<void> done = co_await with_background(std::move(clock), std::move(work));
    if (!done) {
      Failure failure = done.error();
      const std::string said = failure.code() == Errc::response_timeout ? helpful_lines(child->errors()) : std::string();
      if (!said.empty()) failure.with_what(fmt::format("{}; it said: {}", failure.what(), said));
      asio::co_spawn(executor, put_down(child), asio::detached);
      co_return failure;
    }
    co_return child->finish();
  }

 private:
  bool watches_end_;
};

class ForbiddenPrograms final : public ProgramRunner {
 public:
  explicit ForbiddenPrograms(std::string why) : why_(std::move(why)) {}
  asio::awaitable<Result<ProgramOutput>> run(ProgramRequest request) override {
    const std::string name = request.words.empty() ? std::string() : quoted_path(request.words.front());
    co_return Failure(Errc::refused_by_policy, fmt::format("{} was not run: {}", name, why_));
  }

 private:
  std::string why_;
};

}  // namespace

std::shared_ptr<ProgramRunner> make_system_programs(bool watches_end) { return std::make_shared<SystemPrograms>(watches_end); }
std::shared_ptr<ProgramRunner> system_programs() { return make_system_programs(true); }
std::shared_ptr<ProgramRunner> forbidden_programs(std::string why) { return std::make_shared<ForbiddenPrograms>(std::move(why)); }

}  // namespace rollcall
