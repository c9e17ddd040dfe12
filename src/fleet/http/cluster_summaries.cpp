#include "fleet/http/cluster_summaries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "async/turns.hpp"
#include "base/append_formatted.hpp"
#include "fleet/entry/rendering.hpp"
#include "fleet/wire/cluster_summary.hpp"
#include "render/render_fleet.hpp"

namespace rollcall::fleet {
namespace {

constexpr Duration summary_lifetime = std::chrono::seconds(1);
constexpr Duration max_summing = std::chrono::seconds(30);
constexpr Duration sent_history = std::chrono::hours(2);
constexpr std::size_t max_sent_changes = 32;

std::string recent_history(const std::deque<PhaseChange>& changes, WallTime now) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(changes.size(), max_sent_changes));
  std::string out = "[";
  for (auto change = changes.end() - count; change != changes.end(); ++change) {
    const auto next = std::next(change);
    if (next != changes.end() && now - next->when > sent_history) continue;  // it ended too long ago
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(change->when.time_since_epoch());
    append_formatted(out, "{}[{},\"{}\",{},{}]", out.size() > 1 ? "," : "", seconds.count(), to_string(change->phase), change->ready,
                     change->total);
  }
  return out + "]";
}

ClusterStanding standing_of(const Known& known, const ProgressDocument& progress, bool is_ready, bool is_lost) {
  if (known.failure || is_lost) return ClusterStanding::failed;
  if (!known.status) return ClusterStanding::unknown;
  if (is_ready) return ClusterStanding::ready;
  if (progress.phase == ClusterPhase::queued) return ClusterStanding::queued;
  return progress.phase == ClusterPhase::provisioning ? ClusterStanding::provisioning : ClusterStanding::incomplete;
}

}  // namespace

ClusterSummaries::ClusterSummaries(std::shared_ptr<Fleet> fleet, std::shared_ptr<Runtime::Impl> runtime)
    : fleet_(std::move(fleet)), runtime_(std::move(runtime)) {}

asio::awaitable<void> ClusterSummaries::summarize(Line& line, std::shared_ptr<Topic> topic) {
  const Known known = topic->known();
  FleetQuestion question;
  question.view = View::progress;
  std::shared_ptr<const Failure> lost;
  ProgressDocument progress;
  if (known.status && !known.failure) progress = co_await judge_progress(known, question, topic->target(), lost);
  if (lost && progress.missing.empty()) progress.missing = lost->what();
  FleetCluster& cluster = line.cluster;
  cluster.type = known.status ? known.status->accelerator_type : std::string();
  cluster.standing = standing_of(known, progress, progress.is_ready, lost != nullptr);
  cluster.phase = progress.phase;
  cluster.state = std::move(progress.state);
  cluster.ready = progress.ready;
  cluster.total = progress.total;
  cluster.missing = std::move(progress.missing);
  cluster.trouble = known.failure ? known.failure->what() : known.trouble;
  cluster.generation = known.generation;
  line.at_ = Position(known.epoch, known.revision);
  line.history = recent_history(topic->history(), runtime_->time->wall_now());
}

// Inserting and erasing keeps references to other lines valid, so that one line can be summarized in turns.
asio::awaitable<Result<bool>> ClusterSummaries::make() {
  const std::vector<std::shared_ptr<Topic>> topics = fleet_->topics();
  const std::uint64_t round = ++rounds_;
  const std::uint64_t next_version = version_ + 1;
  bool is_changed = false;
  std::size_t steps = 0;
  for (const std::shared_ptr<Topic>& topic : topics) {
    if (!topic->is_followed()) continue;
    Line& line = lines_[topic->target()];
    line.seen_ = round;
    const bool is_new = line.id == 0 || line.topic_.lock() != topic;
    const bool is_stale = is_new || line.at_ != Position(topic->known().epoch, topic->known().revision);
    const std::size_t followers = topic->listeners();
    if (is_new) {
      line = Line();
      line.seen_ = round;
      line.id = ++last_id_;
      line.topic_ = topic;
      Result<Target> target = Target::parse(topic->target());
      if (target) line.target = std::move(*target);
      line.cluster.target = topic->target();
      line.cluster.place = place_of(line.target);
    }
    // Read before summarize(), which may take several turns: the topic may be polled again meanwhile.
    const std::optional<SteadyTime> polled_at = topic->known().polled_at;
    if (is_stale) {
      const std::shared_ptr<const ClusterStatus> status = topic->known().status;
      steps += status ? status->members.size() : 0;
      co_await summarize(line, topic);
    }
    line.polled_at = polled_at;
    if (is_stale || followers != line.cluster.followers) {
      line.cluster.followers = followers;
      line.head = render_fleet_cluster_head(line.cluster);
      line.at = next_version;
      is_changed = true;
    }
    if (++steps < steps_a_turn) continue;
    steps = 0;
    co_await next_turn();
  }
  is_changed = std::erase_if(lines_, [round](const auto& one) { return one.second.seen_ != round; }) > 0 || is_changed;
  if (is_changed) version_ = next_version;
  made_at_ = now();
  co_return true;
}

asio::awaitable<Result<bool>> ClusterSummaries::refresh() {
  if (made_at_ && now() - *made_at_ < summary_lifetime) co_return true;
  CallOptions options;
  options.timeout(max_summing);
  const auto script = [self = shared_from_this()](Call&) { return self->make(); };  // may outlive this call
  co_return co_await flight_.run(runtime_, options, "the list of clusters", script);
}

// Judging a line takes microseconds.
asio::awaitable<void> ClusterSummaries::visit(const Admission& admission, const Client& client,
                                              const std::function<void(const Line&)>& visit) {
  std::size_t steps = 0;
  for (auto one = lines_.begin(); one != lines_.end();) {
    const Line& line = one->second;
    const bool is_made = !line.head.empty();
    if (is_made && admission.may_read(client, line.target)) visit(line);
    if (++steps % steps_a_turn != 0) {
      ++one;
      continue;
    }
    const std::string last = one->first;
    co_await next_turn();
    one = lines_.upper_bound(last);
  }
}

std::string age_text(const std::optional<SteadyTime>& polled_at, SteadyTime now) {
  const Age age = age_at(polled_at, now);
  return age ? fmt::format("{}", age->count()) : "null";
}

}  // namespace rollcall::fleet
