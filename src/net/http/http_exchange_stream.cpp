// The steps of an exchange on an HTTP/2 connection that it shares with others.
#include <utility>

#include "net/codec/request_writer.hpp"
#include "net/http/http_exchange.hpp"

namespace rollcall {

namespace {

// Of a request that the server did not process since it ended the connection in order, or had not said its limit yet. A server that does
// so to each connection is not asked without end.
constexpr int max_free_retries = 6;
constexpr std::size_t max_piece = 64 * 1024;  // of an answer that is read in pieces

}  // namespace

bool Exchange::has_begun() const noexcept {
  if (stream_) return stream_->has_received_any();
  return lease_.connection() && lease_.connection()->has_received_any();
}

// The dialled connection.
void Exchange::share(Stream connected) {
  lease_.set_shared(std::make_shared<Http2Connection>(core_->executor, core_->timers, core_->buffer, core_->memory, std::move(connected)));
  lease_.note_protocol(Protocol::http2);
  use_stream(false);
}

void Exchange::use_stream(bool is_reused) {
  const Http2Connection& shared = *lease_.shared();
  const bool is_in_reach = reach_ == Reach::anywhere || (reach_ == Reach::near ? shared.is_near : shared.is_loopback);
  if (!is_in_reach) return fail(secret_in_clear(request_->url, "another machine"), Phase::connect);
  begin_response(is_reused);
  stream_ = std::make_unique<Http2Stream>(
      lease_.shared(), response_, options_.max_header_bytes, options_.max_body_bytes, pieces_ != nullptr,
      [](void* self) { static_cast<Exchange*>(self)->resume({}); }, this);
  step_ = Step::read;
  if (stream_->begin(*request_, core_->options.user_agent)) return;
  Failure ended = Failure(Errc::unreachable, "the connection takes no more requests (HTTP/2)").with_phase(Phase::overall);
  if (!start_again(ended)) fail(std::move(ended), Phase::overall);
}

void Exchange::take_stream() {
  step_ = Step::read;
  if (stream_->has_head() && !stream_->is_head_taken()) {
    response_.is_from_loopback = stream_->connection().is_loopback && !via_proxy_;
    stream_->note_head_taken();
    take_head(stream_->is_gzip(), std::nullopt);
  }
  if (stream_->fault()) {
    Failure failure = *stream_->fault();
    if (!start_again(failure)) fail(std::move(failure), Phase::response);
    return;
  }
  if (inflater_) {
    stream_->take_content(encoded_, max_piece);
    inflater_->put(encoded_);
    return inflate();
  }
  stream_->take_content(body(), max_piece);
  if (stream_->is_used_up()) finish();
}

// A request that the server did not process, or one whose kept connection was lost: once more, on any connection; see retry_stale(). A
// server that asks for fewer requests gets none at once. All requests of a lost connection fail, which is one event: only the request that
// opened it counts against the host's retry budget.
bool Exchange::start_again(const Failure& failure) {
  const bool wants_http1 = stream_->connection().wants_http1();
  if (wants_http1) lease_.leave_http2();
  const bool is_unprocessed = failure.phase() == Phase::overall && failure.code() == Errc::unreachable;
  const bool is_lost = failure.code() == Errc::unreachable && is_reused_ && is_repeatable_ && stream_->is_lost();
  if (core_->is_closed || !(is_unprocessed || is_lost)) return false;
  const bool is_free = is_unprocessed && !wants_http1 && (stream_->was_begun_blindly() || !stream_->connection().is_usable());
  if (is_free && free_retries_ < max_free_retries) {
    ++free_retries_;
  } else if (std::exchange(was_retried_, true)) {
    return false;
  }
  start_over();
  return true;
}

void Exchange::start_over() {
  leave_phase();
  timer_.cancel();
  stream_.reset();
  lease_.give_back(true);
  step_ = Step::start;
}

}  // namespace rollcall
