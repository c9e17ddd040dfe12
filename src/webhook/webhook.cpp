// The webhook as a whole: its address, certificate and pages.
#include "rollcall/webhook.hpp"

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "call/runtime_impl.hpp"
#include "fleet/service/listening.hpp"
#include "net/server/http_server.hpp"
#include "net/server/server_context.hpp"
#include "webhook/wait_reviews.hpp"

namespace rollcall {
namespace {

constexpr std::string_view review_path = "/wait";

HttpResponse plain_answer(int status, std::string_view type, std::string body) {
  HttpResponse response;
  response.status = status;
  response.headers.add("Content-Type", std::string(type));
  response.body = std::move(body);
  return response;
}
HttpResponse text_answer(int status, std::string text) { return plain_answer(status, "text/plain; charset=utf-8", std::move(text) + "\n"); }

// What the handler of the server needs; requests in progress keep it alive.
class ReviewDesk {
 public:
  explicit ReviewDesk(webhook::WaitReviews made) : reviews(std::move(made)) {}
  webhook::WaitReviews reviews;
  bool is_draining = false;
};

HttpResponse answer_review(const ReviewDesk& desk, const std::string& body) {
  const Result<webhook::AdmissionRequest> request = webhook::read_admission_review(body);
  if (!request) return text_answer(400, request.error().what());
  return plain_answer(200, "application/json", webhook::write_admission_review(desk.reviews.judge(*request)));
}

std::string_view path_of(const ServerRequest& request) {
  const std::string_view target = request.target;
  return target.substr(0, target.find('?'));  // servers add ?timeout=10s
}

asio::awaitable<void> answer_webhook(std::shared_ptr<ReviewDesk> desk, ServerExchange& exchange) {
  const ServerRequest& request = exchange.request();
  const std::string_view path = path_of(request);
  const bool is_look = request.method == "GET" || request.method == "HEAD";
  HttpResponse response;
  if (path == "/healthz" || path == "/readyz") {
    const bool is_ending = desk->is_draining && path == "/readyz";
    response = is_look ? text_answer(is_ending ? 503 : 200, is_ending ? "draining" : "ready") : text_answer(405, "GET alone");
  } else if (path != review_path) {
    response = text_answer(404, "a webhook of rollcall: reviews go to /wait");
  } else if (request.method != "POST") {
    response = text_answer(405, "a review is a POST");
  } else {
    std::string body;
    const int refused = co_await exchange.read_body(body);
    response = refused == 0 ? answer_review(*desk, body) : text_answer(refused, "the review could not be read as a whole");
    if (refused == 503) response.headers.add("Retry-After", "1");
  }
  co_await exchange.reply(response);
}

std::size_t body_of_review(const ServerRequest& head) {
  const bool is_review = head.method == "POST" && path_of(head) == review_path;
  return is_review ? webhook::max_review_bytes : 0;
}

ServerLimits webhook_limits() {
  ServerLimits limits;
  limits.connections = 1000;  // of the few API servers of a cluster
  limits.newcomers = 200;     // silent connections leave room for reviews
  limits.body_time = std::chrono::seconds(3);  // a review comes at once: one that does not, holds the memory of another
  limits.body_bytes = 4 * 1024;  // of other requests
  limits.all_bodies_bytes = 16 * webhook::max_review_bytes;
  return limits;
}

class LocalWebhook final : public Webhook {
 public:
  LocalWebhook(const Runtime& runtime, std::shared_ptr<ServerContext> tls, std::shared_ptr<ReviewDesk> desk)
      : tls_(std::move(tls)), desk_(std::move(desk)),
        server_(
            impl_of(runtime).executor, [desk = desk_](ServerExchange& exchange) { return answer_webhook(desk, exchange); },
            webhook_limits(), impl_of(runtime).time) {
    server_.leave_bodies(body_of_review);
  }
  ~LocalWebhook() override { stop(); }

  Result<void> listen(const fleet::ListenAddress& address) {
    const HttpServer::TlsChooser chooser = [context = tls_](std::string_view) { return context->current(); };
    const Result<std::uint16_t> bound =
        fleet::listen_at(address, [&](const std::string& ip, std::uint16_t port) { return server_.listen(ip, port, chooser); });
    if (!bound) return bound.error();
    const std::string host = address.host.empty() ? "127.0.0.1" : address.host;
    const bool is_v6 = host.find(':') != std::string::npos;
    url_ = fmt::format("https://{}{}{}:{}{}", is_v6 ? "[" : "", host, is_v6 ? "]" : "", *bound, review_path);
    return {};
  }

  std::string url() const override { return url_; }
  void drain() override { desk_->is_draining = true; }
  void stop() override { server_.stop(); }

 private:
  std::shared_ptr<ServerContext> tls_;
  std::shared_ptr<ReviewDesk> desk_;
  HttpServer server_;
  std::string url_;
};

Failure missing_option(std::string_view what, std::string_view hint) {
  return Failure(Errc::invalid_argument, fmt::format("a webhook needs {}", what)).with_hint(std::string(hint));
}

Result<void> check_webhook(const WebhookOptions& options) {
  if (options.certificate_file.empty())
    return missing_option("a certificate: API servers ask by https alone",
                          "--certificate FILE, for the name of its Service: NAME.NAMESPACE.svc");
  if (options.image.empty())
    return missing_option("the image of the init containers", "--image registry.example/rollcall@sha256:…, see docs/install.md");
  const bool is_plain = is_ascii_from('!', options.image) && options.image.size() <= 1024 && options.image.front() != '-';
  if (is_plain) return {};
  return Failure(Errc::invalid_argument, fmt::format("{} is no image", quoted(options.image, 80)));
}

}  // namespace

Result<std::shared_ptr<Webhook>> Webhook::start(Runtime runtime, WebhookOptions options, std::function<void(const ReviewedPod&)> on_pod) {
  const Result<void> checked = check_webhook(options);
  if (!checked) return checked.error();
  const Result<fleet::ListenAddress> address = fleet::ListenAddress::parse(options.listen);
  if (!address) return address.error();
  TlsFiles files;
  files.certificate = options.certificate_file;
  files.key = options.key_file;
  Result<std::shared_ptr<ServerContext>> tls = fleet::open_server_tls(runtime, std::move(files));
  if (!tls) return tls.error();
  auto desk = std::make_shared<ReviewDesk>(webhook::WaitReviews(options.image, options.refuses_faulty, std::move(on_pod)));
  const auto made = std::make_shared<LocalWebhook>(runtime, std::move(*tls), std::move(desk));
  const Result<void> listening = made->listen(*address);
  if (!listening) return listening.error();
  return std::shared_ptr<Webhook>(made);
}

}  // namespace rollcall
