// Asks slurmrestd. No version of its API is served by all releases, so the newest that both know is looked for
// [facts: slurm-rest-versions].
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/path_text.hpp"
#include "base/saturating.hpp"
#include "base/text.hpp"
#include "base/url.hpp"
#include "call/api_client.hpp"
#include "call/runtime_impl.hpp"
#include "resolvers/slurm/rules/slurm_service.hpp"
#include "resolvers/slurm/slurm_sinks.hpp"
#include "resolvers/slurm/slurm_source.hpp"
#include "resolvers/slurm/slurm_token.hpp"

namespace rollcall {
namespace {

constexpr int newest_version = 45;
constexpr int oldest_version = 36;
constexpr int first_with_states = 40;  // jobs/state
constexpr std::size_t max_slurm_answer = std::size_t{256} << 20;

class SlurmRest final : public SlurmSource {
 public:
  SlurmRest(SlurmRestAddress address, std::shared_ptr<Credentials> credentials)
      : address_(std::move(address)), credentials_(std::move(credentials)) {}

  asio::awaitable<Result<SlurmJobAnswer>> job(Call& call, SlurmReference wanted, std::uint64_t) override {
    const std::int64_t id = wanted.id;
    SlurmListSink<SlurmJobRecord> sink(fmt::format("Slurm's record of job {}", id), "jobs", read_slurm_job, nullptr, limits(call));
    Result<std::vector<SlurmJobRecord>> records = co_await ask(call, fmt::format("job/{}", id), fmt::format("Slurm job {}", id), sink);
    if (!records) co_return records.error();
    const bool had_any = !records->empty();
    std::erase_if(*records, [id](const SlurmJobRecord& one) { return !one.is_of(id); });
    if (had_any && records->empty()) {
      co_return Failure(Errc::malformed_response, fmt::format("Slurm job {}: the answer has other jobs", id))
          .with_target(address_.shown)
          .with_hint("is it slurmrestd that answers there, and the one of this cluster?");
    }
    co_return SlurmJobAnswer(std::move(*records));
  }

  asio::awaitable<Result<std::vector<SlurmJobRecord>>> jobs_named(Call& call, std::string name, std::string user) override {
    const auto is_wanted = [name, user](const SlurmJobRecord& job) { return job.name == name && (user.empty() || job.user == user); };
    SlurmListSink<SlurmJobRecord> sink("Slurm's list of jobs", "jobs", read_slurm_job, is_wanted, limits(call));
    co_return co_await ask(call, "jobs", fmt::format("the Slurm job {}", quoted(name, 80)), sink);
  }

  asio::awaitable<Result<std::vector<SlurmNodeRecord>>> nodes(Call& call, std::vector<std::string> names) override {
    std::vector<SlurmNodeRecord> all;
    for (const std::string& name : names) {
      SlurmListSink<SlurmNodeRecord> sink("Slurm's record of a node", "nodes", read_slurm_node, nullptr, limits(call));
      Result<std::vector<SlurmNodeRecord>> one =
          co_await ask(call, "node/" + percent_encode_path_segment(name), fmt::format("Slurm node {}", printable(name, 80)), sink);
      if (!one && one.error().code() == Errc::not_found) continue;
      if (!one) co_return one;
      all.insert(all.end(), std::make_move_iterator(one->begin()), std::make_move_iterator(one->end()));
    }
    co_return all;
  }

  // The list is sent only where a node has changed since the last one. 24.11 answers with an error then, and is asked for the list by
  // itself; where it is always an error, only for the list. [facts: slurm-update-time]
  asio::awaitable<Result<SlurmNodesPointer>> all_nodes(Call& call) override {
    constexpr int not_modified = 304;
    constexpr int server_error = 500;  // while slurmctld is away it is 502
    constexpr int enough_refusals = 3;
    const SlurmNodesPointer known = nodes_refused_ < enough_refusals ? nodes_ : nullptr;
    SlurmListSink<SlurmNodeRecord> sink("Slurm's list of nodes", "nodes", read_slurm_node, nullptr, limits(call));
    std::string path = "nodes";
    if (known) path += fmt::format("?update_time={}", nodes_at_);
    Result<void> done = co_await ask_all(call, std::move(path), "the nodes of Slurm", sink);
    const int status = done ? 0 : done.error().last_status();
    if (known && status == not_modified) {
      nodes_refused_ = 0;
      co_return known;
    }
    if (known && status == server_error) {
      ++nodes_refused_;
      sink.restart();
      done = co_await ask_all(call, "nodes", "the nodes of Slurm", sink);
    }
    if (!done) co_return done.error();
    SlurmNodesPointer fresh = std::make_shared<const SlurmNodeSnapshot>(std::move(sink.records), std::move(sink.feed().memory()));
    nodes_.reset();
    if (const auto at = sink.feed().last_update()) {
      nodes_at_ = *at;
      nodes_ = fresh;
    }
    co_return fresh;
  }

  bool knows_node_changes() const noexcept override { return nodes_ != nullptr && nodes_refused_ == 0; }

  asio::awaitable<Result<SlurmMarks>> marks(Call& call) override {
    const Failure none(Errc::unimplemented, "this version of slurmrestd does not list states alone");
    if (version_ && *version_ < first_with_states) co_return none;
    SlurmMarkSink sink(limits(call));
    const Result<void> done = co_await ask_all(call, "jobs/state/", "the states of Slurm's jobs", sink);
    if (!done) co_return done.error();
    co_return std::move(sink.marks);
  }

  asio::awaitable<Result<std::vector<SlurmPartition>>> partition(Call& call, std::string name) override {
    SlurmListSink<SlurmPartition> sink("Slurm's record of a partition", "partitions", read_slurm_partition, nullptr, limits(call));
    co_return co_await ask(call, "partition/" + percent_encode_path_segment(name), fmt::format("Slurm partition {}", printable(name, 80)),
                           sink);
  }

  asio::awaitable<Result<std::vector<SlurmReservation>>> reservations(Call& call) override {
    SlurmListSink<SlurmReservation> sink("Slurm's list of reservations", "reservations", read_slurm_reservation, nullptr, limits(call));
    co_return co_await ask(call, "reservations", "the reservations of Slurm", sink);
  }

  asio::awaitable<Result<void>> list_jobs(Call& call, SlurmListOptions, SlurmJobTaker& taker) override {
    SlurmTakerSink sink(taker, limits(call));
    co_return co_await ask_all(call, "jobs", "the jobs of Slurm", sink);
  }

  std::string describe() const override {
    return fmt::format("slurmrestd at {}{}", address_.shown, version_ ? fmt::format(", v0.0.{}", *version_) : "");
  }

 private:
  static ParseLimits limits(const Call& call) { return parse_limits(impl_of(call)); }

  template <class Record>
  asio::awaitable<Result<std::vector<Record>>> ask(Call& call, std::string path, std::string what, SlurmListSink<Record>& sink) {
    const Result<void> done = co_await ask_all(call, std::move(path), std::move(what), sink);
    if (!done && done.error().code() == Errc::not_found) co_return std::vector<Record>();
    if (!done) co_return done.error();
    co_return std::move(sink.records);
  }

  template <class Sink>
  asio::awaitable<Result<void>> ask_all(Call& call, std::string path, std::string what, Sink& sink) {
    Result<void> done = co_await send(call, path, what, sink);
    if (done) done = sink.feed().finish();
    const std::vector<SlurmError>& errors = sink.feed().errors();
    if (done && !errors.empty()) done = slurm_failure(errors).with_target(address_.shown);
    if (done) co_return done;
    Failure failure = done.error();
    if (failure.what().find(what) == std::string::npos) failure.with_what(what + ": " + failure.what());
    if (failure.target().empty()) failure.with_target(address_.shown);
    co_return failure;
  }

  // With the version that worked, else with each, the newest first.
  asio::awaitable<Result<void>> send(Call& call, const std::string& path, const std::string& what, BodySink& sink) {
    if (version_) {
      Result<void> known = co_await send_by(call, *version_, path, what, sink);
      const bool is_gone = !known && known.error().code() == Errc::unimplemented;
      if (!is_gone) co_return known;
      version_.reset();  // another slurmrestd has been started there
    }
    std::string last;
    for (int version = newest_version; version >= oldest_version; --version) {
      Result<void> tried = co_await send_by(call, version, path, what, sink);
      if (!tried && tried.error().code() == Errc::unimplemented) {
        last = tried.error().what();
        if (last.starts_with(what + ": ")) last.erase(0, what.size() + 2);
        continue;
      }
      const bool is_served = tried || tried.error().code() == Errc::not_found;
      if (is_served) version_ = version;
      co_return tried;
    }
    co_return Failure(Errc::unimplemented,
                      fmt::format("{}: the server has none of the versions v0.0.{} to v0.0.{} of Slurm's API; of the last it says: {}",
                                  what, oldest_version, newest_version, last))
        .with_target(address_.shown)
        .with_hint("restd= names slurmrestd, or a proxy in front of it; its /openapi/v3 lists what it serves");
  }

  asio::awaitable<Result<void>> send_by(Call& call, int version, std::string path, std::string what, BodySink& sink) {
    const bool is_main = path.starts_with("job");
    Url url = address_.root;
    url.target += fmt::format("slurm/v0.0.{}/{}", version, path);
    ApiRequest request(std::move(url));
    request.service = &slurm_service;
    request.what = std::move(what);
    request.credentials = credentials_;
    request.with_token = credentials_ != nullptr;
    request.http.access = address_.access;
    request.http.headers.add("Accept", "application/json");
    // slurmrestd itself waits up to 20 s for slurmctld, and what it says then is more than silence: one attempt, with all of the time.
    request.is_probe = true;
    request.exchange.response_timeout = std::chrono::seconds(25);
    if (!is_main) {  // it adds to the answer of another question, and leaves time for that
      const Duration left = saturating_difference(call.deadline(), impl_of(call).time->now());
      request.exchange.response_timeout = std::min(request.exchange.response_timeout, left / 2);
    }
    Result<HttpResponse> answer = co_await api_stream(call, request, sink, max_slurm_answer);
    const bool is_reset = !answer && answer.error().code() == Errc::unreachable && answer.error().phase() == Phase::response;
    if (is_reset) answer = co_await api_stream(call, request, sink, max_slurm_answer);  // it drops connections now and then
    if (answer) co_return Result<void>();
    Failure failure = answer.error();
    if (address_.access) failure.with_target(address_.shown);
    co_return failure;
  }

  SlurmRestAddress address_;
  std::shared_ptr<Credentials> credentials_;
  std::optional<int> version_;
  SlurmNodesPointer nodes_;      // as of nodes_at_, by Slurm's clock; null: they are asked for as a whole
  std::int64_t nodes_at_ = 0;
  int nodes_refused_ = 0;  // questions for changes in a row, each by an error
};

}  // namespace

Result<SlurmRestAddress> SlurmRestAddress::parse(const std::string& text) {
  constexpr std::string_view scheme = "unix:";
  SlurmRestAddress address;
  if (!text.starts_with(scheme)) {
    Result<Url> root = parse_api_root("restd", text, "slurmrestd: unix:/path, http://127.0.0.1:6820 or https://host");
    if (!root) return root.error();
    address.root = std::move(*root);
    address.shown = address.root.origin();
    return address;
  }
  std::string path = text.substr(scheme.size());
  if (path.starts_with("//")) path.erase(0, path.find_first_not_of('/') - 1);
  if (!path.starts_with('/') || path.size() < 2) {
    return Failure(Errc::invalid_argument, fmt::format("restd: {} names no socket by its whole path", quoted_path(text, 100)))
        .with_hint("unix:/run/slurmrestd/slurmrestd.socket");
  }
  const Result<void> fine = check_path("restd", path);
  if (!fine) return fine.error();
  auto access = std::make_shared<ServerAccess>();
  access->socket_path = path;
  address.access = std::move(access);
  address.root.host = "localhost";
  address.shown = "unix:" + path_text(path);
  return address;
}

Result<std::shared_ptr<SlurmSource>> make_slurm_rest(const SlurmJobOptions& options) {
  Result<SlurmRestAddress> address = SlurmRestAddress::parse(options.restd());
  if (!address) return address.error();
  return std::shared_ptr<SlurmSource>(std::make_shared<SlurmRest>(std::move(*address), slurm_credentials(options)));
}

}  // namespace rollcall
