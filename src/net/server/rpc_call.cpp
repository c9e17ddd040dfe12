#include "net/server/rpc_call.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/saturating.hpp"
#include "net/server/rpc_connection.hpp"

namespace rollcall {
namespace {

constexpr Duration first_message_time = std::chrono::seconds(30);
constexpr std::size_t max_held = std::size_t{32} << 20;     // of all clients' messages together
constexpr std::size_t always_held = 16 * 1024;               // of one call
constexpr std::size_t max_unsent = std::size_t{256} << 20;  // to all clients together

using Field = std::pair<std::string_view, std::string_view>;
constexpr Field status_field{":status", "200"};
constexpr Field type_field{"content-type", "application/grpc"};
constexpr Field encoding_field{"grpc-accept-encoding", "identity"};

void end_with(Http2Session& session, std::int32_t stream, RpcStatus status, std::string_view message) {
  const std::string code = std::to_string(static_cast<int>(status));
  const std::string text = rpc_status_text(message);
  const std::array<Field, 2> trailers{Field("grpc-status", code), Field("grpc-message", text)};
  session.finish(stream, trailers);
}

class TakenCall final : public RpcServerStream {
 public:
  explicit TakenCall(std::shared_ptr<RpcCall> call) : call_(std::move(call)) {}
  ~TakenCall() override {
    call_->watch(nullptr);
    call_->finish(RpcStatus::cancelled, "");
  }
  const ServerRequest& request() const noexcept override { return call_->request(); }
  void watch(AsyncEvent* event) noexcept override { call_->watch(event); }
  std::optional<std::string> take_message() override { return call_->take_message(); }
  bool is_writable() const noexcept override { return call_->is_writable(); }
  void write(SharedBytes message) override { call_->write(std::move(message)); }
  bool is_closed() const noexcept override { return call_->is_closed(); }
  void finish(RpcStatus status, const std::string& message) override { call_->finish(status, message); }

 private:
  std::shared_ptr<RpcCall> call_;
};

}  // namespace

void answer_with(Http2Session& session, std::int32_t stream, RpcStatus status, std::string_view message) {
  const std::string code = std::to_string(static_cast<int>(status));
  const std::string text = rpc_status_text(message);
  const std::array<Field, 4> head{status_field, type_field, Field("grpc-status", code), Field("grpc-message", text)};
  session.answer(stream, head);
}

std::unique_ptr<RpcServerStream> taken_call(std::shared_ptr<RpcCall> call) { return std::make_unique<TakenCall>(std::move(call)); }

RpcCall::RpcCall(RpcConnection& connection, std::int32_t stream, ServerRequest request, std::size_t message_bytes)
    : connection_(&connection), stream_(stream), request_(std::move(request)), reader_(message_bytes) {
  ++connection.shared_calls().open;
  bound_message();
}

RpcCall::~RpcCall() { note_end(); }

void RpcCall::watch(AsyncEvent* event) noexcept { event_ = event; }

void RpcCall::wake() const {
  if (event_) event_->wake();
}

void RpcCall::put(std::string_view content) {
  if (!connection_) return;
  const std::size_t before = reader_.held();
  not_given_ += content.size();
  reader_.put(content);
  note_held(before);
  switch (reader_.fault()) {
    case RpcMessageReader::Fault::none: break;
    case RpcMessageReader::Fault::compressed: return finish(RpcStatus::unimplemented, "compressed messages are not read here");
    case RpcMessageReader::Fault::too_long: return finish(RpcStatus::resource_exhausted, "the message is longer than may be");
  }
  if (reader_.held() > always_held && connection_->shared_calls().held > max_held)
    return finish(RpcStatus::resource_exhausted, "the messages of all clients take as much memory as they may");
  if (reader_.has_message()) {
    has_received_ = true;
    wake();
  } else if (wants_more_) {
    give_back(0);
  }
  bound_message();
}

// Releases flow-control window: the client may send as many bytes again. Buffered bytes are released only if they belong to a message that
// the handler waits for; `kept` bytes are not released.
void RpcCall::give_back(std::size_t kept) {
  if (!connection_ || not_given_ <= kept) return;
  connection_->session().give_back(stream_, not_given_ - kept);
  not_given_ = kept;
  connection_->wake();
}

void RpcCall::note_held(std::size_t before) {
  std::size_t& held = connection_->shared_calls().held;
  held = held + reader_.held() - before;
}

// A message has a time limit, however slowly it arrives.
void RpcCall::bound_message() {
  Waiting waiting = Waiting::none;
  if (connection_ && !is_request_over_ && !reader_.has_message()) {
    if (reader_.held() > 0) {
      waiting = Waiting::rest;
    } else if (!has_received_) {
      waiting = Waiting::first;
    }
  }
  if (waiting == std::exchange(waiting_, waiting)) return;
  timer_.cancel();
  TimerQueue* const timers = connection_ ? connection_->timers() : nullptr;
  const Duration bound = waiting == Waiting::rest ? connection_->limits().body_time : first_message_time;
  if (!timers || waiting == Waiting::none || bound <= Duration::zero()) return;
  timer_.set(*timers, saturating_sum(timers->now(), bound), [](void* self) noexcept { static_cast<RpcCall*>(self)->on_ring(); }, this);
}

void RpcCall::on_ring() {
  finish(RpcStatus::deadline_exceeded, waiting_ == Waiting::rest ? "the message did not come to its end in time" : "no message came");
}

std::optional<std::string> RpcCall::take_message() {
  if (!reader_.has_message()) {
    wants_more_ = true;
    give_back(0);
    return std::nullopt;
  }
  wants_more_ = false;
  const std::size_t before = reader_.held();
  std::string message = reader_.take();
  if (connection_) {
    note_held(before);
    give_back(std::min(not_given_, reader_.held()));
    bound_message();
  }
  return message;
}

void RpcCall::write(SharedBytes message) {
  if (!is_writable()) return;
  RpcCalls& all = connection_->shared_calls();
  if (!std::exchange(has_started_, true)) {
    constexpr std::array<Field, 3> head{status_field, type_field, encoding_field};
    connection_->session().start(stream_, head);
  }
  SharedBytes frame(rpc_prefix(message.size()));
  frame.add(std::move(message));
  is_writing_ = true;
  unsent_ = frame.own();
  all.unsent += unsent_;
  all.writing.push_back(*this);
  connection_->session().send(stream_, std::move(frame));
  connection_->wake();
  // If the total is exceeded, the call with the oldest unsent message ends first.
  while (all.unsent > max_unsent && &all.writing.front() != this) all.writing.front().reset();
}

void RpcCall::note_sent() noexcept {
  if (connection_) connection_->shared_calls().unsent -= unsent_;
  unsent_ = 0;
  is_writing_ = false;
  if (WritingHook::is_linked()) WritingHook::unlink();
  wake();
}

void RpcCall::note_request_end() {
  is_request_over_ = true;
  bound_message();
  wake();
}

void RpcCall::finish(RpcStatus status, const std::string& message) {
  if (!connection_) return;
  if (is_writing_) return reset();  // a client that reads nothing would not read the status either
  if (has_started_) {
    end_with(connection_->session(), stream_, status, message);
  } else {
    answer_with(connection_->session(), stream_, status, message);
  }
  connection_->wake();
  note_end();
}

void RpcCall::reset() noexcept {
  if (!connection_) return;
  connection_->session().reset(stream_);
  connection_->wake();
  note_end();
}

void RpcCall::note_end() noexcept {
  timer_.cancel();
  RpcConnection* const connection = std::exchange(connection_, nullptr);
  if (!connection) return;
  RpcCalls& all = connection->shared_calls();
  all.held -= reader_.held();
  all.unsent -= unsent_;
  --all.open;
  if (WritingHook::is_linked()) WritingHook::unlink();
  connection->session().give_back(stream_, std::exchange(not_given_, 0));
  wake();
}

}  // namespace rollcall
