// The body of an answer in pieces, with its fault.
#include <algorithm>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include "sim/serve/memory_transport.hpp"
#include "sim/wire/responses.hpp"

namespace rollcall::sim {

namespace {

constexpr std::size_t piece_bytes = 64 * 1024;

class MemoryStream final : public HttpStream {
 public:
  MemoryStream(std::unique_ptr<CloudTransport::Ticket> ticket, Request request, Reply reply, CloudTransport::Bounds bounds)
      : ticket_(std::move(ticket)), bounds_(std::move(bounds)), fault_(reply.fault), request_(std::move(request)), more_(reply.more),
        body_(corrupted_body(reply)), heard_at_(ticket_->owner().now()) {
    head_.status = reply.status;
    head_.headers = std::move(reply.headers);
    complete_ = body_.size();
    if (fault_.kind == FaultKind::truncate || fault_.kind == FaultKind::stall)
      complete_ = std::min(complete_, fault_.bytes.value_or(body_.size() / 2));
    if (fault_.kind == FaultKind::wrong_length) {
      declared_ = wrong_length(fault_, body_.size());
      complete_ = std::min(complete_, declared_);
    }
  }

  const HttpResponse& head() const override { return head_; }

  asio::awaitable<Result<std::string_view>> read() override {
    while (at_ == complete_ && more_) {
      const Result<void> went_on = co_await go_on();
      if (!went_on) co_return went_on.error();
    }
    if (at_ < complete_ || fault_.kind == FaultKind::endless_body) {
      const Result<void> arrived = co_await arrival();
      if (!arrived) co_return arrived.error();
      const std::string_view piece = next_piece();
      delivered_ += piece.size();
      if (delivered_ > bounds_.max_body_bytes) {
        co_return Failure(Errc::limit_exceeded, "the answer's body is too large").with_phase(Phase::response).with_target(bounds_.target);
      }
      co_return piece;
    }
    if (fault_.kind == FaultKind::stall) {
      AsyncEvent event;
      const Result<void> silence = co_await ticket_->owner().pause(event, SteadyTime::max(), heard_at_, bounds_);
      if (!silence) co_return silence.error();
    }
    if (fault_.kind == FaultKind::truncate || (fault_.kind == FaultKind::wrong_length && declared_ > body_.size())) {
      co_return Failure(Errc::unreachable, "the connection was closed before the end of the answer")
          .with_phase(Phase::response)
          .with_target(bounds_.target);
    }
    co_return std::string_view();
  }

 private:
  asio::awaitable<Result<void>> go_on() {
    Result<Reply> next = co_await ticket_->owner().ask_more(request_, *more_, heard_at_, bounds_);
    if (!next) co_return next.error();
    more_ = std::move(next->more);
    fault_ = next->fault;
    body_ = std::move(next->body);
    complete_ = body_.size();
    at_ = 0;
    if (!body_.empty()) heard_at_ = ticket_->owner().now();
    co_return Result<void>();
  }

  asio::awaitable<Result<void>> arrival() {
    AsyncEvent event;
    if (fault_.kind == FaultKind::trickle) {
      const Result<void> dripped = co_await ticket_->owner().pause(event, heard_at_ + fault_.interval, heard_at_, bounds_);
      if (!dripped) co_return dripped.error();
    } else if (at_ > 0 || delivered_ > 0) {
      co_await asio::post(asio::use_awaitable);
    }
    heard_at_ = ticket_->owner().now();
    co_return Result<void>();
  }

  std::string_view next_piece() {
    if (fault_.kind == FaultKind::endless_body && at_ >= body_.size()) {
      if (filler_.empty()) filler_.assign(piece_bytes, ' ');
      return filler_;
    }
    const std::size_t max = fault_.kind == FaultKind::trickle ? std::min(fault_.bytes.value_or(1), piece_bytes) : piece_bytes;
    const std::string_view piece = std::string_view(body_).substr(at_, std::min(max, std::max(complete_, at_) - at_));
    at_ += piece.size();
    return piece;
  }

  std::unique_ptr<CloudTransport::Ticket> ticket_;
  CloudTransport::Bounds bounds_;
  Fault fault_;
  Request request_;
  std::optional<Held> more_;
  HttpResponse head_;
  std::string body_;
  std::string filler_;
  std::size_t complete_ = 0;  // the number of bytes that arrive
  std::size_t declared_ = 0;
  std::size_t at_ = 0;
  std::size_t delivered_ = 0;
  SteadyTime heard_at_;
};

}  // namespace

std::unique_ptr<HttpStream> make_memory_stream(std::unique_ptr<CloudTransport::Ticket> ticket, Request request, Reply reply,
                                               CloudTransport::Bounds bounds) {
  return std::make_unique<MemoryStream>(std::move(ticket), std::move(request), std::move(reply), std::move(bounds));
}

}  // namespace rollcall::sim
