// The client's end of a connection in memory: parses the answer's bytes, and returns its body in pieces.
#include <asio/use_awaitable.hpp>
#include <optional>

#include "base/saturating.hpp"
#include "net/codec/inflate.hpp"
#include "net/codec/response_parser.hpp"
#include "net/http/http_exchange.hpp"
#include "sim/serve/handler_pipe.hpp"

namespace rollcall::sim {

namespace {

constexpr std::size_t piece_at_most = 64 * 1024;

class PipeStream final : public HttpStream {
 public:
  PipeStream(std::shared_ptr<TimerQueue> timers, std::shared_ptr<PipeExchange> pipe, const ExchangeOptions& options, std::string target);
  ~PipeStream() override { pipe_->leave(); }

  const HttpResponse& head() const override { return head_; }
  asio::awaitable<Result<void>> read_head();
  asio::awaitable<Result<std::string_view>> read() override;

 private:
  asio::awaitable<Result<void>> advance();
  Result<void> inflate();
  Failure failed(Failure failure) const { return failure.with_phase(Phase::response).with_target(target_); }
  Failure stopped(Stop why) const { return failed(failure_of_stop(why, Phase::response, has_begun_, options_.response_timeout)); }

  std::shared_ptr<TimerQueue> timers_;
  std::shared_ptr<PipeExchange> pipe_;
  ExchangeOptions options_;
  std::string target_;
  HttpResponse head_;
  ResponseParser parser_;
  std::string encoded_;  // read but not inflated yet
  std::string piece_;
  std::optional<Inflater> inflater_;
  std::size_t decoded_ = 0;
  bool has_begun_ = false;
  bool was_read_ = false;
};

PipeStream::PipeStream(std::shared_ptr<TimerQueue> timers, std::shared_ptr<PipeExchange> pipe, const ExchangeOptions& options,
                       std::string target)
    : timers_(std::move(timers)), pipe_(std::move(pipe)), options_(options), target_(std::move(target)) {
  options_.observer = nullptr;
  parser_.start(head_, options_.max_header_bytes, options_.max_body_bytes);
}

// Waits for bytes or the end, and passes them to the parser.
asio::awaitable<Result<void>> PipeStream::advance() {
  const SteadyTime silence_ends =
      options_.response_timeout > Duration::zero() ? saturating_sum(timers_->now(), options_.response_timeout) : SteadyTime::max();
  while (!pipe_->has_arrived()) {
    const bool is_woken = co_await pipe_->arrived().wait_until(*timers_, std::min(silence_ends, options_.deadline));
    const SteadyTime now = timers_->now();
    if (!is_woken) co_return stopped(Stop::cancelled);
    if (now >= options_.deadline) co_return stopped(Stop::deadline);
    if (now >= silence_ends) co_return stopped(Stop::silence);
  }
  if (pipe_->is_closed_here()) co_return stopped(Stop::closed);
  const std::string bytes = pipe_->take();
  has_begun_ = has_begun_ || !bytes.empty();
  std::string_view rest = bytes;
  if (bytes.empty() && pipe_->was_reset()) co_return failed(Failure(Errc::unreachable, "connection reset by peer"));
  if (bytes.empty()) parser_.put_end();
  if (!parser_.has_head()) {
    rest.remove_prefix(parser_.put_head(rest));
    if (parser_.has_head() && parser_.is_gzip()) inflater_.emplace();
  }
  if (parser_.has_head() && !parser_.fault() && !rest.empty()) parser_.put_body(rest, inflater_ ? encoded_ : piece_);
  if (parser_.fault()) co_return failed(*parser_.fault());
  if (inflater_) inflater_->put(encoded_);
  co_return Result<void>();
}

asio::awaitable<Result<void>> PipeStream::read_head() {
  while (!parser_.has_head()) {
    const Result<void> advanced = co_await advance();
    if (!advanced) co_return advanced.error();
  }
  co_return Result<void>();
}

asio::awaitable<Result<std::string_view>> PipeStream::read() {
  if (std::exchange(was_read_, true)) piece_.clear();  // bytes that arrived with the head have not been returned yet
  while (piece_.empty()) {
    const Result<void> inflated = inflate();
    if (!inflated) co_return inflated.error();
    if (!piece_.empty() || (parser_.is_done() && encoded_.empty())) break;
    if (!encoded_.empty()) continue;
    const Result<void> advanced = co_await advance();
    if (!advanced) co_return advanced.error();
  }
  co_return std::string_view(piece_);
}

// Inflates the next slice of the received bytes.
Result<void> PipeStream::inflate() {
  if (!inflater_) return {};
  if (!encoded_.empty()) {
    const Inflater::Status status = inflater_->step(piece_, piece_at_most);
    if (status == Inflater::Status::corrupt) return failed(Failure(Errc::malformed_response, "the answer's body is not valid gzip"));
    if (status == Inflater::Status::need_input) encoded_.clear();
    decoded_ += piece_.size();
    if (decoded_ > options_.max_body_bytes) return failed(Failure(Errc::limit_exceeded, "the answer's body is too large"));
  }
  if (encoded_.empty() && parser_.is_done() && !inflater_->is_whole())
    return failed(Failure(Errc::malformed_response, "the answer's gzip body ends too early"));
  return {};
}

}  // namespace

asio::awaitable<Result<std::unique_ptr<HttpStream>>> open_pipe(std::shared_ptr<TimerQueue> timers, std::shared_ptr<PipeExchange> pipe,
                                                               const ExchangeOptions& options, std::string target) {
  auto stream = std::make_unique<PipeStream>(std::move(timers), std::move(pipe), options, std::move(target));
  const Result<void> has_head = co_await stream->read_head();
  if (!has_head) co_return has_head.error();
  co_return stream;
}

}  // namespace rollcall::sim
