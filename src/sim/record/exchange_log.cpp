#include "sim/record/exchange_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "sim/wire/k8s_names.hpp"
#include "sim/wire/recorded_key.hpp"

namespace rollcall::sim {
namespace {

// Headers that decide what a client does with an answer.
constexpr std::array<std::string_view, 5> kept_headers = {"Content-Type", "Retry-After", "ETag", "Metadata-Flavor", "Warning"};

// Questions for tokens, and about the account itself. Requests of the credentials' own are not recordable at all.
bool is_about_tokens(const ParsedTarget& target) {
  constexpr std::array<std::string_view, 3> ends = {"token", "identity", "tokenreviews"};
  const bool is_token = std::find(ends.begin(), ends.end(), target.segments.back()) != ends.end();
  return is_token || std::find(target.segments.begin(), target.segments.end(), "service-accounts") != target.segments.end();
}

bool is_kube_watch(const ParsedTarget& target) { return is_kube_path(target.path) && kube_flag(target.get("watch")); }

}  // namespace

ExchangeLog::ExchangeLog(std::shared_ptr<TimeSource> time, std::size_t max_bytes, std::size_t max_exchanges)
    : time_(std::move(time)), started_(time_->now()), started_on_(time_->wall_now()), max_bytes_(max_bytes), max_exchanges_(max_exchanges) {
}

std::size_t ExchangeLog::begin(const HttpRequest& request) {
  const ParsedTarget target = parse_target(request.url.target);
  if (!request.is_recordable || is_about_tokens(target)) return none;
  used_token_ = used_token_ || !request.bearer.empty();
  if (!left_out_.empty()) return none;
  if (exchanges_.size() >= max_exchanges_) {
    left_out_ = fmt::format("requests after the first {}", max_exchanges_);
    return none;
  }
  RecordedExchange exchange;
  exchange.at = time_->now() - started_;
  exchange.method = std::string(to_string(request.method));
  exchange.host = request.url.authority();
  exchange.path = request.url.target;
  exchange.is_stream = is_kube_watch(target);
  exchanges_.push_back(std::move(exchange));
  line_begins_.emplace_back();
  return exchanges_.size() - 1;
}

Duration ExchangeLog::since_request(std::size_t number) const { return time_->now() - started_ - exchanges_[number].at; }

void ExchangeLog::answered(std::size_t number, const HttpResponse& head) {
  if (number == none) return;
  RecordedExchange& exchange = exchanges_[number];
  exchange.took = since_request(number);
  exchange.status = head.status;
  exchange.is_stream = exchange.is_stream && head.status >= 200 && head.status < 300;
  for (const std::string_view name : kept_headers) {
    if (const auto value = head.headers.get(name)) exchange.headers.emplace_back(name, *value);
  }
}

void ExchangeLog::failed(std::size_t number, const Failure& failure) {
  if (number == none || failure.code() == Errc::cancelled) return;  // the one who asked did not wait any longer
  exchanges_[number].took = since_request(number);
  exchanges_[number].failure = std::string(to_string(failure.code()));
}

// What does not fit is left out with everything after it, so that a replay does not show a later state as an earlier one.
bool ExchangeLog::has_room(std::size_t number, std::size_t bytes) {
  bytes_ += bytes;
  if (bytes_ <= max_bytes_) return true;
  if (left_out_.empty())
    left_out_ = fmt::format("answers after {:.0f} s: all before have {} bytes",
                            double(std::chrono::duration_cast<std::chrono::seconds>(time_->now() - started_).count()), max_bytes_);
  if (!exchanges_[number].is_stream) abandoned(number);
  return false;
}

void ExchangeLog::add_body(std::size_t number, std::string_view piece) {
  if (number == none || piece.empty() || exchanges_[number].status == 0) return;
  if (!has_room(number, piece.size())) return;
  RecordedExchange& exchange = exchanges_[number];
  if (!exchange.is_stream) {
    exchange.body += piece;
    return;
  }
  std::string& begun = line_begins_[number];
  for (std::size_t at = 0; at < piece.size();) {
    const std::size_t end = piece.find('\n', at);
    begun += piece.substr(at, end == std::string_view::npos ? end : end - at);
    if (end == std::string_view::npos) return;
    RecordedLine& line = exchange.lines.emplace_back();
    line.at = since_request(number);
    line.text = std::exchange(begun, std::string());
    at = end + 1;
  }
}

void ExchangeLog::ended(std::size_t number) {
  if (number != none && exchanges_[number].is_stream) exchanges_[number].ended = since_request(number);
}

void ExchangeLog::abandoned(std::size_t number) {
  if (number == none || exchanges_[number].is_stream) return;
  RecordedExchange& exchange = exchanges_[number];
  exchange.status = 0;
  exchange.body = std::string();
  exchange.headers.clear();
}

}  // namespace rollcall::sim
