#include "store/etcd_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/text.hpp"
#include "call/parser_sink.hpp"
#include "call/runtime_impl.hpp"
#include "store/asking.hpp"
#include "store/etcd_gateway.hpp"
#include "store/etcd_watch.hpp"
#include "store/wire/key_range.hpp"

namespace rollcall::store {
namespace {

constexpr std::size_t usual_page = 256;  // keys

class EtcdStore final : public Store, public std::enable_shared_from_this<EtcdStore> {
 public:
  explicit EtcdStore(std::shared_ptr<EtcdGateway> gateway) : gateway_(std::move(gateway)) {}

  asio::awaitable<Result<Listing>> list(Call& call, std::string prefix, bool may_be_old) override;
  asio::awaitable<Result<Outcome>> commit(Call& call, Transaction transaction) override;
  asio::awaitable<Result<WatchEnd>> watch(Call& call, std::string prefix, std::uint64_t revision, Watcher& watcher) override;
  asio::awaitable<Result<Lease>> grant(Call& call, Duration ttl) override;
  asio::awaitable<Result<Lease>> keep_alive(Call& call, std::int64_t lease) override;
  asio::awaitable<Result<void>> revoke(Call& call, std::int64_t lease) override;

 private:
  asio::awaitable<Result<RangeAnswer>> page(Call& call, const RangeQuestion& question, std::string what);
  template <class Answer>
  Result<Answer> checked(Result<Answer> answer, std::string_view what);

  const std::shared_ptr<EtcdGateway> gateway_;
};

// What does not make sense is no reason to ask the same server again.
template <class Answer>
Result<Answer> EtcdStore::checked(Result<Answer> answer, std::string_view what) {
  Result<void> noted;
  if (answer) noted = gateway_->note(answer->header);
  if (answer && noted) return answer;
  Failure failure = answer ? noted.error() : answer.error();
  gateway_->leave_server();
  return failure.with_what(fmt::format("{}: {}", what, failure.what()));
}

asio::awaitable<Result<RangeAnswer>> EtcdStore::page(Call& call, const RangeQuestion& question, std::string what) {
  EtcdQuestion asked("/v3/kv/range", render_range(question), what);
  asked.is_repeatable = true;
  Result<std::string> answer = co_await gateway_->ask(call, std::move(asked));
  if (!answer) co_return answer.error();
  co_return checked(parse_range(*answer, parse_limits(impl_of(call))), what);
}

// All pages are of the first one's revision.
asio::awaitable<Result<Listing>> EtcdStore::list(Call& call, std::string prefix, bool may_be_old) {
  const auto self = shared_from_this();
  const std::string what = "the list of " + quoted(prefix, 200);
  const Limits& limits = impl_of(call).limits;
  RangeQuestion question;
  question.from = begin_of_prefix(prefix);
  question.end = end_of_prefix(prefix);
  question.limit = usual_page;
  question.may_be_old = may_be_old;
  Listing listing;
  std::size_t bytes = 0;
  for (;;) {
    Result<RangeAnswer> answer = co_await page(call, question, what);
    // A page of long values may be more than an answer may have.
    const bool is_too_long = !answer && answer.error().code() == Errc::limit_exceeded && question.limit > 1;
    if (is_too_long) {
      question.limit /= 4;
      continue;
    }
    if (!answer) co_return answer.error();
    if (question.revision == 0) question.revision = listing.revision = answer->header.revision;
    for (Entry& entry : answer->entries) {
      const bool is_in_order = entry.key >= question.from && entry.key.starts_with(prefix) &&
                               (listing.entries.empty() || entry.key > listing.entries.back().key);
      if (!is_in_order) co_return Failure(Errc::malformed_response, fmt::format("{}: keys out of order, or of others", what));
      bytes += sizeof(Entry) + entry.key.size() + entry.value.size();
      listing.entries.push_back(std::move(entry));
    }
    if (bytes > limits.max_stream_bytes)
      co_return Failure(Errc::limit_exceeded, fmt::format("{}: more than {} bytes", what, limits.max_stream_bytes));
    if (!answer->has_more) co_return listing;
    if (answer->entries.empty()) co_return Failure(Errc::malformed_response, what + ": a page without keys, and yet there are more");
    question.from = listing.entries.back().key + '\0';
  }
}

asio::awaitable<Result<Outcome>> EtcdStore::commit(Call& call, Transaction transaction) {
  const auto self = shared_from_this();
  const Result<void> possible = check_transaction(*this, transaction);
  if (!possible) co_return possible.error();
  const std::string what = shown(transaction);
  Result<std::string> body = co_await gateway_->ask(call, EtcdQuestion("/v3/kv/txn", render_transaction(transaction), what));
  if (!body) co_return body.error();
  Result<TransactionAnswer> answer = checked(parse_transaction(*body, parse_limits(impl_of(call))), what);
  if (!answer) co_return answer.error();
  Outcome outcome;
  outcome.is_written = answer->is_written;
  outcome.revision = answer->header.revision;
  outcome.compared = std::move(answer->compared);
  co_return outcome;
}

asio::awaitable<Result<WatchEnd>> EtcdStore::watch(Call& call, std::string prefix, std::uint64_t revision, Watcher& watcher) {
  const auto self = shared_from_this();
  EtcdWatch events(*gateway_, watcher, revision, parse_limits(impl_of(call)));
  EtcdQuestion question("/v3/watch", render_watch(prefix, revision), "a watch of " + quoted(prefix, 200));
  question.sink = &events;
  const Result<std::string> ended = co_await gateway_->ask(call, std::move(question));
  if (events.end()) co_return *events.end();
  if (!ended) co_return ended.error();
  co_return Failure(Errc::unreachable, "a watch: the server has closed it");
}

asio::awaitable<Result<Lease>> EtcdStore::grant(Call& call, Duration ttl) {
  const auto self = shared_from_this();
  const std::int64_t seconds = std::max<std::int64_t>(std::chrono::ceil<std::chrono::seconds>(ttl).count(), 1);
  EtcdQuestion question("/v3/lease/grant", render_grant(seconds), "a lease");
  question.is_repeatable = true;  // one that nobody knows of ends by itself
  Result<std::string> body = co_await gateway_->ask(call, std::move(question));
  if (!body) co_return body.error();
  const Result<LeaseAnswer> answer = checked(parse_grant(*body, parse_limits(impl_of(call))), "a lease");
  if (!answer) co_return answer.error();
  if (answer->seconds == 0) co_return Failure(Errc::malformed_response, "a lease: the one that is granted has ended already");
  Lease lease;
  lease.id = answer->id;
  lease.ttl = std::chrono::seconds(answer->seconds);
  co_return lease;
}

asio::awaitable<Result<Lease>> EtcdStore::keep_alive(Call& call, std::int64_t id) {
  const auto self = shared_from_this();
  constexpr std::string_view what = "a lease that is kept alive";
  EtcdQuestion question("/v3/lease/keepalive", render_lease(id), std::string(what));
  question.is_repeatable = true;
  Result<std::string> body = co_await gateway_->ask(call, std::move(question));
  if (!body) co_return body.error();
  const Result<LeaseAnswer> answer = checked(parse_keep_alive(*body, parse_limits(impl_of(call))), what);
  if (!answer) co_return answer.error();
  if (answer->id != id) co_return Failure(Errc::malformed_response, fmt::format("{}: the answer is of another one", what));
  if (answer->seconds == 0) co_return Failure(Errc::not_found, fmt::format("{}: the lease is not there any more", what));
  Lease lease;
  lease.id = id;
  lease.ttl = std::chrono::seconds(answer->seconds);
  co_return lease;
}

asio::awaitable<Result<void>> EtcdStore::revoke(Call& call, std::int64_t id) {
  const auto self = shared_from_this();
  EtcdQuestion question("/v3/lease/revoke", render_lease(id), "a lease that is given back");
  question.is_repeatable = true;
  const Result<std::string> body = co_await gateway_->ask(call, std::move(question));
  if (body || body.error().code() == Errc::not_found) co_return Result<void>();
  co_return body.error();
}

}  // namespace

Result<std::shared_ptr<Store>> make_etcd_store(EtcdStoreOptions options) {
  Result<std::shared_ptr<EtcdGateway>> gateway = EtcdGateway::make(std::move(options));
  if (!gateway) return gateway.error();
  return std::shared_ptr<Store>(std::make_shared<EtcdStore>(std::move(*gateway)));
}

}  // namespace rollcall::store
