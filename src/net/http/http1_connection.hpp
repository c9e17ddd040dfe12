// One HTTP/1.1 connection: a request out, its answer in, one exchange at a time. It never blocks: if it cannot proceed, wait()
// calls back once the socket is ready. It owns no read buffer: the caller passes one.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "net/codec/response_parser.hpp"
#include "net/http/early_read.hpp"
#include "net/socket/stream.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

class Http1Connection {
 public:
  explicit Http1Connection(Stream connected) : is_loopback(connected.is_peer_loopback()), stream_(std::move(connected)) {}
  ~Http1Connection() { forget_request(); }

  const bool is_loopback;  ///< by the address that it is connected to
  bool is_near() const { return stream_.is_peer_near(); }
  SteadyTime idle_since{};
  EarlyRead early_read;

  /// Begins an exchange, whose answer is stored in `into`.
  void begin(HttpResponse& into, std::size_t max_header_bytes, std::size_t max_body_bytes);

  /// Sends the request in its wire form. Bytes that the socket does not accept at once are kept, and wiped when they are sent.
  void send(std::string_view request);
  /// Sends more of the kept bytes. True if bytes were accepted.
  bool send_rest();
  bool is_sending() const noexcept { return !unsent_.empty(); }
  bool has_sent_any() const noexcept { return has_sent_any_; }

  /// Reads once. `done` with bytes: they must be passed to take_head(), then to take_body().
  IoResult read(std::span<char> buffer);
  /// Takes the head's bytes; returns the remaining ones.
  std::string_view take_head(std::string_view bytes);
  /// The body's data in `bytes`, as ResponseParser::put_body().
  void take_body(std::string_view bytes, std::string& out, std::string_view* part);
  /// The peer has closed: the answer is complete, or has a fault.
  void take_end() { parser_.put_end(); }
  const ResponseParser& answer() const noexcept { return parser_; }
  bool has_received_any() const noexcept { return has_received_any_; }
  /// True if another exchange may follow this one.
  bool is_reusable() const { return parser_.keep_alive() && !has_excess_ && !is_write_broken_ && !is_sending(); }

  /// False: bytes are available that the socket does not signal.
  bool must_wait() const noexcept { return stream_.must_wait(wait_for_); }
  /// Calls `on_ready(error)` once the socket is ready for the next step, or after cancel().
  template <class OnReady>
  void wait(OnReady on_ready) {
    stream_.socket().async_wait(wait_for_, std::move(on_ready));
  }
  /// Ends a wait(); the connection must not be used again.
  void cancel() noexcept { stream_.cancel(); }
  bool is_tls() const noexcept { return stream_.is_tls(); }
  bool is_quiet() noexcept { return stream_.is_quiet(); }

 private:
  std::size_t write(std::string_view bytes);
  void forget_request() noexcept;

  Stream stream_;
  ResponseParser parser_;
  asio::ip::tcp::socket::wait_type wait_for_ = asio::ip::tcp::socket::wait_read;
  std::string unsent_;
  std::size_t sent_ = 0;  // of unsent_
  bool has_sent_any_ = false;
  bool has_received_any_ = false;
  bool has_excess_ = false;  // the peer sent more than the answer
  bool is_write_broken_ = false;  // the rest of the request is not sent: the server may have answered early with the reason
};

using ConnectionPtr = std::unique_ptr<Http1Connection>;

}  // namespace rollcall
