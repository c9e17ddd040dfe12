#include "command/run/own_stages.hpp"

#include <fmt/format.h>

#include <asio/any_io_executor.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <utility>

#include "command/terminal/console.hpp"
#include "rollcall/stage_reporter.hpp"

namespace rollcall::command {

void OwnStages::open(bool is_quiet, bool is_for_service) {
  is_quiet_ = is_quiet;
  is_for_service_ = is_for_service;
  Result<StageFile> file = StageFile::open(*process_environment());
  if (!file) return note(file.error());
  file_.emplace(std::move(*file));
}

void OwnStages::note(const Result<void>& done) {
  if (!done && !std::exchange(is_quiet_, true)) complain(fmt::format("stages before the barrier are not noted: {}", done.error().what()));
}

void OwnStages::begin(std::string_view name) {
  if (!file_ || name == now_) return;
  if (!now_.empty()) note(file_->end(now_, 0));
  now_ = name;
  if (!now_.empty()) note(file_->begin(now_));
}

void OwnStages::forget() noexcept {
  if (file_) file_->remove();
  now_.clear();
}

asio::awaitable<Result<void>> OwnStages::keep_reporting(const Runtime& runtime, const ClusterSpec& spec, const LaunchedTask& own,
                                                        const std::string& run) const {
  if (!file_ || !is_for_service_) co_return Result<void>();
  const Result<StageReporter> reporter = StageReporter::make(runtime, spec, own, run);
  if (!reporter) co_return Result<void>();
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  asio::steady_timer pause(executor);
  for (;;) {
    const Result<void> said = co_await reporter->try_report(all());
    if (!said && said.error().code() == Errc::cancelled) co_return said;
    pause.expires_after(reporter->pause());
    co_await pause.async_wait(asio::use_awaitable);
  }
}

}  // namespace rollcall::command
