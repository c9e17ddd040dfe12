#include "net/http/http1_connection.hpp"

#include "rollcall/secret.hpp"

namespace rollcall {

void Http1Connection::begin(HttpResponse& into, std::size_t max_header_bytes, std::size_t max_body_bytes) {
  has_sent_any_ = false;
  has_received_any_ = false;
  parser_.start(into, max_header_bytes, max_body_bytes);
}

// The number of bytes that the socket accepts. Sets the next wait: for writing, or else for reading.
std::size_t Http1Connection::write(std::string_view bytes) {
  std::size_t taken = 0;
  wait_for_ = asio::ip::tcp::socket::wait_write;
  while (taken < bytes.size()) {
    const IoResult result = stream_.write_some(std::span<const char>(bytes).subspan(taken));
    if (result.status == IoStatus::done) {
      taken += result.bytes;
      has_sent_any_ = true;
      continue;
    }
    if (result.status == IoStatus::want_read) wait_for_ = asio::ip::tcp::socket::wait_read;
    is_write_broken_ = result.status != IoStatus::want_read && result.status != IoStatus::want_write;
    break;
  }
  if (taken == bytes.size() || is_write_broken_) wait_for_ = asio::ip::tcp::socket::wait_read;
  return taken;
}

void Http1Connection::send(std::string_view request) {
  const std::size_t taken = write(request);
  if (taken < request.size() && !is_write_broken_) unsent_ = request.substr(taken);
}

bool Http1Connection::send_rest() {
  const std::size_t taken = write(std::string_view(unsent_).substr(sent_));
  sent_ += taken;
  if (sent_ == unsent_.size() || is_write_broken_) forget_request();
  return taken > 0;
}

void Http1Connection::forget_request() noexcept {
  wipe(unsent_.data(), unsent_.size());
  unsent_.clear();
  sent_ = 0;
}

IoResult Http1Connection::read(std::span<char> buffer) {
  const IoResult result = stream_.read_some(buffer);
  wait_for_ = result.status == IoStatus::want_write ? asio::ip::tcp::socket::wait_write : asio::ip::tcp::socket::wait_read;
  if (result.status == IoStatus::done) has_received_any_ = true;
  return result;
}

std::string_view Http1Connection::take_head(std::string_view bytes) { return bytes.substr(parser_.put_head(bytes)); }

void Http1Connection::take_body(std::string_view bytes, std::string& out, std::string_view* part) {
  if (!parser_.is_done()) bytes.remove_prefix(parser_.put_body(bytes, out, part));
  has_excess_ = !bytes.empty();
}

}  // namespace rollcall
