// One gRPC call, between its connection and its handler. Either may end first.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "async/timer_queue.hpp"
#include "net/codec/rpc_messages.hpp"
#include "net/server/rpc_server_stream.hpp"

namespace rollcall {

class Http2Session;
class RpcConnection;

/// The only method of a server, whose calls stay open in both directions.
class RpcMethod {
 public:
  RpcMethod() {}
  std::string path;            ///< `/package.Service/Method`; others are UNIMPLEMENTED
  std::size_t streams = 1000;  ///< concurrent; over it: RESOURCE_EXHAUSTED
  /// Called on the executor with each call, in a turn of its own.
  std::function<void(std::unique_ptr<RpcServerStream>)> on_stream;
};

using WritingHook = boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

class RpcCall final : public std::enable_shared_from_this<RpcCall>, public WritingHook {
 public:
  RpcCall(RpcConnection& connection, std::int32_t stream, ServerRequest request, std::size_t message_bytes);
  ~RpcCall();

  // For the connection.
  void put(std::string_view content);
  void note_request_end();
  void note_sent() noexcept;
  /// The stream has ended, and the connection may have.
  void note_end() noexcept;
  /// Ends it with a status, unless it has ended.
  void finish(RpcStatus status, const std::string& message);
  void reset() noexcept;
  bool is_over() const noexcept { return !connection_; }

  // For the handler: as RpcServerStream.
  const ServerRequest& request() const noexcept { return request_; }
  void watch(AsyncEvent* event) noexcept;
  std::optional<std::string> take_message();
  bool is_writable() const noexcept { return !is_writing_ && !is_closed(); }
  void write(SharedBytes message);
  bool is_closed() const noexcept { return !connection_ || (is_request_over_ && !reader_.has_message()); }

 private:
  enum class Waiting { none, first, rest };  // for the first message, or for the rest of one

  void wake() const;
  void note_held(std::size_t before);
  void give_back(std::size_t kept);
  void bound_message();
  void on_ring();

  RpcConnection* connection_;  // null: it has ended
  const std::int32_t stream_;
  ServerRequest request_;
  RpcMessageReader reader_;
  AsyncEvent* event_ = nullptr;
  Timer timer_;
  Waiting waiting_ = Waiting::none;  // the purpose of timer_
  std::size_t not_given_ = 0;    // buffered bytes that have not been released to the client's flow-control window
  std::size_t unsent_ = 0;       // bytes of messages that are not shared
  bool is_writing_ = false;
  bool wants_more_ = false;      // a message was requested, and was not complete
  bool has_received_ = false;       // a message has arrived
  bool has_started_ = false;
  bool is_request_over_ = false;
};

/// State that the calls of one server share.
class RpcCalls {
 public:
  RpcCalls(RpcMethod of, std::size_t bytes_of_message) : method(std::move(of)), message_bytes(bytes_of_message) {}
  const RpcMethod method;
  const std::size_t message_bytes;
  std::size_t open = 0;
  std::size_t held = 0;    ///< bytes of messages that are incomplete or not taken
  std::size_t unsent = 0;  ///< bytes of answers that are for one client only
  /// Calls with unsent data, the one that has had it longest first.
  boost::intrusive::list<RpcCall, boost::intrusive::base_hook<WritingHook>, boost::intrusive::constant_time_size<false>> writing;
};

/// A status as the whole answer.
void answer_with(Http2Session& session, std::int32_t stream, RpcStatus status, std::string_view message);
/// A call in the form of its handler's interface.
std::unique_ptr<RpcServerStream> taken_call(std::shared_ptr<RpcCall> call);

}  // namespace rollcall
