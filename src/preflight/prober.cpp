#include "preflight/prober.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "async/group.hpp"
#include "base/ip.hpp"
#include "call/call_scope.hpp"
#include "call/rules/refused_connection.hpp"
#include "preflight/flow.hpp"
#include "preflight/rules/probe_path.hpp"
#include "preflight/rules/probed_places.hpp"
#include "preflight/wire/preflight_documents.hpp"

namespace rollcall::preflight {
namespace {

// The first packet of a connection is repeated after 1 s: less would call one lost packet a firewall.
constexpr Duration patience_to_connect = std::chrono::milliseconds(1500);
constexpr Duration patience_for_answer = std::chrono::seconds(3);
// A slow link, shared by all, is not a black hole.
constexpr Duration patience_for_large = std::chrono::seconds(4);
constexpr std::size_t clock_exchanges = 8;
constexpr std::size_t few_exchanges = 2;  // where very many ask
constexpr std::size_t few_at_once = 32;
// Where several large messages have not arrived, further ones wait less: else those of a black hole wait in turn. Those of smaller packets
// do, too: what passes, passes sooner than what did not.
constexpr Duration short_patience_for_large = std::chrono::milliseconds(1500);
constexpr std::size_t max_repeated = 64;
// Payloads of packets, of which some pass where the whole size does not; the largest ones that a path usually has are there.
constexpr std::array<int, 9> segment_sizes = {8900, 4000, 1460, 1440, 1410, 1390, 1360, 1320, 1200};
constexpr std::size_t max_sized = 4;  // others have seen the same
constexpr std::size_t patient_losses = 4;  // in the first round

ProbeResult result_of(const Failure& failure) {
  switch (failure.code()) {
    case Errc::unknown_host:
    case Errc::resolve_timeout: return ProbeResult::unknown_name;
    case Errc::connect_timeout: return ProbeResult::timed_out;
    case Errc::response_timeout:
    case Errc::deadline_exceeded: return ProbeResult::silent;
    case Errc::unreachable:
      if (has_host_refused(failure)) return ProbeResult::refused;
      return failure.phase() == Phase::connect ? ProbeResult::no_route : ProbeResult::silent;
    case Errc::limit_exceeded: return ProbeResult::shortage;
    case Errc::unauthenticated: return ProbeResult::other_secret;
    case Errc::failed_precondition: return ProbeResult::other_list;
    default: return ProbeResult::other_program;
  }
}

// A member that reaches no other waits for all of them.
std::size_t at_once_of(std::size_t places) { return std::max(few_at_once, places / 8); }

bool is_asked_again(ProbeResult result) { return result != ProbeResult::ok && result != ProbeResult::untested; }

}  // namespace

meeting::MemberRequest Prober::request_to(std::size_t place, std::string_view kind, std::size_t bytes) const {
  meeting::MemberRequest request;
  request.to = place;
  request.at = tasks_[place].address;
  request.path = probe_path(run_, kind, place, own_);
  request.body.assign(bytes, 'x');
  request.what = fmt::format("{} of the preflight", tasks_[place].name);
  request.connect_patience = patience_to_connect;
  request.resolve_patience = patience_for_answer;
  request.patience = kind == "out" || kind == "in" ? patience_for_large : patience_for_answer;
  return request;
}

asio::awaitable<Result<HttpResponse>> Prober::send(Call& call, std::size_t place, std::string_view kind, std::size_t bytes,
                                                   int max_segment) {
  meeting::MemberRequest request = request_to(place, kind, bytes);
  const bool is_large = kind == "out" || kind == "in" || kind == "both";
  if (is_large && (patient_ == 0 || max_segment > 0)) request.patience = std::min(request.patience, short_patience_for_large);
  request.max_segment = max_segment;
  co_return co_await caller_.ask(call, request);
}

asio::awaitable<Result<void>> Prober::measure(Call& call, std::size_t place, std::int64_t order) {
  meeting::MemberRequest asked = request_to(place, "flow", 0);
  asked.body = std::to_string(order);
  Result<ApiRequest> request = co_await caller_.prepare(call, asked);
  if (!request && request.error().code() == Errc::cancelled) co_return request.error();
  if (!request) co_return Result<void>();
  Result<BandwidthMeasure> measure = co_await receive_flow(call, std::move(*request));
  if (!measure && measure.error().code() == Errc::cancelled) co_return measure.error();
  if (!measure) co_return Result<void>();  // that it is not known says enough
  measure->from = static_cast<int>(place);
  measure->order = order;
  measures_.push_back(*measure);
  co_return Result<void>();
}

void Prober::note(std::size_t place, ProbeDetail detail) {
  detail.to = static_cast<int>(place);
  std::erase_if(details_, [&](const ProbeDetail& known) { return known.to == detail.to; });
  details_.push_back(std::move(detail));
}

void Prober::note_loss(ProbeResult result) noexcept {
  if (result == ProbeResult::silent && patient_ > 0) --patient_;
}

ProbeResult Prober::result_of_answer(std::size_t place, std::string_view body) {
  const Result<ProbeAnswer> answer = read_probe_answer(body);
  if (!answer) return ProbeResult::other_program;
  if (answer->run != run_) return ProbeResult::other_list;
  if (answer->place == static_cast<int>(place)) return ProbeResult::ok;
  ProbeDetail detail;
  detail.answered_by = answer->place < static_cast<int>(tasks_.size()) ? answer->place : -1;
  note(place, std::move(detail));
  return ProbeResult::other_member;
}

// Nearly all ways are fine, which one exchange of two large messages shows.
asio::awaitable<Result<void>> Prober::probe(Call& call, std::size_t place) {
  const Result<HttpResponse> answer = co_await send(call, place, "both", large_message_bytes);
  if (!answer && answer.error().code() == Errc::cancelled) co_return answer.error();
  results_[place] = answer ? result_of_answer(place, answer->body) : result_of(answer.error());
  note_loss(results_[place]);
  co_return Result<void>();
}

// Of a way that is not fine: which message does not pass, and what size does.
asio::awaitable<Result<void>> Prober::probe_closely(Call& call, std::size_t place) {
  const Result<HttpResponse> small = co_await send(call, place, "small", 1);
  if (!small && small.error().code() == Errc::cancelled) co_return small.error();
  results_[place] = small ? result_of_answer(place, small->body) : result_of(small.error());
  if (results_[place] != ProbeResult::ok) co_return Result<void>();
  for (const std::string_view kind : {std::string_view("out"), std::string_view("in")}) {
    const Result<HttpResponse> large = co_await send(call, place, kind, kind == "out" ? large_message_bytes : 1);
    if (large) continue;
    if (large.error().code() == Errc::cancelled) co_return large.error();
    const ProbeResult why = result_of(large.error());
    note_loss(why);
    if (why == ProbeResult::silent && sized_ < max_sized) {
      ++sized_;
      const Result<void> found = co_await find_size(call, place, kind);
      if (!found) co_return found;
    }
    results_[place] = why != ProbeResult::silent ? why : kind == "out" ? ProbeResult::large_out : ProbeResult::large_in;
    co_return Result<void>();
  }
  co_return Result<void>();
}

// Sizes that may pass, side by side, and not beside the whole size: where many probe one host of a slow link, that would fill it. Where no
// smaller one passes, none is too large, or a smaller one than the largest does not pass, the way is only slow.
asio::awaitable<Result<void>> Prober::find_size(Call& call, std::size_t place, std::string_view kind) {
  std::array<bool, segment_sizes.size()> has_passed{};
  const std::size_t bytes = kind == "out" ? large_message_bytes : 1;
  std::function<asio::awaitable<Result<void>>(std::size_t)> one = [this, &call, &has_passed, place, kind, bytes](std::size_t i) {
    return try_size(call, place, kind, bytes, segment_sizes[i], has_passed[i]);
  };
  const Result<void> tried = co_await join_bounded(segment_sizes.size(), segment_sizes.size(), std::move(one));
  if (!tried) co_return tried;
  const auto largest = std::find(has_passed.begin(), has_passed.end(), true);
  const bool passes_below = largest != has_passed.end() && std::find(largest, has_passed.end(), false) == has_passed.end();
  if (largest == has_passed.begin() || !passes_below) co_return Result<void>();
  const std::string& host = tasks_[place].address.host;
  const int headers = host.find(':') == std::string::npos ? 40 : 60;  // of IP and TCP
  ProbeDetail detail;
  detail.large_bytes = segment_sizes[static_cast<std::size_t>(largest - has_passed.begin())] + headers;
  note(place, std::move(detail));
  co_return Result<void>();
}

asio::awaitable<Result<void>> Prober::try_size(Call& call, std::size_t place, std::string_view kind, std::size_t bytes, int max_segment,
                                               bool& has_passed) {
  const Result<HttpResponse> answer = co_await send(call, place, kind, bytes, max_segment);
  if (!answer && answer.error().code() == Errc::cancelled) co_return answer.error();
  has_passed = answer.has_value();
  co_return Result<void>();
}

asio::awaitable<Result<void>> Prober::read_clocks(Call& call, std::vector<std::size_t> places) {
  // With very many members not all can be probed, and an answer is a try.
  std::erase_if(places, [this](std::size_t place) {
    const bool is_read = std::any_of(clocks_.begin(), clocks_.end(),
                                     [place](const ClockReading& reading) { return reading.against == static_cast<int>(place); });
    return is_read || place == own_ || (results_[place] != ProbeResult::ok && results_[place] != ProbeResult::untested);
  });
  std::function<asio::awaitable<Result<void>>(std::size_t)> one = [this, &call, &places](std::size_t i) {
    return read_clock(call, places[i]);
  };
  co_return co_await join_bounded(places.size(), places.size(), std::move(one));
}

// Of several exchanges the one with the least round trip knows best.
asio::awaitable<Result<void>> Prober::read_clock(Call& call, std::size_t place) {
  const TimeSource& time = *impl_of(call).time;
  const std::size_t exchanges = tasks_.size() > max_probed_by_all ? few_exchanges : clock_exchanges;
  std::optional<ClockReading> best;
  for (std::size_t i = 0; i < exchanges; ++i) {
    const WallTime wall = time.wall_now();
    const SteadyTime asked = time.now();
    const Result<HttpResponse> response = co_await send(call, place, "clock", 1);
    if (!response && response.error().code() == Errc::cancelled) co_return response.error();
    if (!response) break;
    const Duration took = time.now() - asked;
    const Result<ProbeAnswer> answer = read_probe_answer(response->body);
    if (!answer || answer->run != run_ || answer->place != static_cast<int>(place) || answer->clock_us == 0) break;
    ClockReading reading;
    reading.against = static_cast<int>(place);
    reading.round_trip_us = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
    reading.ahead_us = microseconds_of(wall + took / 2) - answer->clock_us;
    if (!best || reading.round_trip_us < best->round_trip_us) best = reading;
  }
  if (best) clocks_.push_back(*best);
  co_return Result<void>();
}

asio::awaitable<Result<void>> Prober::probe_some(Call& call, std::vector<std::size_t> places, std::size_t at_once, Probe how,
                                                 std::function<void(std::size_t)> on_progress) {
  std::size_t done = 0;
  std::function<asio::awaitable<Result<void>>(std::size_t)> one = [this, &call, &places, &done, &on_progress, how](std::size_t i) {
    if (on_progress) on_progress(done++);
    return (this->*how)(call, places[i]);
  };
  co_return co_await join_bounded(places.size(), at_once, std::move(one));
}

asio::awaitable<Result<void>> Prober::probe_all(Call& call, std::function<void(std::size_t)> on_progress) {
  std::vector<std::size_t> places = places_to_probe(tasks_.size(), own_, run_);
  const std::size_t at_once = at_once_of(places.size());
  patient_ = patient_losses;
  const Result<void> probed = co_await probe_some(call, places, at_once, &Prober::probe, std::move(on_progress));
  if (!probed) co_return probed;
  // A packet may be lost while all probe at once. Of silence it must be known what it means; many other failures have another cause.
  std::erase_if(places, [this](std::size_t place) { return !is_asked_again(results_[place]); });
  const auto others =
      std::partition(places.begin(), places.end(), [this](std::size_t place) { return results_[place] == ProbeResult::silent; });
  if (places.end() - others > static_cast<std::ptrdiff_t>(max_repeated)) places.erase(others + max_repeated, places.end());
  patient_ = max_repeated;
  std::function<void(std::size_t)> without_progress;
  co_return co_await probe_some(call, places, std::max(max_repeated, at_once), &Prober::probe_closely, std::move(without_progress));
}

asio::awaitable<Result<void>> Prober::probe_again(Call& call, std::vector<std::size_t> places) {
  std::vector<std::size_t> absent = places_to_probe(tasks_.size(), own_, run_);
  const std::size_t at_once = at_once_of(absent.size());
  std::erase_if(absent, [this](std::size_t place) { return !is_of_the_absent(results_[place]); });
  std::function<void(std::size_t)> without_progress;
  const Result<void> probed = co_await probe_some(call, std::move(absent), at_once, &Prober::probe_closely, std::move(without_progress));
  if (!probed) co_return probed;
  co_return co_await read_clocks(call, std::move(places));
}

}  // namespace rollcall::preflight
