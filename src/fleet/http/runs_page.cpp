// /v1/runs: the barriers whose tasks meet at the service: their hellos, and who is there.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/at_end.hpp"
#include "base/text.hpp"
#include "fleet/http/own_answer.hpp"
#include "fleet/http/pages.hpp"
#include "fleet/http/replies.hpp"
#include "fleet/replica_desk.hpp"

namespace rollcall::fleet {
namespace {

constexpr std::size_t run_digits = 16;

std::optional<Refusal> refusal_of_barrier(ServiceEntry& entry, const Client& client) {
  if (!entry.admission().may_meet(client)) {
    return Refusal(403, Failure(Errc::permission_denied, "this client may not wait at a barrier of the service")
                            .with_hint("the service's operator grants that: barrier: true"));
  }
  // One replica alone keeps the rolls.
  const ReplicaDesk* const desk = entry.fleet().replica_desk();
  const Result<void> leads = desk ? desk->check_leads() : Result<void>();
  if (!leads) return Refusal(503, leads.error());
  if (entry.is_closing()) return Refusal(503, Failure(Errc::unavailable, "this server stops").with_hint("ask it again soon"));
  return std::nullopt;
}

Refusal refusal_of_hello(Failure failure) {
  const int status = failure.code() == Errc::limit_exceeded ? 503 : failure.code() == Errc::failed_precondition ? 409 : 400;
  return Refusal(status, std::move(failure));
}

// A hello, and whose it is.
class PlacedHello {
 public:
  PlacedHello() {}
  std::string run;
  std::size_t task = 0;
  meeting::Hello hello;
};

// `rest`: RUN/members/3
Result<PlacedHello> read_placed(std::string_view rest, std::string_view body) {
  constexpr std::string_view members = "/members/";
  const std::string_view run = rest.substr(0, run_digits);
  const bool is_run = run.size() == run_digits && run.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  const std::string_view behind = rest.substr(run.size());
  const auto task = behind.starts_with(members) ? parse_decimal<std::size_t>(behind.substr(members.size()), 0, std::size_t{1} << 30)
                                                : std::optional<std::size_t>();
  if (!is_run || !task)
    return Failure(Errc::invalid_argument, fmt::format("{} is no member of a run", quoted(rest, 80))).with_hint("RUN/members/NUMBER");
  Result<meeting::Hello> hello = meeting::read_hello(body);
  if (!hello) return Failure(Errc::invalid_argument, hello.error().what());
  PlacedHello placed;
  placed.run = run;
  placed.task = *task;
  placed.hello = std::move(*hello);
  return placed;
}

class HelloPage final : public Page {
 public:
  HelloPage(ServiceEntry& entry, std::shared_ptr<RunDesk> desk) : entry_(entry), desk_(std::move(desk)) {}
  asio::awaitable<void> answer(PageRequest request) override { return hear(request.exchange, std::move(request.client), request.rest); }

 private:
  asio::awaitable<void> hear(ServerExchange& exchange, ClientPtr client, std::string_view rest) {
    std::optional<Refusal> refusal = refusal_of_barrier(entry_, *client);
    std::string body;
    if (!refusal) {
      const int fault = co_await exchange.read_body(body);
      if (fault != 0) refusal.emplace(fault, unread_body(fault));
    }
    if (!refusal) refusal = refusal_of_barrier(entry_, *client);  // the body may have taken a while
    PlacedHello placed;
    std::shared_ptr<meeting::RollKeeper> roll;
    if (!refusal) refusal = take(rest, body, *client, exchange.request().peer, placed, roll);
    if (refusal) {
      co_await refuse(entry_, exchange, std::move(*refusal));
      co_return;
    }
    // Tasks of one host are one client: the bound of a client's streams is not for them.
    if (!desk_->waiting().enter(client->peer_key)) {
      co_await refuse(entry_, exchange, lack_of_room());
      co_return;
    }
    const AtEnd leave([this, &client] { desk_->waiting().leave(client->peer_key); });
    co_await roll->answer(placed.task, placed.hello, exchange);
  }

  // Puts the hello on its roll.
  std::optional<Refusal> take(std::string_view rest, std::string_view body, const Client& client, const std::string& peer,
                              PlacedHello& placed, std::shared_ptr<meeting::RollKeeper>& roll) {
    Result<PlacedHello> read = read_placed(rest, body);
    if (!read) return refusal_of_hello(read.error());
    placed = std::move(*read);
    const Result<std::shared_ptr<Run>> run = desk_->find_or_begin(placed.run, placed.hello.tasks, client.peer_key);
    if (!run) return refusal_of_hello(run.error());
    if (placed.task >= (*run)->size())
      return refusal_of_hello(Failure(Errc::invalid_argument, fmt::format("the run has {} tasks", (*run)->size())));
    roll = (*run)->roll_for(placed.task, placed.hello);
    if (roll->hear(placed.task, placed.hello, peer) == meeting::Roll::Heard::kept) return std::nullopt;
    return Refusal(409, Failure(Errc::conflict, roll->roll().place_of(placed.task)));
  }

  ServiceEntry& entry_;
  std::shared_ptr<RunDesk> desk_;
};

class RunsPage final : public Page {
 public:
  RunsPage(ServiceEntry& entry, std::shared_ptr<RunDesk> desk) : entry_(entry), desk_(std::move(desk)) {}
  asio::awaitable<void> answer(PageRequest request) override {
    std::optional<Refusal> refusal = refusal_of_barrier(entry_, *request.client);
    if (refusal) return refuse(entry_, request.exchange, std::move(*refusal));
    HttpResponse head;
    head.status = 200;
    head.headers.add("Content-Type", "application/json");
    head.headers.add("Cache-Control", "no-store");
    head.headers.add("X-Content-Type-Options", "nosniff");
    if (is_head(request.exchange)) return reply_head(request.exchange, std::move(head));
    return send(request.exchange, std::move(request.client), std::move(head));
  }

 private:
  asio::awaitable<void> send(ServerExchange& exchange, ClientPtr client, HttpResponse head) {
    co_await reply_own(entry_, exchange, *client, std::move(head), meeting::write_runs(desk_->lines()));
  }

  ServiceEntry& entry_;
  std::shared_ptr<RunDesk> desk_;
};

}  // namespace

std::unique_ptr<Page> make_runs_page(ServiceEntry& entry, std::shared_ptr<RunDesk> desk) {
  return std::make_unique<RunsPage>(entry, std::move(desk));
}
std::unique_ptr<Page> make_hello_page(ServiceEntry& entry, std::shared_ptr<RunDesk> desk) {
  return std::make_unique<HelloPage>(entry, std::move(desk));
}

}  // namespace rollcall::fleet
