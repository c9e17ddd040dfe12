#include "fleet/http/list_stream.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/append_formatted.hpp"
#include "fleet/wire/event_stream.hpp"
#include "fleet/wire/position.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_piece = 64 * 1024;  // of what is written at once

std::int64_t wall_milliseconds(WallTime now) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
}

}  // namespace

ListStream::ListStream(ServiceEntry& entry, ClusterSummaries& summaries, std::shared_ptr<ListReader> reader, ClientPtr client,
                       std::string_view last_event_id, std::uint64_t rights_since)
    : entry_(entry), summaries_(summaries), client_(std::move(client)), reader_(std::move(reader)) {
  const auto position = Position::parse(last_event_id);
  const bool is_ours = position && position->epoch == reader_->epoch();
  const std::uint64_t version = is_ours ? reader_->version_of(position->revision).value_or(0) : 0;
  if (version >= rights_since) known_before_ = version;
  sent_version_ = known_before_;
}

asio::awaitable<std::string> ListStream::start() {
  std::vector<std::uint64_t> lines;
  const std::function<void(const ClusterSummaries::Line&)> add = [&lines](const ClusterSummaries::Line& line) { lines.push_back(line.id); };
  co_await summaries_.visit(entry_.admission(), *client_, add);
  reader_->number_all(lines);
  std::string data = fmt::format("{{\"now_ms\":{},\"ids\":[", wall_milliseconds(entry_.runtime()->time->wall_now()));
  for (const std::uint64_t line : lines) append_formatted(data, "{}{}", data.back() == '[' ? "" : ",", reader_->number_of(line));
  co_return render_server_event("start", data + "]}", position());
}

asio::awaitable<std::vector<std::string>> ListStream::news() {
  const SteadyTime now = entry_.now();
  const std::uint64_t round = ++round_;
  std::vector<std::string> pieces(1);
  std::string type;  // of the latest event: its id depends on whether another event of the round follows
  std::string data;
  const auto flush = [this, &pieces, &type, &data] {
    if (type.empty()) return;
    if (pieces.back().size() > max_piece) pieces.emplace_back();
    pieces.back() += render_server_event(type, data, position());
  };
  const auto add = [&flush, &type, &data](std::string_view next, std::string text) {
    flush();
    type = next;
    data = std::move(text);
  };
  std::map<SteadyTime, std::string> polls;
  const std::uint64_t version = summaries_.version();
  bool has_news = false;
  const std::function<void(const ClusterSummaries::Line&)> add_line = [this, &add, &polls, &has_news, round,
                                                                       now](const ClusterSummaries::Line& line) {
    SentLine& sent = sent_[line.id];
    sent.round = round;
    if (sent.number == 0) sent.number = reader_->number_of(line.id);
    if (sent.at != line.at && line.at > known_before_) {
      add("summary", summary(line, sent.number, now));
      has_news = true;
    } else if (sent.polled_at != line.polled_at && line.polled_at) {
      std::string& ids = polls[*line.polled_at];
      append_formatted(ids, "{}{}", ids.empty() ? "" : ",", sent.number);
    }
    sent.at = line.at;
    sent.polled_at = line.polled_at;
  };
  co_await summaries_.visit(entry_.admission(), *client_, add_line);
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

std::string ListStream::heartbeat() const {
  const std::int64_t now = wall_milliseconds(entry_.runtime()->time->wall_now());
  return render_server_event("beat", fmt::format("{{\"now_ms\":{}}}", now), position());
}

std::string ListStream::last(std::string_view event) const { return render_server_event(event, "{}", position()); }

std::string ListStream::position() const { return Position(reader_->epoch(), reader_->position_of(sent_version_)).to_text(); }

std::string ListStream::summary(const ClusterSummaries::Line& line, std::uint64_t number, SteadyTime now) {
  return fmt::format("{},\"id\":{},\"age_ms\":{},\"history\":{}}}", line.head, number, age_text(line.polled_at, now), line.history);
}

}  // namespace rollcall::fleet
