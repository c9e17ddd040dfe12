#include "net/tls/socket_bio.hpp"

#include <openssl/bio.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>

namespace rollcall {
namespace {

int descriptor_of(BIO* bio) noexcept { return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(bio))); }

bool is_temporary(int error) noexcept { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

int bio_write(BIO* bio, const char* data, std::size_t size, std::size_t* written) {
  BIO_clear_retry_flags(bio);
  const ssize_t n = ::send(descriptor_of(bio), data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n >= 0) {
    *written = static_cast<std::size_t>(n);
    return 1;
  }
  if (is_temporary(errno)) BIO_set_retry_write(bio);
  return 0;
}

int bio_read(BIO* bio, char* data, std::size_t size, std::size_t* read) {
  BIO_clear_retry_flags(bio);
  const ssize_t n = ::recv(descriptor_of(bio), data, size, MSG_DONTWAIT);
  if (n > 0) {
    *read = static_cast<std::size_t>(n);
    return 1;
  }
  if (n == 0) {
    BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  } else if (is_temporary(errno)) {
    BIO_set_retry_read(bio);
  }
  return 0;
}

long bio_ctrl(BIO* bio, int command, long, void*) {
  switch (command) {
    case BIO_CTRL_EOF: return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
    case BIO_CTRL_FLUSH: return 1;
    default: return 0;
  }
}

int bio_create(BIO* bio) {
  BIO_set_init(bio, 1);
  return 1;
}

// Never freed: BIOs of long-lived streams still point to it.
const BIO_METHOD* method() {
  static const BIO_METHOD* const made = [] {
    BIO_METHOD* m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "rollcall socket");
    if (m) {
      BIO_meth_set_write_ex(m, bio_write);
      BIO_meth_set_read_ex(m, bio_read);
      BIO_meth_set_ctrl(m, bio_ctrl);
      BIO_meth_set_create(m, bio_create);
    }
    return m;
  }();
  return made;
}

}  // namespace

bool attach_socket(SSL* ssl, int descriptor) {
  BIO* const bio = method() ? BIO_new(method()) : nullptr;
  if (!bio) return false;
  BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)));
  SSL_set_bio(ssl, bio, bio);
  return true;
}

bool attach_tls(SSL* ssl, SSL* outer) {
  BIO* const bio = BIO_new(BIO_f_ssl());
  if (!bio) return false;
  SSL_set_read_ahead(outer, 0);  // whether it has read ahead is not asked
  BIO_set_ssl(bio, outer, BIO_CLOSE);
  SSL_set_bio(ssl, bio, bio);
  return true;
}

void set_stream_modes(SSL* ssl) noexcept {
  SSL_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

}  // namespace rollcall
