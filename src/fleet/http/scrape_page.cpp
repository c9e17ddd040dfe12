// /v1/prometheus: the members of clusters, as Prometheus discovers targets (http_sd_configs).
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "async/turns.hpp"
#include "base/text.hpp"
#include "fleet/http/own_answer.hpp"
#include "fleet/http/pages.hpp"
#include "fleet/http/poll_wait.hpp"
#include "fleet/http/rules/scrape_targets.hpp"

namespace rollcall::fleet {
namespace {

// After an answer other than 200 Prometheus keeps its targets. So an unknown target is answered by 503 and not by an empty list.
class ScrapePage final : public Page {
 public:
  explicit ScrapePage(ServiceEntry& entry) : entry_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  using Topics = std::vector<std::shared_ptr<Topic>>;
  asio::awaitable<void> send(ServerExchange& exchange, ClientPtr client, StreamSlotPtr slot, Topics topics,
                             std::optional<std::uint16_t> port, bool are_named);
  std::optional<Refusal> refusal_of(const Topic& topic, const Client& client, bool is_named) const;

  ServiceEntry& entry_;
};

}  // namespace

asio::awaitable<void> ScrapePage::send(ServerExchange& exchange, ClientPtr client, StreamSlotPtr slot, Topics topics,
                                       std::optional<std::uint16_t> port, bool are_named) {
  const StreamSlotPtr taken = std::move(slot);
  // Named targets are followed from now on; a list of all targets keeps none of them alive.
  Topics named;
  if (are_named) named = topics;
  const bool is_there = co_await wait_for_polls(entry_, exchange, std::move(named));
  if (!is_there) co_return;
  for (const std::shared_ptr<Topic>& topic : topics) {
    std::optional<Refusal> refusal = refusal_of(*topic, *client, are_named);
    if (!refusal) continue;
    co_await refuse(entry_, exchange, std::move(*refusal));
    co_return;
  }
  HttpResponse head;
  head.status = 200;
  head.headers.add("Content-Type", "application/json");
  head.headers.add("Cache-Control", "no-cache");
  head.headers.add("Vary", "Accept-Encoding");
  head.headers.add("X-Content-Type-Options", "nosniff");
  if (is_head(exchange)) {
    co_await reply_head(exchange, std::move(head));
    co_return;
  }
  OwnAnswer answer(entry_, exchange, *client, std::move(head));
  answer.text = "[";
  std::size_t steps = 0;
  for (const std::shared_ptr<Topic>& topic : topics) {
    // Sending the topics before may have taken minutes.
    std::optional<Refusal> refusal = refusal_of(*topic, *client, are_named);
    if (refusal) {
      co_await answer.give_up(std::move(*refusal));
      co_return;
    }
    const Result<Target> target = Target::parse(topic->target());
    std::shared_ptr<const ClusterStatus> status;
    if (target && !is_absent(topic->known()) && entry_.admission().may_read(*client, *target)) status = topic->known().status;
    if (!status) continue;
    for (const Member& member : status->members) {
      append_scrape_target(answer.text, *target, member, port);
      if (++steps % steps_a_turn == 0) co_await next_turn();
      bool goes_on = true;
      if (answer.is_long()) goes_on = co_await answer.send_piece();
      if (!goes_on) co_return;
    }
  }
  answer.text += "\n]\n";
  co_await answer.finish();
}

// Set if a list with this topic cannot be answered, by the present rights. A list without a topic that may be read would end its scraping.
std::optional<Refusal> ScrapePage::refusal_of(const Topic& topic, const Client& client, bool is_named) const {
  std::optional<Refusal> refusal = entry_.admission().withdrawn(client, topic.target());
  if (refusal) return is_named || refusal->status != 403 ? refusal : std::nullopt;
  const Known& known = topic.known();
  if (is_absent(known) || known.status || !is_named) return std::nullopt;
  const std::string why = known.failure ? known.failure->what() : known.trouble.empty() ? "it has not been polled yet" : known.trouble;
  refusal.emplace(503, Failure(Errc::unavailable, fmt::format("{}: {}", printable(topic.target()), why)));
  refusal->target = topic.target();
  return refusal;
}

asio::awaitable<void> ScrapePage::answer(PageRequest request) {
  ServerExchange& exchange = request.exchange;
  std::string& asked = request.notes.question;
  Result<ScrapeQuestion> question = ScrapeQuestion::parse(request.rest.substr(std::min<std::size_t>(1, request.rest.size())));
  if (!question) return refuse(entry_, exchange, Refusal(400, question.error()));
  StreamSlotPtr slot;
  std::optional<Refusal> refusal = entry_.admission().acquire_slot(request.client, slot);
  if (refusal) return refuse(entry_, exchange, std::move(*refusal));
  Topics topics;
  for (const Target& target : question->targets) {
    refusal = entry_.topics().refusal_of(target, *request.client);
    if (refusal) return refuse(entry_, exchange, std::move(*refusal));
    Result<std::shared_ptr<Topic>> topic = entry_.topics().find(target, *request.client);
    if (!topic) return refuse(entry_, exchange, TopicLookup::refusal_of_failure(target, topic.error()));
    if (std::find(topics.begin(), topics.end(), *topic) != topics.end()) continue;  // another spelling of the same target
    if (entry_.logs_requests()) asked += fmt::format("{}target={}", asked.empty() ? '?' : '&', target.to_text());
    topics.push_back(std::move(*topic));
  }
  const bool are_named = !topics.empty();
  if (!are_named) {
    topics = entry_.fleet().topics();
    std::erase_if(topics, [](const std::shared_ptr<Topic>& topic) { return !topic->is_followed(); });
  }
  return send(exchange, std::move(request.client), std::move(slot), std::move(topics), question->port, are_named);
}

std::unique_ptr<Page> make_scrape_page(ServiceEntry& entry) { return std::make_unique<ScrapePage>(entry); }

}  // namespace rollcall::fleet
