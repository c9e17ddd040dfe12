#include "sim/replay/replay.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/saturating.hpp"
#include "base/text.hpp"
#include "sim/wire/recorded_key.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {
namespace {

// Of the exchanges that are asked for alike: the first that was not replayed yet, else the last.
std::optional<std::size_t> next_of(const std::map<std::string, std::vector<std::size_t>, std::less<>>& all, const std::string& key,
                                   const std::vector<bool>& replayed) {
  const auto found = all.find(key);
  if (found == all.end()) return std::nullopt;
  const std::vector<std::size_t>& numbers = found->second;
  const auto next = std::find_if(numbers.begin(), numbers.end(), [&](std::size_t number) { return !replayed[number]; });
  return next == numbers.end() ? numbers.back() : *next;
}

std::optional<std::size_t> find_exchange(const Context& context, const Request& request, const ParsedTarget& target) {
  const RecordedModel& recorded = *context.model.recorded;
  std::vector<bool>& replayed = context.state.replayed;
  replayed.resize(recorded.exchanges.size());
  std::optional<std::size_t> number = next_of(recorded.by_key, recorded_key(request.method, target, false), replayed);
  if (!number) number = next_of(recorded.by_loose_key, recorded_key(request.method, target, true), replayed);
  if (number) replayed[*number] = true;
  return number;
}

Reply not_recorded(const Context& context, const Request& request, const Route& route, const ParsedTarget& target) {
  const std::string what = fmt::format("the recording has no answer to {} {} (it has {} exchanges)", printable(request.method, 16),
                                       printable(request.target, 512), context.model.recorded->exchanges.size());
  if (route.service == Service::metadata) {
    Reply reply;
    reply.status = 404;
    reply.headers.add("Content-Type", "text/plain; charset=UTF-8");
    reply.headers.add("Metadata-Flavor", "Google");
    reply.body = what + "\n";
    return reply;
  }
  if (!is_kube_path(target.path)) return google_error(501, what);
  const json::object status{{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", json::object()},
                            {"status", "Failure"}, {"message", what},    {"reason", "NotImplemented"},
                            {"code", 501}};
  Reply reply;
  reply.status = 501;
  reply.headers.add("Content-Type", "application/json");
  reply.body = json::serialize(status);
  return reply;
}

Reply head_of(const RecordedExchange& exchange) {
  Reply reply;
  reply.status = exchange.status;
  for (const auto& [name, value] : exchange.headers) reply.headers.add(name, value);
  return reply;
}

// The lines that are due, and when the next one is.
Reply stream_on(const RecordedExchange& exchange, Held held, SteadyTime now) {
  Reply reply = head_of(exchange);
  reply.is_chunked = true;
  const Duration since = now - held.since;
  std::size_t line = static_cast<std::size_t>(held.version);
  for (; line < exchange.lines.size() && exchange.lines[line].at <= since; ++line) {
    const std::string& text = exchange.lines[line].text;
    reply.body.append(text).append(1, '\n');
    reply.chunks.push_back(text.size() + 1);
  }
  const bool has_line = line < exchange.lines.size();
  if (!has_line && exchange.ended && *exchange.ended <= since) return reply;
  held.version = line;
  held.is_streaming = true;
  held.ask_again = SteadyTime::max();  // the recording ended before the stream did
  if (has_line) {
    held.ask_again = saturating_sum(held.since, exchange.lines[line].at);
  } else if (exchange.ended) {
    held.ask_again = saturating_sum(held.since, *exchange.ended);
  }
  reply.more = std::move(held);
  return reply;
}

}  // namespace

std::optional<Reply> replay(const Context& context, const Request& request, const Route& route, const ParsedTarget& target,
                            SteadyTime now) {
  const RecordedModel& recorded = *context.model.recorded;
  if (request.held && request.held->is_streaming && request.held->first_version < recorded.exchanges.size())
    return stream_on(recorded.exchanges[static_cast<std::size_t>(request.held->first_version)], *request.held, now);
  const bool is_sign_in =
      route.name == "token" || route.service == Service::oauth || route.service == Service::iam || route.service == Service::imds;
  const std::optional<std::size_t> number = is_sign_in ? std::nullopt : find_exchange(context, request, target);
  if (is_sign_in) return std::nullopt;
  if (!number) return not_recorded(context, request, route, target);
  const RecordedExchange& exchange = recorded.exchanges[*number];
  Reply reply;
  if (exchange.status == 0) {
    reply.fault.kind = exchange.failure.empty() ? FaultKind::stall : FaultKind::reset;
    return reply;
  }
  if (exchange.is_stream) {
    Held held;
    held.since = now;
    held.first_version = *number;
    reply = stream_on(exchange, std::move(held), now);
  } else {
    reply = head_of(exchange);
    reply.body = exchange.body;
  }
  reply.delay = exchange.took;
  return reply;
}

}  // namespace rollcall::sim
