#include "command/process/hook.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asio/redirect_error.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>
#include <asio/use_awaitable.hpp>
#include <csignal>
#include <cstring>
#include <memory>

#include "programs/child_groups.hpp"
#include "programs/child_start.hpp"

namespace rollcall::command {
namespace {

Result<pid_t> spawn_shell(const std::string& command, const HookVariables& variables) {
  hide_memory();
  ChildPlan plan;
  plan.lead_group();
  plan.give_no_input();
  plan.redirect(STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int error = plan.spawn("/bin/sh", {"sh", "-c", command}, environment_with(variables), child);
  if (error != 0) return Failure(Errc::failed_precondition, fmt::format("the command could not be started: {}", std::strerror(error)));
  note_child_group(child);
  return child;
}

constexpr Duration grace = std::chrono::seconds(2);  // between SIGTERM and SIGKILL

// Shared with handlers that are still queued when the coroutine has ended.
class HookWait {
 public:
  explicit HookWait(const asio::any_io_executor& executor) : ended(executor, SIGCHLD), timer(executor) {}
  asio::signal_set ended;
  asio::steady_timer timer;
  bool is_late = false;
};

// Waits until the grace period of the process group is over, then kills what the ended shell left behind.
asio::awaitable<void> end_group(pid_t group, asio::steady_timer& timer) {
  if (::kill(-group, 0) != 0) co_return;
  timer.expires_at(timer.expiry());  // replaces the earlier wait on this timer
  std::error_code ignored;
  try {
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  } catch (const std::system_error&) {  // cancelled: kill at once
  }
  ::kill(-group, SIGKILL);
}

}  // namespace

asio::awaitable<Result<int>> run_hook(const std::string& command, const HookVariables& variables, Duration timeout) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  const auto wait = std::make_shared<HookWait>(executor);  // before the child starts, so that SIGCHLD is not missed
  const Result<pid_t> child = spawn_shell(command, variables);
  if (!child) co_return child.error();
  wait->timer.expires_after(timeout);
  wait->timer.async_wait([weak = std::weak_ptr<HookWait>(wait)](const std::error_code& error) {
    const std::shared_ptr<HookWait> alive = error ? nullptr : weak.lock();
    if (!alive) return;
    alive->is_late = true;
    alive->ended.cancel();
  });
  bool is_cancelled = false;
  bool is_killed = false;
  for (;;) {
    int status = 0;
    if (::waitpid(*child, &status, WNOHANG) == *child) {
      if (is_killed) co_await end_group(*child, wait->timer);
      forget_child_group(*child);
      if (is_cancelled) co_return Failure(Errc::cancelled, "the command was ended");
      if (wait->is_late) co_return Failure(Errc::deadline_exceeded, "the command took too long and was ended");
      co_return status;
    }
    std::error_code error;
    try {
      co_await wait->ended.async_wait(asio::redirect_error(asio::use_awaitable, error));
    } catch (const std::system_error&) {
      is_cancelled = true;
    }
    const asio::cancellation_state state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) {
      is_cancelled = true;
      co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    }
    if ((wait->is_late || is_cancelled) && !is_killed) {
      is_killed = true;
      ::kill(-*child, SIGTERM);
      wait->timer.expires_after(grace);
      wait->timer.async_wait([pid = *child](const std::error_code& waited) {
        if (!waited) ::kill(-pid, SIGKILL);
      });
    }
  }
}

std::string hook_trouble(int wait_status) {
  if (WIFEXITED(wait_status))
    return WEXITSTATUS(wait_status) == 0 ? std::string() : fmt::format("exit status {}", WEXITSTATUS(wait_status));
  return fmt::format("killed by signal {}", WTERMSIG(wait_status));
}

}  // namespace rollcall::command
