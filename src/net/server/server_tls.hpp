// The server's side of TLS: chooses a context by the requested name, and limits concurrent handshakes.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstddef>
#include <memory>

#include "async/async_event.hpp"
#include "net/server/http_server.hpp"
#include "net/tls/tls_context.hpp"

struct ssl_ctx_st;

namespace rollcall {

class ServerTls : public std::enable_shared_from_this<ServerTls> {
 public:
  enum class Protocol { http1, http2 };  ///< for ALPN
  /// Sessions are resumed with http1 only, where no client certificate is requested. Null when OpenSSL cannot be set up.
  static std::shared_ptr<ServerTls> create(HttpServer::TlsChooser chooser, Protocol protocol);
  ServerTls(ssl_ctx_st* context, HttpServer::TlsChooser chooser, Protocol protocol)
      : context_(context), chooser_(std::move(chooser)), protocol_(protocol) {}
  ~ServerTls();
  ServerTls(const ServerTls&) = delete;
  ServerTls& operator=(const ServerTls&) = delete;

  /// A server object that keeps this one alive; null when out of memory.
  SslPtr make(int descriptor);
  Protocol protocol() const noexcept { return protocol_; }

 private:
  ssl_ctx_st* context_;  // its sessions' ticket keys are used for all names; certificates come from the chosen contexts
  HttpServer::TlsChooser chooser_;
  Protocol protocol_;
};

/// A handshake in progress needs several times the memory of an idle connection, and much more time of the loop: only this number runs at a
/// time, the others wait. A slow client loses its turn when others wait, otherwise a few that never finish would block all others.
class HandshakeTurns {
 public:
  /// `at_a_time` 0: no limit.
  explicit HandshakeTurns(std::size_t at_a_time) : free_(at_a_time), is_bounded_(at_a_time > 0) {}

  class Turn : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
   public:
    /// Enters the queue. `granted` is woken when it is this one's turn, if it is not at once.
    Turn(std::shared_ptr<HandshakeTurns> turns, AsyncEvent& granted);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    bool is_granted() const noexcept { return is_granted_; }
    /// Call after each fifth of the time limit of a handshake: false if others wait, and after the last fifth.
    bool may_go_on() noexcept { return ++fifths_ < 5 && turns_->queue_.empty(); }

   private:
    friend class HandshakeTurns;
    std::shared_ptr<HandshakeTurns> turns_;
    AsyncEvent& event_;
    int fifths_ = 0;
    bool is_granted_ = false;
  };

 private:
  std::size_t free_;
  bool is_bounded_;
  boost::intrusive::list<Turn, boost::intrusive::constant_time_size<false>> queue_;
};

}  // namespace rollcall
