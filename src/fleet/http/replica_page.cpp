// /v1/replica: the stream that other replicas of the service follow while this one leads, and what they want to hear of.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "fleet/entry/rights_watch.hpp"
#include "fleet/http/cluster_stream.hpp"
#include "fleet/http/pages.hpp"
#include "fleet/http/replies.hpp"
#include "fleet/replica_desk.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t max_replica_id = 128;

Failure not_joined() {
  return Failure(Errc::permission_denied, "this client may not follow the service as one of its replicas")
      .with_hint("the service's operator grants that: replica: true");
}

// What both paths refuse in the same way.
std::optional<Refusal> refusal_of_replica(ServiceEntry& entry, const Client& client) {
  if (!entry.admission().may_join(client)) return Refusal(403, not_joined());
  const ReplicaDesk* const desk = entry.fleet().replica_desk();
  if (!desk) {
    return Refusal(404, Failure(Errc::not_found, "this service is alone: its settings have no lease that replicas could share")
                            .with_hint("give all of them the same lease"));
  }
  const Result<void> leads = desk->check_leads();
  if (!leads) return Refusal(503, leads.error());
  if (entry.is_closing()) return Refusal(503, Failure(Errc::unavailable, "this server stops").with_hint("another replica leads soon"));
  return std::nullopt;
}

class ExchangeLine final : public ReplicaLine {
 public:
  ExchangeLine(ServiceEntry& entry, ServerExchange& exchange, const Client& client)
      : entry_(entry), exchange_(exchange), client_(client), rights_(entry.admission()), watch_(exchange, news) {}
  asio::awaitable<bool> write(std::string events) override {
    entry_.numbers().add_bytes(events.size());
    co_return co_await exchange_.write_chunk(events);
  }
  asio::awaitable<bool> wait_writable() override { return exchange_.wait_writable(); }
  bool is_over() const override {
    const bool has_lost_right = rights_.is_outdated(entry_.admission(), client_) &&
                                (entry_.admission().is_proof_over(client_) || !entry_.admission().may_join(client_));
    return exchange_.is_closed() || entry_.is_closing() || has_lost_right;
  }

 private:
  ServiceEntry& entry_;
  ServerExchange& exchange_;
  const Client& client_;
  RightsWatch rights_;
  ClosedWatch watch_;
};

class ReplicaPage final : public Page {
 public:
  explicit ReplicaPage(ServiceEntry& entry) : entry_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override {
    return send(request.exchange, request.notes, std::move(request.client), request.rest);
  }

 private:
  asio::awaitable<void> send(ServerExchange& exchange, RequestNotes& notes, ClientPtr client, std::string_view query) {
    std::optional<Refusal> refusal = refusal_of_replica(entry_, *client);
    constexpr std::string_view key = "?id=", schema_key = "&schema=";
    query.remove_prefix(query.starts_with(key) ? key.size() : query.size());
    const std::size_t end = std::min(query.find(schema_key), query.size());
    const std::string id(query.substr(0, end));
    query.remove_prefix(end);
    const std::optional<int> schema = query.empty() ? 1 : parse_decimal<int>(query.substr(schema_key.size()));
    const auto is_plain = [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; };
    if (!refusal && (!schema || *schema < 1 || id.empty() || id.size() > max_replica_id || !std::all_of(id.begin(), id.end(), is_plain)))
      refusal = Refusal(400, Failure(Errc::invalid_argument, "the id of the replica or its schema is missing, or is none")
                                 .with_hint("ask for /v1/replica?id=ID&schema=1"));
    if (refusal || is_head(exchange)) {
      if (!refusal) refusal = Refusal(405, Failure(Errc::invalid_argument, "this stream has no HEAD"));
      co_await refuse(entry_, exchange, std::move(*refusal));
      co_return;
    }
    SharedText first = std::make_shared<const std::string>("retry: 1000\n\n");
    const bool is_open = co_await open_event_stream(exchange, std::move(first));
    notes.ended = "client";
    if (!is_open) co_return;
    log_request(entry_, ServedRequest::Kind::stream_started, exchange, notes);
    ExchangeLine line(entry_, exchange, *client);
    co_await entry_.fleet().replica_desk()->feed(id, *schema, line);
    if (exchange.is_closed()) co_return;
    notes.ended = "moved";
    co_await exchange.end_chunks();
  }

  ServiceEntry& entry_;
};

class WantedPage final : public Page {
 public:
  explicit WantedPage(ServiceEntry& entry) : entry_(entry) {}
  asio::awaitable<void> answer(PageRequest request) override { return take(request.exchange, std::move(request.client)); }

 private:
  asio::awaitable<void> take(ServerExchange& exchange, ClientPtr client) {
    std::optional<Refusal> refusal = refusal_of_replica(entry_, *client);
    std::string body;
    if (!refusal) {
      const int fault = co_await exchange.read_body(body);
      if (fault != 0) refusal.emplace(fault, unread_body(fault));
    }
    if (!refusal) refusal = refusal_of_replica(entry_, *client);  // the body may have taken a while
    if (!refusal) {
      const Result<void> taken = entry_.fleet().replica_desk()->take_wanted(body);
      if (!taken) refusal = Refusal(status_of(taken.error()), taken.error());
    }
    if (refusal) {
      co_await refuse(entry_, exchange, std::move(*refusal));
      co_return;
    }
    HttpResponse done;
    done.status = 204;
    co_await exchange.reply(done);
  }

  static int status_of(const Failure& failure) {
    if (failure.code() == Errc::unavailable) return 503;
    if (failure.code() == Errc::failed_precondition) return 409;
    return failure.code() == Errc::limit_exceeded ? 413 : 400;
  }

  ServiceEntry& entry_;
};

}  // namespace

std::unique_ptr<Page> make_replica_page(ServiceEntry& entry) { return std::make_unique<ReplicaPage>(entry); }
std::unique_ptr<Page> make_wanted_page(ServiceEntry& entry) { return std::make_unique<WantedPage>(entry); }

}  // namespace rollcall::fleet
