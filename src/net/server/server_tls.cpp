#include "net/server/server_tls.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "net/tls/socket_bio.hpp"

namespace rollcall {

namespace {

using Owner = std::shared_ptr<ServerTls>;

void free_owner(void*, void* owner, CRYPTO_EX_DATA*, int, long, void*) { delete static_cast<Owner*>(owner); }

int connection_slot() {
  static const int slot = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, free_owner);
  return slot;
}

constexpr std::string_view http1_offer = "\x08http/1.1";
constexpr std::string_view http2_offer = "\x02h2";

int choose_protocol(SSL* ssl, const unsigned char** out, unsigned char* size, const unsigned char* offered, unsigned int offered_size,
                    void*) {
  const auto* const owner = static_cast<const Owner*>(SSL_get_ex_data(ssl, connection_slot()));
  const std::string_view ours = owner && (*owner)->protocol() == ServerTls::Protocol::http2 ? http2_offer : http1_offer;
  unsigned char* selected = nullptr;
  const int result = SSL_select_next_proto(&selected, size, reinterpret_cast<const unsigned char*>(ours.data()),
                                           static_cast<unsigned>(ours.size()), offered, offered_size);
  *out = selected;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

// A resumed session brings the certificate of its first handshake, without a check whether it has expired or its authority is still
// trusted.
// still.
void refuse_tickets(SSL* ssl, SSL_CTX* chosen) {
  SSL_set_options(ssl, SSL_OP_NO_TICKET);
  SSL_set_num_tickets(ssl, 0);
  SSL_set_max_cert_list(ssl, SSL_CTX_get_max_cert_list(chosen));
  SSL_set_verify_depth(ssl, SSL_CTX_get_verify_depth(chosen));
}

int on_server_name(SSL* ssl, int*, void* chooser) {
  const char* const name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  SSL_CTX* chosen = nullptr;
  try {
    chosen = (*static_cast<HttpServer::TlsChooser*>(chooser))(name ? name : "");
  } catch (...) {  // exceptions must not pass through OpenSSL
  }
  if (!chosen) return SSL_TLSEXT_ERR_ALERT_FATAL;
  SSL_set_SSL_CTX(ssl, chosen);
  SSL_CTX_set_alpn_select_cb(chosen, choose_protocol, nullptr);  // OpenSSL reads it from the chosen context
  SSL_set_verify(ssl, SSL_CTX_get_verify_mode(chosen), SSL_CTX_get_verify_callback(chosen));  // whether clients need a certificate
  if (SSL_CTX_get_verify_mode(chosen) != SSL_VERIFY_NONE) refuse_tickets(ssl, chosen);
  return SSL_TLSEXT_ERR_OK;
}

}  // namespace

std::shared_ptr<ServerTls> ServerTls::create(HttpServer::TlsChooser chooser, Protocol protocol) {
  SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
  if (!context) return nullptr;
  auto made = std::make_shared<ServerTls>(context, std::move(chooser), protocol);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF | SSL_OP_NO_RENEGOTIATION);
  // Sessions are stored by the clients: one ticket each, and no memory here for clients that do not come back.
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(context, protocol == Protocol::http1 ? 1 : 0);
  if (protocol == Protocol::http2) SSL_CTX_set_options(context, SSL_OP_NO_TICKET);  // its connections are few and last long
  static constexpr unsigned char id[] = "rollcall";
  SSL_CTX_set_session_id_context(context, id, sizeof id - 1);
  SSL_CTX_set_tlsext_servername_callback(context, on_server_name);
  SSL_CTX_set_tlsext_servername_arg(context, &made->chooser_);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
  return made;
}

ServerTls::~ServerTls() { SSL_CTX_free(context_); }

SslPtr ServerTls::make(int descriptor) {
  SslPtr ssl(SSL_new(context_));
  if (!ssl || !attach_socket(ssl.get(), descriptor)) return nullptr;
  auto owner = std::make_unique<Owner>(shared_from_this());
  if (SSL_set_ex_data(ssl.get(), connection_slot(), owner.get()) != 1) return nullptr;
  static_cast<void>(owner.release());
  set_stream_modes(ssl.get());
  SSL_set_accept_state(ssl.get());
  return ssl;
}

HandshakeTurns::Turn::Turn(std::shared_ptr<HandshakeTurns> turns, AsyncEvent& granted) : turns_(std::move(turns)), event_(granted) {
  is_granted_ = !turns_->is_bounded_ || turns_->free_ > 0;
  if (!is_granted_) {
    turns_->queue_.push_back(*this);
  } else if (turns_->is_bounded_) {
    --turns_->free_;
  }
}

HandshakeTurns::Turn::~Turn() {
  if (!is_granted_ || !turns_->is_bounded_) return;
  if (turns_->queue_.empty()) {
    ++turns_->free_;
    return;
  }
  Turn& next = turns_->queue_.front();
  turns_->queue_.pop_front();
  next.is_granted_ = true;
  next.event_.wake();
}

}  // namespace rollcall
