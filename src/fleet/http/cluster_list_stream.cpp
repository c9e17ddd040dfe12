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
constexpr std::size_t max_list_readers = 128;          // that are kept, those without a stream included
constexpr Duration list_pace = std::chrono::seconds(1);
constexpr Duration list_heartbeat = std::chrono::seconds(10);

std::int64_t wall_milliseconds(WallTime now) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
}

// What one stream has told.
class SentLine {
 public:
  std::uint64_t number = 0;  // the reader's
  std::uint64_t at = 0;
  std::optional<SteadyTime> polled_at;
  std::uint64_t round = 0;
};

}  // namespace

// What follows streams of lists: the events that one is told, a round after the other. It has the place that list_slot() took for it.
class FleetRequests::ListStream {
 public:
  ListStream(FleetRequests& service, const ServerExchange& exchange, ClientPtr client)
      : service_(service), client_(std::move(client)), reader_(service.list_reader(client_->identity.text)) {
    const auto position = Position::parse(joined_field(exchange.request().headers, "Last-Event-ID"));
    const bool is_ours = position && position->instance == reader_->instance();
    const std::uint64_t version = is_ours ? reader_->version_of(position->revision).value_or(0) : 0;
    if (version >= service.list_rights_since()) known_before_ = version;
    sent_version_ = known_before_;
  }
  ~ListStream() { service_.list_places_.leave(client_->client); }
  ListStream(const ListStream&) = delete;
  ListStream& operator=(const ListStream&) = delete;

  /// All lines that there are, by id: who comes back forgets the others.
  asio::awaitable<std::string> start() {
    std::vector<std::uint64_t> lines;
    const TellLine tell = [&lines](const ClusterSummaries::Line& line) { lines.push_back(line.id); };
    co_await service_.tell_lines(*client_, tell);
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
    std::map<SteadyTime, std::string> polls;
    const std::uint64_t version = service_.summaries_->version();
    bool has_news = false;
    const TellLine tell = [this, &add, &polls, &has_news, round, now](const ClusterSummaries::Line& line) {
      SentLine& sent = sent_[line.id];
      sent.round = round;
      if (sent.number == 0) sent.number = reader_->number_of(line.id);
      if (sent.at != line.at && line.at > known_before_) {
        add("summary", summary(line, sent.number, now));
        has_news = true;
      } else if (sent.polled_at != line.polled_at && line.polled_at) {
        std::string& ids = polls[*line.polled_at];
        fmt::format_to(std::back_inserter(ids), "{}{}", ids.empty() ? "" : ",", sent.number);
      }
      sent.at = line.at;
      sent.polled_at = line.polled_at;
    };
    co_await service_.tell_lines(*client_, tell);
    known_before_ = 0;
    for (auto one = sent_.begin(); one != sent_.end();) {
      if (one->second.round == round) {
        ++one;
        continue;
      }
      add("gone", fmt::format("{{\"id\":{}}}", one->second.number));
      has_news = true;
      reader_->forget(one->first);
      one = sent_.erase(one);
    }
    if (has_news) reader_->note(version);
    for (const auto& [polled_at, ids] : polls) add("looked", fmt::format("{{\"age_ms\":{},\"ids\":[{}]}}", age_text(polled_at, now), ids));
    sent_version_ = version;
    flush();
    std::erase(pieces, std::string());
    co_return pieces;
  }

  std::string heartbeat() const {
    return render_server_event("beat", fmt::format("{{\"now_ms\":{}}}", wall_milliseconds(service_.runtime_->time->wall_now())),
                               position());
  }
  std::string last(std::string_view event) const { return render_server_event(event, "{}", position()); }

 private:
  std::string position() const { return Position(reader_->instance(), reader_->position_of(sent_version_)).to_text(); }
  static std::string summary(const ClusterSummaries::Line& line, std::uint64_t number, SteadyTime now) {
    return fmt::format("{},\"id\":{},\"age_ms\":{},\"history\":{}}}", line.head, number, age_text(line.polled_at, now), line.history);
  }

  FleetRequests& service_;
  ClientPtr client_;
  std::shared_ptr<ListReader> reader_;
  std::uint64_t known_before_ = 0;  // the client knows what was so then
  std::uint64_t sent_version_ = 0;  // all of it has been told
  std::uint64_t round_ = 0;
  std::unordered_map<std::uint64_t, SentLine> sent_;
};

// Those that nobody follows by are forgotten when there are many: who comes back is told all.
std::shared_ptr<ListReader> FleetRequests::list_reader(const std::string& identity) {
  const auto known = list_readers_.find(identity);
  if (known != list_readers_.end()) return known->second;
  if (list_readers_.size() >= max_list_readers) std::erase_if(list_readers_, [](const auto& one) { return one.second.use_count() == 1; });
  auto reader = std::make_shared<ListReader>(random_id(*runtime_));
  list_readers_[identity] = reader;
  return reader;
}

std::uint64_t FleetRequests::list_rights_since() {
  const std::uint64_t before = std::exchange(list_rights_, rights_version());
  if (before != list_rights_) list_rights_since_ = summaries_->version() + 1;
  return list_rights_since_;
}

asio::awaitable<void> FleetRequests::follow_list(ServerExchange& exchange, ClientPtr client) {
  std::optional<Refusal> refusal;
  const StreamSlotPtr slot = list_slot(client, refusal);
  if (refusal) {
    co_await refuse(exchange, std::move(*refusal));
    co_return;
  }
  AsyncEvent news;
  const ClosedWatch watch(exchange, news);
  ListStream stream(*this, exchange, client);
  const std::string start = co_await stream.start();
  SharedBytes first = std::make_shared<const std::string>(render_retry(std::chrono::seconds(1)) + start);
  bool is_open = co_await open_stream(exchange, std::move(first));
  SteadyTime sent_at = now();
  OwnBytes room(own_bytes_, client->client);
  while (is_open && !is_closing() && !is_over(*client)) {
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
    if (pieces.empty() && now() - sent_at >= list_heartbeat) pieces.push_back(stream.heartbeat());
    if (!pieces.empty()) sent_at = now();
    for (const std::string& piece : pieces) {
      // What is left of a round is told to nobody then: its reader comes back with the last id that it has.
      const bool is_as_judged = rights == rights_version() && !is_over(*client);
      if (is_open && !is_as_judged) {
        co_await exchange.end_chunks();
        co_return;
      }
      if (is_open) is_open = co_await exchange.write_chunk(piece);
    }
    if (!is_open) break;
    static_cast<void>(room.hold(0));
    const bool is_awake = co_await news.wait_until(*runtime_->timers, now() + list_pace);
    is_open = is_awake && !exchange.is_closed();
  }
  if (!is_open) co_return;
  const std::string last = stream.last(is_over(*client) ? "expired" : "moved");
  is_open = co_await exchange.write_chunk(last);
  if (is_open) co_await exchange.end_chunks();
}

FleetRequests::StreamSlotPtr FleetRequests::list_slot(const ClientPtr& client, std::optional<Refusal>& refusal) {
  StreamSlotPtr slot;
  if (is_closing()) {
    refusal.emplace(503, Failure(Errc::unavailable, "this server stops").with_hint("another one goes on"));
  } else if (!list_places_.enter(client->client)) {
    refusal.emplace(503, Failure(Errc::limit_exceeded, fmt::format("{} streams of the list are open, of which this client may have no more",
                                                                   list_places_.taken()))
                             .with_hint("ask another server, or later"));
  } else {
    refusal = acquire_slot(client, slot);
    if (refusal) list_places_.leave(client->client);
  }
  return slot;
}

}  // namespace rollcall::fleet
