// GET /v1/clusters as a stream: what becomes of the clusters that the asker may read.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "base/backoff.hpp"
#include "fleet/fleet_core.hpp"
#include "fleet/http/fleet_requests.hpp"
#include "fleet/http/own_answer.hpp"
#include "fleet/http/rules/list_reader.hpp"
#include "fleet/http/rules/request_rules.hpp"
#include "fleet/wire/event_stream.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t largest_piece = 64 * 1024;  // of what is written at once
constexpr std::size_t most_list_readers = 128;          // that are kept, those without a stream included
constexpr Duration list_pace = std::chrono::seconds(1);
constexpr Duration list_beat = std::chrono::seconds(10);

std::int64_t wall_milliseconds(WallTime now) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
}

// What one stream has told.
class ToldLine {
 public:
  std::uint64_t number = 0;  // the reader's
  std::uint64_t at = 0;
  std::optional<SteadyTime> looked_at;
  std::uint64_t round = 0;
};

}  // namespace

// What follows streams of lists: the events that one is told, a round after the other. It has the place that list_seat() took for it.
class FleetRequests::ListStream {
 public:
  ListStream(FleetRequests& service, const ServerExchange& exchange, AskerPtr asker)
      : service_(service), asker_(std::move(asker)), reader_(service.list_reader(asker_->identity.text)) {
    const auto position = Position::parse(joined_field(exchange.request().headers, "Last-Event-ID"));
    const bool is_ours = position && position->instance == reader_->instance();
    const std::uint64_t version = is_ours ? reader_->version_of(position->revision).value_or(0) : 0;
    if (version >= service.list_rights_since()) known_before_ = version;
    told_version_ = known_before_;
  }
  ~ListStream() { service_.list_places_.leave(asker_->client); }
  ListStream(const ListStream&) = delete;
  ListStream& operator=(const ListStream&) = delete;

  /// All lines that there are, by id: who comes back forgets the others.
  asio::awaitable<std::string> start() {
    std::vector<std::uint64_t> lines;
    const TellLine tell = [&lines](const ClusterSummaries::Line& line) { lines.push_back(line.id); };
    co_await service_.tell_lines(*asker_, tell);
    reader_->number_all(lines);
    std::string data = fmt::format("{{\"now_ms\":{},\"ids\":[", wall_milliseconds(service_.runtime_->time->wall_now()));
    for (const std::uint64_t line : lines)
      fmt::format_to(std::back_inserter(data), "{}{}", data.back() == '[' ? "" : ",", reader_->number_of(line));
    co_return render_server_event("start", data + "]}", position());
  }

  /// What has changed since the last time, in pieces. Who comes back behind any event but the last one of a round is told all of the round.
  asio::awaitable<std::vector<std::string>> news() {
    const SteadyTime now = service_.now();
    const std::uint64_t round = ++round_;
    std::vector<std::string> pieces(1);
    std::string type;  // of the latest event, whose id is known when the next one is there, or the round is over
    std::string data;
    const auto flush = [this, &pieces, &type, &data] {
      if (type.empty()) return;
      if (pieces.back().size() > largest_piece) pieces.emplace_back();
      pieces.back() += render_server_event(type, data, position());
    };
    const auto add = [&flush, &type, &data](std::string_view next, std::string text) {
      flush();
      type = next;
      data = std::move(text);
    };
    std::map<SteadyTime, std::string> looks;
    const std::uint64_t version = service_.summaries_->version();
    bool has_news = false;
    const TellLine tell = [this, &add, &looks, &has_news, round, now](const ClusterSummaries::Line& line) {
      ToldLine& told = told_[line.id];
      told.round = round;
      if (told.number == 0) told.number = reader_->number_of(line.id);
      if (told.at != line.at && line.at > known_before_) {
        add("summary", summary(line, told.number, now));
        has_news = true;
      } else if (told.looked_at != line.looked_at && line.looked_at) {
        std::string& ids = looks[*line.looked_at];
        fmt::format_to(std::back_inserter(ids), "{}{}", ids.empty() ? "" : ",", told.number);
      }
      told.at = line.at;
      told.looked_at = line.looked_at;
    };
    co_await service_.tell_lines(*asker_, tell);
    known_before_ = 0;
    for (auto one = told_.begin(); one != told_.end();) {
      if (one->second.round == round) {
        ++one;
        continue;
      }
      add("gone", fmt::format("{{\"id\":{}}}", one->second.number));
      has_news = true;
      reader_->forget(one->first);
      one = told_.erase(one);
    }
    if (has_news) reader_->note(version);
    for (const auto& [looked_at, ids] : looks) add("looked", fmt::format("{{\"age_ms\":{},\"ids\":[{}]}}", age_text(looked_at, now), ids));
    told_version_ = version;
    flush();
    std::erase(pieces, std::string());
    co_return pieces;
  }

  std::string beat() const {
    return render_server_event("beat", fmt::format("{{\"now_ms\":{}}}", wall_milliseconds(service_.runtime_->time->wall_now())),
                               position());
  }
  std::string last(std::string_view event) const { return render_server_event(event, "{}", position()); }

 private:
  std::string position() const { return Position(reader_->instance(), reader_->position_of(told_version_)).to_text(); }
  static std::string summary(const ClusterSummaries::Line& line, std::uint64_t number, SteadyTime now) {
    return fmt::format("{},\"id\":{},\"age_ms\":{},\"history\":{}}}", line.head, number, age_text(line.looked_at, now), line.history);
  }

  FleetRequests& service_;
  AskerPtr asker_;
  std::shared_ptr<ListReader> reader_;
  std::uint64_t known_before_ = 0;  // the client knows what was so then
  std::uint64_t told_version_ = 0;  // all of it has been told
  std::uint64_t round_ = 0;
  std::unordered_map<std::uint64_t, ToldLine> told_;
};

// Those that nobody follows by are forgotten when there are many: who comes back is told all.
std::shared_ptr<ListReader> FleetRequests::list_reader(const std::string& identity) {
  const auto known = list_readers_.find(identity);
  if (known != list_readers_.end()) return known->second;
  if (list_readers_.size() >= most_list_readers) std::erase_if(list_readers_, [](const auto& one) { return one.second.use_count() == 1; });
  auto reader = std::make_shared<ListReader>(random_id(*runtime_));
  list_readers_[identity] = reader;
  return reader;
}

std::uint64_t FleetRequests::list_rights_since() {
  const std::uint64_t before = std::exchange(list_rights_, rights_version());
  if (before != list_rights_) list_rights_since_ = summaries_->version() + 1;
  return list_rights_since_;
}

asio::awaitable<void> FleetRequests::follow_list(ServerExchange& exchange, AskerPtr asker) {
  std::optional<Refusal> refusal;
  const SeatPtr seat = list_seat(asker, refusal);
  if (refusal) {
    co_await refuse(exchange, std::move(*refusal));
    co_return;
  }
  AsyncEvent news;
  const ClosedWatch watch(exchange, news);
  ListStream stream(*this, exchange, asker);
  const std::string start = co_await stream.start();
  SharedBytes first = std::make_shared<const std::string>(render_retry(std::chrono::seconds(1)) + start);
  bool is_open = co_await open_stream(exchange, std::move(first));
  SteadyTime told_at = now();
  OwnBytes room(own_bytes_, asker->client);
  Timer alarm;
  while (is_open && !is_closing() && !is_over(*asker)) {
    is_open = co_await exchange.wait_writable();
    if (!is_open) break;
    const Result<bool> made = co_await summaries_->refresh();
    if (!made && made.error().code() == Errc::cancelled) co_return;
    const std::uint64_t rights = rights_version();
    std::vector<std::string> pieces = co_await stream.news();
    std::size_t bytes = 0;
    for (const std::string& piece : pieces) bytes += piece.size();
    if (!room.hold(bytes)) {  // its client has others open that read slowly; it comes back with the last id that it has
      co_await exchange.end_chunks();
      co_return;
    }
    if (pieces.empty() && now() - told_at >= list_beat) pieces.push_back(stream.beat());
    if (!pieces.empty()) told_at = now();
    for (const std::string& piece : pieces) {
      // What is left of a round is told to nobody then: its reader comes back with the last id that it has.
      const bool is_as_judged = rights == rights_version() && !is_over(*asker);
      if (is_open && !is_as_judged) {
        co_await exchange.end_chunks();
        co_return;
      }
      if (is_open) is_open = co_await exchange.write_chunk(piece);
    }
    if (!is_open) break;
    static_cast<void>(room.hold(0));
    alarm.set(*runtime_->timers, now() + list_pace, [](void* event) noexcept { static_cast<AsyncEvent*>(event)->wake(); }, &news);
    const bool is_awake = co_await news.wait();
    is_open = is_awake && !exchange.is_closed();
  }
  if (!is_open) co_return;
  const std::string last = stream.last(is_over(*asker) ? "expired" : "moved");
  is_open = co_await exchange.write_chunk(last);
  if (is_open) co_await exchange.end_chunks();
}

FleetRequests::SeatPtr FleetRequests::list_seat(const AskerPtr& asker, std::optional<Refusal>& refusal) {
  SeatPtr seat;
  if (is_closing()) {
    refusal.emplace(503, Failure(Errc::unavailable, "this server stops").with_hint("another one goes on"));
  } else if (!list_places_.enter(asker->client)) {
    refusal.emplace(503, Failure(Errc::limit_exceeded, fmt::format("{} streams of the list are open, of which this client may have no more",
                                                                   list_places_.taken()))
                             .with_hint("ask another server, or later"));
  } else {
    refusal = take_seat(asker, seat);
    if (refusal) list_places_.leave(asker->client);
  }
  return seat;
}

}  // namespace rollcall::fleet
