#include "resolvers/tpu/zone_lookups.hpp"

#include <algorithm>
#include <asio/post.hpp>

#include "base/saturating.hpp"

namespace rollcall {
namespace {

constexpr std::size_t min_batch = 8;  ///< the number of gets that start at once before the next answer
constexpr int max_turns = 4;       ///< event-loop turns to wait while more look-ups arrive
constexpr Duration pause_of_lists = std::chrono::minutes(10);

}  // namespace

ZoneLookups::Entry::Entry(ZoneLookups& zone, const Call& call, const std::string& id) : asking(call), node_id(id), zone_(zone) {
  zone.waiting_.push_back(*this);
  zone.decide_soon();
}

ZoneLookups::Entry::~Entry() {
  if (is_linked()) zone_.waiting_.erase(zone_.waiting_.iterator_to(*this));
}

/// One list shared by the look-ups that waited together.
class NodeBatch {
 public:
  NodeBatch(std::shared_ptr<ZoneLookups> of, CallOptions with) : zone(std::move(of)), options(std::move(with)) { ++zone->lists_; }
  NodeBatch(const NodeBatch&) = delete;
  NodeBatch& operator=(const NodeBatch&) = delete;
  ~NodeBatch() { --zone->lists_; }

  std::shared_ptr<ZoneLookups> zone;
  CallOptions options;
  TpuNodeListParser::WantedIds ids;
  std::size_t round = 1;  ///< the number of gets that would be in flight at a time
  std::shared_ptr<const TpuNodeIndex> index;  ///< null until the list has been read
  SingleFlight<std::shared_ptr<const TpuNodeIndex>> flight;
};

GetPermit::GetPermit(std::shared_ptr<ZoneLookups> zone) noexcept : zone_(std::move(zone)) { ++zone_->gets_; }

void GetPermit::give_back() noexcept {
  if (!zone_) return;
  --zone_->gets_;
  zone_->begun_ = 0;
  zone_.reset();
}

ZoneLookups::ZoneLookups(Runtime::Impl& runtime, const Url& nodes, bool is_token_allowed)
    : runtime_(runtime.weak_from_this()), limiter_(runtime.host(nodes)), nodes_(nodes) {
  question_.what = "TPU list";
  question_.url = nodes;
  question_.url.target += "?pageSize=1000";
  question_.is_token_allowed = is_token_allowed;
}

SteadyTime ZoneLookups::now() const noexcept {
  const std::shared_ptr<Runtime::Impl> runtime = runtime_.lock();
  return runtime ? runtime->time->now() : SteadyTime{};
}

GetPermit ZoneLookups::try_get() {
  const bool is_one_of_few = waiting_.empty() && begun_ < min_batch;
  if (!is_one_of_few && may_list()) return {};
  ++begun_;
  return GetPermit(shared_from_this());
}

// Decides at the end of this turn of the event loop, when all look-ups that were started together are queued.
void ZoneLookups::decide_soon() noexcept {
  if (is_turn_awaited_) return;
  const std::shared_ptr<Runtime::Impl> runtime = runtime_.lock();
  if (!runtime || !runtime->loop.is_going()) return;
  seen_ = waiting_.size();
  try {
    asio::post(runtime->executor, [weak = weak_from_this()] {
      const std::shared_ptr<ZoneLookups> zone = weak.lock();
      if (zone && zone->runtime_.lock()) zone->end_turn();
    });
    is_turn_awaited_ = true;
  } catch (...) {  // no memory to wait: all by get
    start_gets();
  }
}

void ZoneLookups::end_turn() noexcept {
  is_turn_awaited_ = false;
  // Requests from a pipe, for example, arrive in several reads.
  const bool is_growing = waiting_.size() > seen_;
  if (is_growing && ++turns_ < max_turns) return decide_soon();
  turns_ = 0;
  try {
    decide();
  } catch (...) {  // no memory for a list: all by get
    start_gets();
  }
}

// A look-up waits only until this decision, not for the end of a get, which may back off.
void ZoneLookups::decide() {
  const std::size_t width = limiter_.width();
  const std::size_t left = width - std::min(width, gets_);
  const std::size_t at_once = std::min(left, limiter_.free());
  const bool is_batch = waiting_.size() >= at_once + min_batch;
  if (is_batch && may_list() && (lists_ == 0 || waiting_.size() > width)) return begin_list();
  start_gets();
}

void ZoneLookups::start_gets() noexcept {
  while (!waiting_.empty()) {
    Entry& first = waiting_.front();
    waiting_.pop_front();
    first.permit = GetPermit(shared_from_this());
    first.event.wake();
  }
}

// The list gets half of the shortest remaining time of its look-ups, so that each of them can still be requested by get.
void ZoneLookups::begin_list() {
  const auto batch = std::make_shared<NodeBatch>(shared_from_this(), waiting_.front().asking.options());
  batch->round = std::max<std::size_t>(limiter_.width(), 1);
  SteadyTime first_deadline = waiting_.front().asking.deadline();
  for (const Entry& entry : waiting_) {
    batch->ids.insert(entry.node_id);
    first_deadline = std::min(first_deadline, entry.asking.deadline());
  }
  batch->options.timeout(std::max<Duration>(saturating_difference(first_deadline, now()) / 2, Duration(1)));
  while (!waiting_.empty()) {
    Entry& first = waiting_.front();
    waiting_.pop_front();
    first.batch = batch;
    first.event.wake();
  }
}

asio::awaitable<Result<ZoneLookups::IndexPointer>> ZoneLookups::read_list(Call& call, std::shared_ptr<NodeBatch> batch) {
  Runtime::Impl& runtime = impl_of(call);
  auto index = std::make_shared<TpuNodeIndex>(runtime.memory);
  const ParseLimits limits = parse_limits(runtime);
  auto make_parser = [batch, limits] { return TpuNodeListParser(batch->ids, limits); };
  ListPages<TpuNodeListParser> pages(call, batch->zone->question_, make_parser);
  const std::size_t wanted = batch->ids.size();
  while (!pages.is_at_end() && index->nodes.size() < wanted) {
    const std::size_t before = index->nodes.size();
    const Result<TpuNodeListParser*> page = co_await pages.next();
    if (!page) co_return page.error();
    index->add_page(**page);
    const std::size_t answered = index->nodes.size() - before;
    const bool is_worth_more = answered >= batch->round;
    if (is_worth_more || pages.is_at_end()) continue;
    if (2 * answered < wanted - before) batch->zone->note_few_answers();
    break;
  }
  co_return IndexPointer(std::move(index));
}

void ZoneLookups::note_few_answers() noexcept { not_before_ = std::max(not_before_, now() + pause_of_lists); }

void ZoneLookups::note_failure(const Failure& failure) noexcept {
  const Errc code = failure.code();
  if (code == Errc::cancelled) return;
  is_refused_ = is_refused_ || code == Errc::permission_denied || code == Errc::not_found || code == Errc::invalid_argument ||
                code == Errc::http_error;
  note_few_answers();
}

asio::awaitable<Result<std::shared_ptr<const TpuNode>>> ZoneLookups::wait(Call& call, const std::string& node_id, GetPermit& permit) {
  const std::shared_ptr<ZoneLookups> self = shared_from_this();
  std::shared_ptr<NodeBatch> batch;
  {
    Entry entry(*this, call, node_id);
    const bool woken = co_await entry.event.wait();
    if (!woken) co_return Failure(Errc::cancelled, "cancelled while it waited to be asked for");
    permit = std::move(entry.permit);
    batch = std::move(entry.batch);
  }
  if (!batch) co_return nullptr;
  if (!batch->index) {
    auto script = [batch](Call& inner) { return read_list(inner, batch); };
    Result<IndexPointer> read = co_await batch->flight.run(impl_of(call).shared_from_this(), batch->options, "TPU list", script);
    if (read) batch->index = std::move(*read);
    if (!read && read.error().code() == Errc::cancelled) co_return read.error();
    if (!read) note_failure(read.error());
  }
  if (batch->index) {
    const auto found = batch->index->nodes.find(node_id);
    if (found != batch->index->nodes.end()) co_return std::shared_ptr<const TpuNode>(batch->index, &found->second);
  }
  batch.reset();
  permit = GetPermit(self);
  co_return nullptr;
}

const std::shared_ptr<ZoneLookups>& ZonesLookups::of(Runtime::Impl& runtime, const Url& nodes, bool is_token_allowed) {
  const auto at = zones_.find(View{nodes, is_token_allowed});
  if (at != zones_.end()) return at->second;
  if (zones_.size() >= many_) {
    std::erase_if(zones_, [this](const auto& zone) { return zone.second != last.lookups && zone.second->is_idle(); });
    many_ = std::max<std::size_t>(64, 2 * zones_.size());
  }
  return zones_.emplace(Key(nodes, is_token_allowed), std::make_shared<ZoneLookups>(runtime, nodes, is_token_allowed)).first->second;
}

}  // namespace rollcall
