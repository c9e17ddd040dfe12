#include "preflight/prober.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "async/group.hpp"
#include "call/rules/refused_connection.hpp"
#include "preflight/wire/preflight_documents.hpp"

namespace rollcall::preflight {
namespace {

// The first packet of a connection is repeated after 1 s: less would call one lost packet a firewall.
constexpr Duration patience_to_connect = std::chrono::milliseconds(1500);
constexpr Duration patience_for_answer = std::chrono::seconds(3);
// A slow link, shared by all, is not a black hole.
constexpr Duration patience_for_large = std::chrono::seconds(4);
constexpr std::size_t few_at_once = 32;
constexpr std::size_t repeated_at_once = 16;
constexpr std::size_t max_repeated = 64;
constexpr int smallest_path = 1280;  // bytes of a packet: a small message with its headers fits

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

bool is_asked_again(ProbeResult result) { return result != ProbeResult::ok && result != ProbeResult::untested; }

}  // namespace

std::string probe_path(std::string_view run, std::string_view kind, std::size_t place, std::size_t from) {
  return fmt::format("/v1/preflight/{}/{}/{}/{}", run, kind, place, from);
}

asio::awaitable<Result<HttpResponse>> Prober::send(Call& call, std::size_t place, std::string_view kind, std::size_t bytes) {
  meeting::MemberRequest request;
  request.to = place;
  request.at = tasks_[place].address;
  request.path = probe_path(run_, kind, place, own_);
  request.body.assign(bytes, 'x');
  request.what = fmt::format("{} of the preflight", tasks_[place].name);
  request.connect_patience = patience_to_connect;
  request.resolve_patience = patience_for_answer;
  request.patience = kind == "small" ? patience_for_answer : patience_for_large;
  co_return co_await caller_.ask(call, request);
}

void Prober::note(std::size_t place, ProbeDetail detail) {
  detail.to = static_cast<int>(place);
  std::erase_if(details_, [&](const ProbeDetail& known) { return known.to == detail.to; });
  details_.push_back(std::move(detail));
}

asio::awaitable<Result<void>> Prober::probe(Call& call, std::size_t place) {
  const Result<HttpResponse> small = co_await send(call, place, "small", 1);
  if (!small) {
    if (small.error().code() == Errc::cancelled) co_return small.error();
    results_[place] = result_of(small.error());
    co_return Result<void>();
  }
  const Result<ProbeAnswer> answer = read_probe_answer(small->body);
  if (!answer) {
    results_[place] = ProbeResult::other_program;
    co_return Result<void>();
  }
  if (answer->run != run_) {
    results_[place] = ProbeResult::other_list;
    co_return Result<void>();
  }
  if (answer->place != static_cast<int>(place)) {
    ProbeDetail detail;
    detail.answered_by = answer->place < static_cast<int>(tasks_.size()) ? answer->place : -1;
    note(place, std::move(detail));
    results_[place] = ProbeResult::other_member;
    co_return Result<void>();
  }
  for (const std::string_view kind : {std::string_view("out"), std::string_view("in")}) {
    const Result<HttpResponse> large = co_await send(call, place, kind, kind == "out" ? large_message_bytes : 1);
    if (large) continue;
    if (large.error().code() == Errc::cancelled) co_return large.error();
    const ProbeResult why = result_of(large.error());
    if (why == ProbeResult::silent) {
      ProbeDetail detail;
      detail.large_bytes = smallest_path;  // the small message passed
      note(place, std::move(detail));
    }
    results_[place] = why != ProbeResult::silent ? why : kind == "out" ? ProbeResult::large_out : ProbeResult::large_in;
    co_return Result<void>();
  }
  results_[place] = ProbeResult::ok;
  co_return Result<void>();
}

asio::awaitable<Result<void>> Prober::probe_some(Call& call, std::vector<std::size_t> places, std::size_t at_once,
                                                 std::function<void(std::size_t)> on_progress) {
  std::size_t done = 0;
  std::function<asio::awaitable<Result<void>>(std::size_t)> one = [this, &call, &places](std::size_t i) { return probe(call, places[i]); };
  std::function<asio::awaitable<Result<void>>(std::size_t)> counted = [&one, &done, &on_progress](std::size_t i) {
    if (on_progress) on_progress(done++);
    return one(i);
  };
  co_return co_await join_bounded(places.size(), at_once, std::move(counted));
}

asio::awaitable<Result<void>> Prober::probe_all(Call& call, std::function<void(std::size_t)> on_progress) {
  std::vector<std::size_t> places;
  // From its own place on, so that not all begin with the same one.
  for (std::size_t i = 1; i < tasks_.size(); ++i) places.push_back((own_ + i) % tasks_.size());
  // A member that reaches no other waits for all of them.
  const std::size_t at_once = std::max(few_at_once, places.size() / 8);
  const Result<void> probed = co_await probe_some(call, places, at_once, std::move(on_progress));
  if (!probed) co_return probed;
  // A packet may be lost while all probe at once. Many failures have another cause.
  std::erase_if(places, [this](std::size_t place) { return !is_asked_again(results_[place]); });
  if (places.size() > max_repeated) places.resize(max_repeated);
  std::function<void(std::size_t)> without_progress;
  co_return co_await probe_some(call, places, repeated_at_once, std::move(without_progress));
}

}  // namespace rollcall::preflight
