// /v1/clusters/TARGET: parses the question, finds its group, and has it answered once or as a stream.
#include <utility>

#include "fleet/entry/rules/request_rules.hpp"
#include "fleet/http/cluster_answer.hpp"
#include "fleet/http/cluster_stream.hpp"
#include "fleet/http/pages.hpp"
#include "fleet/http/replies.hpp"

namespace rollcall::fleet {
namespace {

class ClusterPage final : public Page {
 public:
  explicit ClusterPage(ServiceEntry& entry) : entry_(entry), answer_(entry), stream_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override;

 private:
  ServiceEntry& entry_;
  ClusterAnswer answer_;
  ClusterStream stream_;
};

}  // namespace

// Not a coroutine: its frame would stay for as long as a stream.
asio::awaitable<void> ClusterPage::answer(PageRequest page) {
  ServerExchange& exchange = page.exchange;
  const ServerRequest& request = exchange.request();
  Result<FleetQuestion> question = FleetQuestion::parse(page.rest);
  if (!question) return refuse(entry_, exchange, Refusal(400, question.error()));
  if (entry_.logs_requests()) {
    page.notes.question = question->to_text();
    page.notes.target = question->target.to_text();
  }
  const bool is_stream = request.method == "GET" && takes_events(joined_field(request.headers, "Accept"));
  if (is_stream && question->view == View::history) {
    Failure why(Errc::invalid_argument, "view=history has no stream");
    return refuse(entry_, exchange, Refusal(406, std::move(why).with_hint("ask for it as application/json")));
  }
  std::optional<Refusal> refusal = entry_.topics().refusal_of(question->target, *page.client);
  if (refusal) return refuse(entry_, exchange, std::move(*refusal));
  if (is_stream && entry_.is_closing()) {
    return refuse(entry_, exchange, Refusal(503, Failure(Errc::unavailable, "this server stops").with_hint("another one goes on")));
  }
  StreamSlotPtr slot;
  refusal = entry_.admission().acquire_slot(page.client, slot);
  if (refusal) return refuse(entry_, exchange, std::move(*refusal));
  Result<std::shared_ptr<Topic>> topic = entry_.topics().find(question->target, *page.client);
  if (!topic) return refuse(entry_, exchange, TopicLookup::refusal_of_failure(question->target, topic.error()));
  std::shared_ptr<ViewGroup> group = entry_.groups().group_of(std::move(*topic), *question, *page.client);
  if (!group) {
    Failure why(Errc::limit_exceeded, "the limit of uncommon questions about this target is reached, for all clients or for this one");
    return refuse(entry_, exchange, Refusal(429, std::move(why).with_hint("ask with the same view, until and members as others do")));
  }
  if (!is_stream) return answer_.send(exchange, std::move(page.client), std::move(slot), std::move(group), std::move(*question));
  return stream_.send(exchange, page.notes, std::move(page.client), std::move(slot), std::move(group), std::move(question->self));
}

std::unique_ptr<Page> make_cluster_page(ServiceEntry& entry) { return std::make_unique<ClusterPage>(entry); }

}  // namespace rollcall::fleet
