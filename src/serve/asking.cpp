#include "serve/asking.hpp"

#include <fmt/format.h>

#include "serve/wire/message.hpp"

namespace rollcall::serve {

CallOptions Asking::call_options(const Question& question) const {
  CallOptions options;
  options.timeout(question.timeout).tpu_lookup(question.lookup).count_from(question.count_from).device_query(question.device_query);
  if (arguments().retries) options.retry(RetryPolicy().max_retries(*arguments().retries));
  return options;
}

Result<std::shared_ptr<ClusterResolver>> Asking::make_cluster(const Question& question) const {
  std::vector<tools::ListedTarget> targets;
  targets.reserve(question.targets.size());
  for (const std::string& text : question.targets) targets.emplace_back(text, std::string());
  return tools::make_together(runtime(), targets, arguments());
}

void Asking::progress(std::string json, bool is_told) {
  if (is_told) shared_->outbox.offer(request_->slot, event_line("progress", fmt::format("\"id\":{},\"progress\":{}", request_->id, json)));
  request_->progress = std::move(json);
}

asio::awaitable<bool> Asking::tell(std::string_view method, std::string members) {
  const bool has_room = co_await shared_->outbox.until_room_for_events();
  if (!has_room) co_return false;
  shared_->outbox.put(event_line(method, fmt::format("\"id\":{}{}", request_->id, members)));
  co_return true;
}

}  // namespace rollcall::serve
