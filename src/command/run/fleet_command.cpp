// `rollcall fleet`: the clusters that the service of ROLLCALL_SERVER follows and the barriers that meet there, once, or until Ctrl-C.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <asio/steady_timer.hpp>
#include <iterator>

#include "command/arguments/command_table.hpp"
#include "command/run/command_session.hpp"
#include "command/show/fleet_text.hpp"
#include "command/show/wait_display.hpp"
#include "command/terminal/columns.hpp"
#include "command/terminal/console.hpp"
#include "command/terminal/exit_codes.hpp"
#include "rollcall/barrier_list.hpp"
#include "rollcall/fleet_list.hpp"

namespace rollcall::command {
namespace {

constexpr std::size_t max_width = 100'000;
constexpr Duration redraw_pace = std::chrono::seconds(2);

class FleetCommand {
 public:
  explicit FleetCommand(const Arguments& arguments)
      : arguments_(arguments), session_(arguments_, 1),
        is_drawn_(arguments.is_watching && arguments.format == Format::text && is_terminal(STDOUT_FILENO) && is_terminal(STDERR_FILENO)) {}

  int run() {
    session_.hide_progress();
    if (!session_.open()) return exit_usage;
    if (arguments_.is_watching) session_.expect_signal();
    session_.before_line([this] { block_.erase(); });
    session_.ask(arguments_.is_watching ? follow() : poll(), [this](const Result<bool>& ended) {
      if (!ended) failure_ = ended.error();
    });
    const bool is_over = session_.wait();
    if (!is_over) return exit_interrupted;
    if (failure_) return refuse(*failure_);
    return session_.exit_code(is_unheard_ ? exit_failed : exit_answered);
  }

 private:
  asio::awaitable<Result<bool>> poll() {
    Result<std::vector<FleetCluster>> clusters = co_await try_list_fleet(session_.runtime(), session_.call_options());
    if (!clusters) co_return clusters.error();
    co_await ask_replicas();
    sort_fleet(*clusters);
    co_await ask_barriers();
    print(*clusters);
    co_return true;
  }

  // True if asking again will not help: the service lacks the answer, or the right to it was refused.
  static bool is_for_good(const Failure& failure) {
    const Errc code = failure.code();
    return code == Errc::permission_denied || code == Errc::not_found || code == Errc::unimplemented;
  }

  // A service that does not answer this, such as an earlier version, shows none.
  asio::awaitable<void> ask_replicas() {
    if (has_no_replicas_) co_return;
    Result<FleetReplicas> replicas = co_await try_list_replicas(session_.runtime(), session_.call_options());
    has_no_replicas_ = !replicas && is_for_good(replicas.error());
    replicas_ = replicas ? std::move(*replicas) : FleetReplicas();
  }

  // They need a right of their own, and not every service has them.
  asio::awaitable<void> ask_barriers() {
    if (has_no_barriers_) co_return;
    Result<std::vector<ListedBarrier>> barriers = co_await try_list_barriers(session_.runtime(), session_.call_options());
    has_no_barriers_ = !barriers && is_for_good(barriers.error());
    barriers_ = barriers ? std::move(*barriers) : std::vector<ListedBarrier>();
  }

  // A service that is lost for a while is reported; one that was never reached, or that refuses, is a failure.
  asio::awaitable<Result<bool>> follow() {
    asio::steady_timer timer(session_.executor());
    while (!is_unheard_) {
      Result<std::vector<FleetCluster>> clusters = co_await try_list_fleet(session_.runtime(), session_.call_options());
      if (clusters) {
        co_await ask_replicas();
        sort_fleet(*clusters);
        co_await ask_barriers();
        show(*clusters);
      } else {
        const Errc code = clusters.error().code();
        const bool may_pass = seen_at_ && (code == Errc::unreachable || is_timeout(code));
        if (!may_pass) co_return clusters.error();
        lose(clusters.error());
      }
      timer.expires_after(redraw_pace);
      co_await timer.async_wait(asio::use_awaitable);
    }
    co_return true;
  }

  void show(const std::vector<FleetCluster>& clusters) {
    seen_at_ = std::chrono::steady_clock::now();
    is_lost_ = false;
    if (is_drawn_) {
      const auto width = static_cast<std::size_t>(terminal_width(STDERR_FILENO));
      const auto height = static_cast<std::size_t>(terminal_height(STDERR_FILENO));
      const std::size_t room = height > 2 ? height - 1 : 2;
      std::vector<std::string> barriers = barrier_lines(barriers_, width > 1 ? width - 1 : 1);
      barriers.resize(std::min(barriers.size(), room / 3));
      std::vector<std::string> shown = lines(clusters, width > 1 ? width - 1 : 1, room - barriers.size());
      shown.insert(shown.end(), std::make_move_iterator(barriers.begin()), std::make_move_iterator(barriers.end()));
      block_.show(shown);
      return;
    }
    std::vector<FleetCluster> without_age = clusters;
    for (FleetCluster& cluster : without_age) cluster.age.reset();
    const bool is_same_leader = reported_leader_ == replicas_.leader && replicas_.trouble.empty() == was_fine_;
    std::vector<ListedBarrier> without_times = barriers_;
    for (ListedBarrier& barrier : without_times) barrier.progress = barrier.progress.without_times();
    std::vector<std::string> barriers = barrier_lines(without_times, max_width);
    if (reported_ && *reported_ == without_age && is_same_leader && reported_barriers_ == barriers) return;
    reported_leader_ = replicas_.leader;
    was_fine_ = replicas_.trouble.empty();
    if (reported_ && arguments_.format == Format::text) is_unheard_ = is_unheard_ || !write_result("\n");
    reported_ = std::move(without_age);
    reported_barriers_ = std::move(barriers);
    print(clusters);
  }

  void lose(const Failure& failure) {
    has_no_replicas_ = has_no_barriers_ = false;  // another version or other settings may come back
    if (std::exchange(is_lost_, true)) return;
    if (is_drawn_) block_.leave();
    complain(failure);
  }

  void print(const std::vector<FleetCluster>& clusters) {
    if (arguments_.format == Format::json) {
      is_unheard_ = !write_result(fleet_json(clusters, replicas_, barriers_, std::chrono::system_clock::now()));
      return;
    }
    // In a pipe, lines are not cut.
    const std::size_t width = is_terminal(STDOUT_FILENO) ? static_cast<std::size_t>(terminal_width(STDOUT_FILENO)) : max_width;
    std::string text;
    for (const std::string& line : lines(clusters, width, 0)) text += line + '\n';
    for (const std::string& line : barrier_lines(barriers_, width)) text += line + '\n';
    is_unheard_ = !write_result(text);
  }

  // The leader first, if there are replicas.
  std::vector<std::string> lines(const std::vector<FleetCluster>& clusters, std::size_t width, std::size_t height) const {
    const std::string leader = replicas_line(replicas_);
    std::vector<std::string> all = fleet_table(clusters, width, height > 1 && !leader.empty() ? height - 1 : height);
    if (!leader.empty()) all.insert(all.begin(), cut_line(leader, width));
    return all;
  }

  const Arguments& arguments_;
  CommandSession session_;
  LiveBlock block_;
  const bool is_drawn_;
  std::optional<SteadyTime> seen_at_;
  std::vector<ListedBarrier> barriers_;
  std::optional<std::vector<FleetCluster>> reported_;
  FleetReplicas replicas_;
  std::string reported_leader_;
  bool was_fine_ = true;
  std::vector<std::string> reported_barriers_;
  std::optional<Failure> failure_;
  bool is_lost_ = false;
  bool has_no_replicas_ = false;  // refused for good
  bool has_no_barriers_ = false;
  bool is_unheard_ = false;
};

}  // namespace

int run_fleet(Arguments arguments) {
  FleetCommand command(arguments);
  return command.run();
}

}  // namespace rollcall::command
