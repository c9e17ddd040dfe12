#include "command/session/asking.hpp"

#include <fmt/format.h>

#include "command/session/wire/message.hpp"
#include "rollcall/kubernetes_resolver.hpp"

namespace rollcall::serve {

CallOptions Asking::call_options(const Question& question) const {
  CallOptions options;
  options.timeout(question.timeout);
  options.with(TpuCallOptions().lookup(question.lookup).count_from(question.count_from).device_query(question.device_query));
  options.with(PodCallOptions().knows_number(question.members > 0));
  if (arguments().retries) options.retry(RetryPolicy().max_retries(*arguments().retries));
  return options;
}

std::vector<command::ListedTarget> Asking::listed(const Question& question) {
  std::vector<command::ListedTarget> targets;
  targets.reserve(question.targets.size());
  for (const std::string& text : question.targets) targets.emplace_back(text, std::string());
  return targets;
}

Result<std::shared_ptr<ClusterResolver>> Asking::make_cluster(const Question& question) const {
  return command::make_together(runtime(), listed(question), arguments());
}

asio::awaitable<Result<void>> Asking::turn() {
  const bool has_room = co_await shared_->outbox.until_turn_to_answer();
  if (has_room) co_return Result<void>();
  co_return Failure(Errc::cancelled, "cancelled while the client did not read");
}

void Asking::progress(std::string json, bool is_sent) {
  if (is_sent) shared_->outbox.offer(request_->slot, event_line("progress", fmt::format("\"id\":{},\"progress\":{}", request_->id, json)));
  request_->progress = std::move(json);
}

asio::awaitable<bool> Asking::send_event(std::string_view method, std::string members) {
  while (request_->window == std::size_t{0}) {
    const bool is_wider = co_await request_->widened.wait();
    if (!is_wider) co_return false;
  }
  const bool has_room = co_await shared_->outbox.until_room_for_events();
  if (!has_room) co_return false;
  if (request_->window) --*request_->window;
  shared_->outbox.put(event_line(method, fmt::format("\"id\":{}{}", request_->id, members)));
  co_return true;
}

}  // namespace rollcall::serve
