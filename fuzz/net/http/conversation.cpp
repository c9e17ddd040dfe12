// Whole exchanges: a TPU is looked up and counted over transports that answer with the input. For every input the call ends in virtual time
// with an answer or a failure that has a message, and leaves nothing open.
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>

#include "call/runtime_impl.hpp"
#include "check.hpp"
#include "rollcall/testing/fake_time.hpp"
#include "rollcall/tpu_resolver.hpp"

namespace {

using namespace rollcall;

// Consumes the input.
class Script {
 public:
  explicit Script(std::string_view input) : rest_(input) {}
  unsigned char byte() {
    if (rest_.empty()) return 0;
    const char first = rest_.front();
    rest_.remove_prefix(1);
    return static_cast<unsigned char>(first);
  }
  // Up to the next zero byte.
  std::string text() {
    const std::size_t end = std::min(rest_.find('\0'), rest_.size());
    std::string out(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return out;
  }
  bool is_over() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

constexpr Errc transport_errors[] = {Errc::unreachable,      Errc::unknown_host,     Errc::tls_failed,      Errc::malformed_response,
                                     Errc::limit_exceeded,   Errc::connect_timeout,  Errc::resolve_timeout, Errc::handshake_timeout,
                                     Errc::response_timeout, Errc::refused_by_policy};

Failure planted(Script& script) { return Failure(transport_errors[script.byte() % std::size(transport_errors)], "planted"); }

class ScriptedHttp final : public HttpTransport {
 public:
  explicit ScriptedHttp(Script& script) : script_(script) {}
  asio::awaitable<Result<HttpResponse>> send(const HttpRequest&, const ExchangeOptions&) override {
    const unsigned char kind = script_.byte();
    if (kind == 1) co_return planted(script_);
    HttpResponse response;
    response.status = kind == 0 ? 404 : kind < 128 ? 200 : 100 + script_.byte() * 2;
    for (const char* name : {"Metadata-Flavor", "Content-Type", "Retry-After", "Location"}) {
      if ((kind & 2) != 0) response.headers.add(name, script_.text());
    }
    if ((kind & 2) == 0) response.headers.add("Metadata-Flavor", "Google");
    response.body = script_.text();
    co_return response;
  }
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest&, const ExchangeOptions&) override {
    co_return planted(script_);
  }
  void close() override {}

 private:
  Script& script_;
};

class ScriptedRpc final : public RpcTransport {
 public:
  explicit ScriptedRpc(Script& script) : script_(script) {}
  asio::awaitable<Result<RpcAnswer>> call(const RpcRequest&, const RpcOptions&) override {
    const unsigned char kind = script_.byte();
    if (kind == 1) co_return planted(script_);
    RpcAnswer answer;
    answer.status = static_cast<RpcStatus>(kind < 128 ? 0 : kind % 18);
    answer.status_message = kind < 128 ? "" : script_.text();
    answer.message = kind < 128 ? script_.text() : "";
    co_return answer;
  }
  void close() override {}

 private:
  Script& script_;
};

asio::awaitable<Result<std::string>> converse(std::shared_ptr<TpuResolver> tpu, unsigned char what) {
  const CallOptions options = CallOptions()
                                  .retry(RetryPolicy().max_retries(4))
                                  .with(TpuCallOptions().count_from(what & 4 ? CountFrom::devices : CountFrom::automatic));
  if ((what & 3) == 0) {
    const Result<ClusterSpec> spec = co_await tpu->try_cluster_spec(options);
    if (!spec) co_return spec.error();
    co_return spec->to_json();
  }
  if ((what & 3) == 1) {
    const Result<AcceleratorCounts> counts = co_await tpu->try_num_accelerators({}, {}, options);
    if (!counts) co_return counts.error();
    co_return counts->to_json();
  }
  const Result<TpuSystemMetadata> metadata = co_await tpu->try_wait_for_system_metadata(options);
  if (!metadata) co_return metadata.error();
  co_return std::to_string(metadata->num_cores);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  Script script(std::string_view(reinterpret_cast<const char*>(data), size));
  const unsigned char what = script.byte();
  asio::io_context io(1);
  const auto time = std::make_shared<testing::FakeTime>();
  RuntimeOptions options;
  options.http = std::make_shared<ScriptedHttp>(script);
  options.rpc = std::make_shared<ScriptedRpc>(script);
  options.time = time;
  options.random_seed = 1;
  options.environment = fixed_environment({{"GCE_METADATA_HOST", "metadata.google.internal"}});
  options.files = fixed_files({});
  std::optional<Result<std::string>> answer;
  {
    const Runtime runtime(io.get_executor(), std::move(options));
    TpuOptions tpu("trainer");
    tpu.api_version(what & 8 ? TpuApiVersion::v1 : TpuApiVersion::v2);
    if ((what & 16) != 0) tpu.project("p").zone("z");
    asio::co_spawn(io, converse(make_tpu_resolver(runtime, std::move(tpu)), what),
                   [&](std::exception_ptr error, Result<std::string> result) {
                     require(!error);
                     answer.emplace(std::move(result));
                   });
  }
  const SteadyTime latest = time->now() + std::chrono::minutes(2);
  for (io.poll(); time->next_alarm(); io.poll()) {
    require(*time->next_alarm() < latest);
    time->advance_to(*time->next_alarm());
    io.restart();
  }
  require(answer.has_value());
  require_sane(*answer);
  return 0;
}
