// A server of HTTP/2 over TLS that does what a test says, and the client's transport against it. The server waits for nothing: each turn
// it does what it can at once.
#pragma once

#include <openssl/err.h>

#include <algorithm>
#include <asio/bind_cancellation_slot.hpp>
#include <asio/co_spawn.hpp>
#include <asio/ip/tcp.hpp>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "net/codec/http2_frames.hpp"
#include "net/codec/http2_session.hpp"
#include "net/http/http_client_fixture.hpp"
#include "net/socket/stream.hpp"
#include "net/tls/socket_bio.hpp"
#include "support/certificates.hpp"

namespace rollcall::testing {

class Http2Peer final : public Http2Events {
 public:
  using Handler = std::function<void(Http2Peer& peer, std::int32_t stream, const Http2Request& request)>;
  Http2Peer(asio::ip::tcp::socket socket, SSL_CTX* context, const Handler& handler, Http2Limits limits)
      : stream_(std::move(socket)), handler_(handler), session(limits, *this, SteadyTime()) {
    SSL* const ssl = SSL_new(context);
    attach_socket(ssl, stream_.socket().native_handle());
    SSL_set_accept_state(ssl);
    stream_.wrap(ssl);
  }

  /// The whole answer.
  void answer(std::int32_t stream, std::string_view body, std::string_view status = "200") {
    const std::pair<std::string_view, std::string_view> head[] = {{":status", status}};
    session.start(stream, head);
    if (!body.empty()) session.send(stream, SharedBytes(body));
    session.finish(stream, {});
  }
  void start(std::int32_t stream) {
    const std::pair<std::string_view, std::string_view> head[] = {{":status", "200"}};
    session.start(stream, head);
  }
  /// Frames by hand, after those of the session.
  void write(const std::string& frames) { raw_ += frames; }
  /// Ends the connection, without a close_notify.
  void close() {
    stream_.reset();
    stream_.close();
    is_open = false;
  }
  std::size_t poll() {
    if (!is_open || is_deaf) return 0;
    ERR_clear_error();
    if (!SSL_is_init_finished(stream_.tls())) {
      const int result = SSL_do_handshake(stream_.tls());
      if (result == 1) return 1;
      is_open = SSL_get_error(stream_.tls(), result) == SSL_ERROR_WANT_READ;
      return 0;
    }
    std::size_t moved = 0;
    char bytes[16 * 1024];
    for (IoResult result = stream_.read_some(bytes); result.status != IoStatus::want_read; result = stream_.read_some(bytes)) {
      is_open = result.status == IoStatus::done;
      if (!is_open) return moved + 1;
      moved += result.bytes;
      heard.append(bytes, result.bytes);
      if (is_http2()) {
        session.put(std::string_view(bytes, result.bytes), SteadyTime());
      } else {
        ++http1_requests;  // each arrives whole
      }
      if (!is_open) return moved;  // the handler has closed it
    }
    if (written_ == out_.size()) {
      out_.clear();
      written_ = 0;
      if (is_http2()) session.take(out_, 1 << 20);
      out_ += std::exchange(raw_, {});
    }
    while (written_ < out_.size()) {
      const IoResult result = stream_.write_some(std::span<const char>(out_).subspan(written_));
      if (result.status != IoStatus::done) break;
      written_ += result.bytes;
      moved += result.bytes;
    }
    return moved;
  }
  bool is_http2() const {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(stream_.tls(), &name, &size);
    return size == 2;
  }
  /// Answers all requests that came over HTTP/1.1.
  void answer_http1() {
    for (; http1_requests > http1_answers; ++http1_answers) raw_ += "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold";
  }
  /// What the client has sent.
  std::vector<HeardFrame> frames() const {
    return frames_of(std::string_view(heard).substr(std::min(heard.size(), client_preface.size())));
  }

  bool is_open = true;
  int http1_requests = 0;
  int http1_answers = 0;
  bool is_deaf = false;  ///< it reads and writes nothing any more
  std::string heard;
  std::map<std::int32_t, Http2Request> requests;
  std::map<std::int32_t, std::string> bodies;

 private:
  void on_request(std::int32_t stream, Http2Request request) override { requests[stream] = std::move(request); }
  void on_content(std::int32_t stream, std::string_view bytes) override {
    bodies[stream] += bytes;
    session.give_back(stream, bytes.size());
  }
  void on_request_end(std::int32_t stream) override { handler_(*this, stream, requests[stream]); }
  void on_sent(std::int32_t) override {}
  void on_stream_end(std::int32_t) override {}

  Stream stream_;
  const Handler& handler_;
  std::string out_;
  std::size_t written_ = 0;
  std::string raw_;

 public:
  Http2Session session;
};

inline char http2[] = "h2";
inline int choose_http2(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* in, unsigned in_size, void* wants) {
  for (unsigned at = 0; at < in_size && at + 1 + in[at] <= in_size; at += 1u + in[at]) {
    if (std::string_view(reinterpret_cast<const char*>(in + at + 1), in[at]) != static_cast<const char*>(wants)) continue;
    *out = in + at + 1;
    *size = in[at];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_NOACK;
}

/// A server that speaks both.
inline int choose_best(SSL* ssl, const unsigned char** out, unsigned char* size, const unsigned char* in, unsigned in_size, void*) {
  static char http1[] = "http/1.1";
  const int chosen = choose_http2(ssl, out, size, in, in_size, http2);
  return chosen == SSL_TLSEXT_ERR_OK ? chosen : choose_http2(ssl, out, size, in, in_size, http1);
}
/// A server that speaks nothing else than HTTP/2.
inline int require_http2(SSL* ssl, const unsigned char** out, unsigned char* size, const unsigned char* in, unsigned in_size, void* wants) {
  const int chosen = choose_http2(ssl, out, size, in, in_size, wants);
  return chosen == SSL_TLSEXT_ERR_OK ? chosen : SSL_TLSEXT_ERR_ALERT_FATAL;
}

class Http2Fixture {
 public:
  explicit Http2Fixture(Http2Peer::Handler what, NetworkOptions options = {}, std::shared_ptr<MemoryAccount> memory = nullptr)
      : ca(authority_request()), identity(CertificateRequest({"IP:127.0.0.1"}), &ca), ca_file(ca.pem()), context(identity.server_context()),
        handler(std::move(what)), acceptor(server_loop, asio::ip::tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0)),
        time(std::make_shared<FakeTime>()), timers(std::make_shared<TimerQueue>(time, loop.get_executor())) {
    SSL_CTX_set_alpn_select_cb(context.get(), choose_http2, http2);
    acceptor.non_blocking(true);
    limits.resets = 1'000'000;
    limits.overhead_bytes = 1 << 30;
    options.ca_file = ca_file.path();
    options.http2 = true;
    http = make_http_transport(loop.get_executor(), timers, std::move(options), std::move(memory));
  }
  ~Http2Fixture() {
    if (http) http->close();
    turn_often();
  }

  HttpRequest request(const std::string& target = "/") const {
    HttpRequest made(Url::parse("https://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port())).value());
    made.url.target = target;
    return made;
  }
  OutcomePtr start(HttpRequest what, ExchangeOptions options = {}) {
    auto outcome = std::make_shared<Outcome>();
    auto run = send_into(http, std::move(what), options, outcome);
    asio::co_spawn(loop, std::move(run), asio::bind_cancellation_slot(outcome->signal.slot(), ended(outcome)));
    return outcome;
  }
  OutcomePtr start(const std::string& target, ExchangeOptions options = {}) { return start(request(target), options); }
  OutcomePtr start_stream(const std::string& target, ExchangeOptions options = {}) {
    auto outcome = std::make_shared<Outcome>();
    auto run = stream_into(http, request(target), options, outcome, sizes);
    asio::co_spawn(loop, std::move(run), asio::bind_cancellation_slot(outcome->signal.slot(), ended(outcome)));
    return outcome;
  }
  std::size_t turn() {
    std::error_code error;
    asio::ip::tcp::socket accepted(server_loop);
    acceptor.accept(accepted, error);
    if (!error) peers.emplace_back(std::move(accepted), context.get(), handler, limits);
    std::size_t moved = 0;
    for (Http2Peer& peer : peers) moved += peer.poll();
    loop.restart();
    return moved + loop.poll();
  }
  void turn_often() {
    for (int i = 0; i < 20; ++i) turn();
  }
  void until(const std::function<bool()>& happened) {
    for (int i = 0; !happened(); ++i) {
      turn();
      if (i == 1'000'000) FAIL("it did not happen");
    }
  }
  OutcomePtr finish(OutcomePtr outcome) {
    until([&] { return outcome->is_done(); });
    return outcome;
  }
  std::string body(const OutcomePtr& outcome) { return finish(outcome)->result->has_value() ? (*outcome->result)->body : outcome->what(); }
  std::string body(const std::string& target) { return body(start(target)); }
  bool is_idle() {
    loop.restart();
    loop.poll();
    return loop.stopped();
  }
  std::size_t open_peers() const {
    return static_cast<std::size_t>(std::count_if(peers.begin(), peers.end(), [](const Http2Peer& peer) { return peer.is_open; }));
  }

  CertifiedKey ca;
  CertifiedKey identity;
  TemporaryFile ca_file;
  TlsContextPtr context;
  Http2Limits limits;
  Http2Peer::Handler handler;
  asio::io_context server_loop;
  asio::io_context loop;
  asio::ip::tcp::acceptor acceptor;
  std::list<Http2Peer> peers;
  std::shared_ptr<FakeTime> time;
  std::shared_ptr<TimerQueue> timers;
  std::shared_ptr<HttpTransport> http;
  std::shared_ptr<std::vector<std::size_t>> sizes = std::make_shared<std::vector<std::size_t>>();
};

/// Answers every request with its own path.
inline void echo_path(Http2Peer& peer, std::int32_t stream, const Http2Request& request) { peer.answer(stream, request.path); }

/// Answers every request with its own path, but the last one for `/held`, which the test answers by hand.
class HeldAnswer {
 public:
  Http2Peer::Handler handler() {
    return [this](Http2Peer& peer, std::int32_t stream, const Http2Request& request) {
      if (request.path != "/held") return peer.answer(stream, request.path);
      peer_ = &peer;
      stream_ = stream;
    };
  }
  bool is_there() const { return peer_ != nullptr; }
  void start() const { peer_->start(stream_); }
  void send(const std::string& text) const { peer_->session.send(stream_, SharedBytes(text)); }
  void finish() const { peer_->session.finish(stream_, {}); }

 private:
  Http2Peer* peer_ = nullptr;
  std::int32_t stream_ = 0;
};

}  // namespace rollcall::testing
