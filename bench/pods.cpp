// 10,000 pods in one answer: the cost of the Kubernetes resolver beyond Boost.JSON's event parser alone on the same bytes, its memory while
// they stream in, and the longest turn of the loop.
#include <fmt/format.h>

#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <map>
#include <utility>
#include <vector>

#include "measure.hpp"
#include "pod_bytes.hpp"
#include "rollcall/kubernetes_resolver.hpp"

using namespace rollcall;

namespace {

constexpr int pods = 10'000;
// As long as a service account's: all received text is searched for it.
constexpr std::size_t token_size = 1000;
constexpr std::size_t piece_size = 64 * 1024;  // the largest piece that the transport delivers

class NullHandler {
 public:
  using error_code = boost::json::error_code;
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t, error_code&) { return true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_object_end(std::size_t, error_code&) { return true; }
  bool on_key_part(std::string_view, std::size_t, error_code&) { return true; }
  bool on_key(std::string_view, std::size_t, error_code&) { return true; }
  bool on_string_part(std::string_view, std::size_t, error_code&) { return true; }
  bool on_string(std::string_view, std::size_t, error_code&) { return true; }
  bool on_number_part(std::string_view, error_code&) { return true; }
  bool on_int64(std::int64_t, std::string_view, error_code&) { return true; }
  bool on_uint64(std::uint64_t, std::string_view, error_code&) { return true; }
  bool on_double(double, std::string_view, error_code&) { return true; }
  bool on_bool(bool, error_code&) { return true; }
  bool on_null(error_code&) { return true; }
  bool on_comment_part(std::string_view, error_code&) { return true; }
  bool on_comment(std::string_view, error_code&) { return true; }
};

// Answers every request with the same bytes, and measures memory now and then.
class PieceTransport final : public HttpTransport {
 public:
  explicit PieceTransport(const std::string& body) : body_(body) {}

  long peak_kb = 0;

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions&) override {
    co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    HttpResponse response;
    response.status = 200;
    response.body = bench::workload_text(request.url.target, pods);
    co_return response;
  }
  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest&, const ExchangeOptions&) override {
    std::unique_ptr<HttpStream> stream = std::make_unique<Stream>(*this);
    co_return std::move(stream);
  }
  void close() override {}

 private:
  class Stream final : public HttpStream {
   public:
    explicit Stream(PieceTransport& owner) : owner_(owner) { head_.status = 200; }
    const HttpResponse& head() const override { return head_; }
    asio::awaitable<Result<std::string_view>> read() override {
      co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);  // as a socket that is ready
      const std::string_view piece = std::string_view(owner_.body_).substr(at_, piece_size);
      if (at_ / piece_size % 8 == 0) owner_.peak_kb = std::max(owner_.peak_kb, bench::heap_kb());
      at_ += piece.size();
      co_return piece;
    }

   private:
    PieceTransport& owner_;
    HttpResponse head_;
    std::size_t at_ = 0;
  };

  const std::string& body_;
};

double parser_alone(const std::string& body) {
  boost::json::basic_parser<NullHandler> parser{boost::json::parse_options()};
  boost::json::error_code error;
  const double start = bench::cpu_seconds();
  for (std::size_t at = 0; at < body.size(); at += piece_size) {
    const std::size_t size = std::min(piece_size, body.size() - at);
    parser.write_some(at + size < body.size(), body.data() + at, size, error);
  }
  const double seconds = bench::cpu_seconds() - start;
  if (error) std::abort();
  return seconds;
}

// The bytes in a server's order: by name.
std::string answer(bool has_managed_fields) {
  std::map<std::string, std::string> by_name;
  for (int i = 0; i < pods; ++i) {
    std::string text = bench::pod_text(i, has_managed_fields);
    by_name.emplace(text.substr(0, 80), std::move(text));
  }
  std::string body = R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"88700"},"items":[)";
  for (auto& [name, text] : by_name) {
    body += text;
    body += ',';
  }
  body.back() = ']';
  return body + "}";
}

bool measure(bool has_managed_fields) {
  const std::string body = answer(has_managed_fields);
  // In alternating rounds, so that other load of the machine affects both.
  std::vector<double> alone;
  std::vector<double> seconds;
  std::vector<double> max;
  long growth = 0;
  for (int run = 0; run < bench::rounds_of(15); ++run) {
    alone.push_back(parser_alone(body));
    asio::io_context io{1};
    RuntimeOptions options;
    const auto transport = std::make_shared<PieceTransport>(body);
    options.http = transport;
    options.credentials = static_token(Secret<std::string>(std::string(token_size, 'x')));
    const Runtime runtime(io.get_executor(), std::move(options));
    KubernetesOptions what;
    what.job("worker", {bench::pods_selector}).api_server("https://k8s.test").namespace_name("train");
    const auto resolver = make_kubernetes_resolver(runtime, what);
    const long before = bench::heap_kb();
    const double start = bench::cpu_seconds();
    int tasks = 0;
    std::string problem;
    asio::co_spawn(io, resolver->try_cluster_spec(), [&](std::exception_ptr, Result<ClusterSpec> spec) {
      if (spec) tasks = spec->num_tasks("worker").value();
      if (!spec) problem = spec.error().message();
      transport->peak_kb = std::max(transport->peak_kb, bench::heap_kb());
    });
    double max_turn = 0;
    double now = start;
    while (io.run_one() > 0) {
      const double before_turn = std::exchange(now, bench::cpu_seconds());
      max_turn = std::max(max_turn, now - before_turn);
    }
    seconds.push_back(now - start);
    max.push_back(max_turn);
    bench::record(has_managed_fields ? "hold_managed_ms" : "hold_ms", max_turn * 1e3);
    bench::record(has_managed_fields ? "parsed_managed_ms" : "parsed_ms", seconds.back() * 1e3);
    bench::record(has_managed_fields ? "parser_managed_ms" : "parser_ms", alone.back() * 1e3);
    growth = std::max(growth, transport->peak_kb - before);
    if (tasks != pods) {
      fmt::print("{} tasks instead of {}: {}\n", tasks, pods, problem);
      return false;
    }
  }
  const double ratio = bench::median(seconds) / bench::median(alone);
  fmt::print(
      "{:.1f} MB, {} managedFields: {:.1f} ms of CPU, {:.2f}× the parser alone ({:.1f} ms); +{:.1f} MB of heap; longest turn of the loop, "
      "with pieces of {} kB: {:.2f} ms of CPU\n",
      static_cast<double>(body.size()) / 1e6, has_managed_fields ? "with" : "without", bench::median(seconds) * 1e3, ratio,
      bench::median(alone) * 1e3, static_cast<double>(growth) / 1024, piece_size / 1024, bench::median(max) * 1e3);
  return ratio <= 1.3 && growth <= 16 * 1024 && bench::median(max) <= 1e-3;
}

}  // namespace

int main() {
  const bool is_small_fine = measure(false);
  const bool is_large_fine = measure(true);
  return is_small_fine && is_large_fine ? 0 : 1;
}
