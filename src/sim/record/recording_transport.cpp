#include "sim/record/recording_transport.hpp"

#include <asio/use_awaitable.hpp>
#include <utility>

namespace rollcall::sim {
namespace {

class RecordingStream final : public HttpStream {
 public:
  RecordingStream(std::shared_ptr<ExchangeLog> log, std::size_t number, std::unique_ptr<HttpStream> stream)
      : log_(std::move(log)), number_(number), stream_(std::move(stream)) {}
  ~RecordingStream() override {
    // The library reads an error's body up to a limit only.
    if (!has_ended_ && stream_->head().status < 300) log_->abandoned(number_);
  }

  const HttpResponse& head() const override { return stream_->head(); }

  asio::awaitable<Result<std::string_view>> read() override {
    Result<std::string_view> piece = co_await stream_->read();
    if (piece && piece->empty()) {
      has_ended_ = true;
      log_->ended(number_);
    } else if (piece) {
      log_->add_body(number_, *piece);
    } else if (piece.error().code() != Errc::cancelled) {
      log_->ended(number_);
    }
    co_return piece;
  }

 private:
  std::shared_ptr<ExchangeLog> log_;
  std::size_t number_;
  std::unique_ptr<HttpStream> stream_;
  bool has_ended_ = false;
};

class RecordingTransport final : public HttpTransport {
 public:
  RecordingTransport(std::shared_ptr<ExchangeLog> log, std::shared_ptr<HttpTransport> http)
      : log_(std::move(log)), http_(std::move(http)) {}

  asio::awaitable<Result<HttpResponse>> send(const HttpRequest& request, const ExchangeOptions& options) override {
    const std::shared_ptr<ExchangeLog> log = log_;
    const std::size_t number = log->begin(request);
    Result<HttpResponse> answer = co_await http_->send(request, options);
    if (answer) {
      log->answered(number, *answer);
      log->add_body(number, answer->body);
      log->ended(number);
    } else {
      log->failed(number, answer.error());
    }
    co_return answer;
  }

  asio::awaitable<Result<std::unique_ptr<HttpStream>>> open(const HttpRequest& request, const ExchangeOptions& options) override {
    const std::shared_ptr<ExchangeLog> log = log_;
    const std::size_t number = log->begin(request);
    Result<std::unique_ptr<HttpStream>> opened = co_await http_->open(request, options);
    if (!opened) {
      log->failed(number, opened.error());
      co_return opened.error();
    }
    log->answered(number, (*opened)->head());
    std::unique_ptr<HttpStream> stream = std::make_unique<RecordingStream>(log, number, std::move(*opened));
    co_return stream;
  }

  void close() override { http_->close(); }

 private:
  std::shared_ptr<ExchangeLog> log_;
  std::shared_ptr<HttpTransport> http_;
};

}  // namespace

std::shared_ptr<HttpTransport> make_recording_transport(std::shared_ptr<ExchangeLog> log, std::shared_ptr<HttpTransport> http) {
  return std::make_shared<RecordingTransport>(std::move(log), std::move(http));
}

}  // namespace rollcall::sim
