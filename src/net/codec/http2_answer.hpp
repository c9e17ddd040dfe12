// One answer on an HTTP/2 connection, as far as it has arrived: its head, the content that is not taken yet, its end or its fault.
#pragma once

#include <boost/intrusive/list_hook.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {

class Http2Answer : public boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  /// Status and fields are stored in `into`, which must outlive it. `max_header_bytes` limits the fields of all heads, interim answers and
  /// trailers included, with 32 bytes for each field; `max_body_bytes` the body as ResponseParser::start(). With `is_in_pieces` the server
  /// may send more only after content was taken.
  Http2Answer(HttpResponse& into, std::size_t max_header_bytes, std::size_t max_body_bytes, bool is_in_pieces);
  ~Http2Answer();
  Http2Answer(const Http2Answer&) = delete;
  Http2Answer& operator=(const Http2Answer&) = delete;

  bool has_head() const noexcept { return has_head_; }
  /// The answer is complete, except for content that is not taken.
  bool is_done() const noexcept { return is_done_; }
  /// The fault, if any: malformed_response, limit_exceeded, unreachable, rate_limited; the answer ends there. In Phase::overall: the server
  /// certainly did not process the request.
  const std::optional<Failure>& fault() const noexcept { return fault_; }
  bool has_received_any() const noexcept { return header_bytes_ > 0; }
  /// The request's head has been passed on for sending.
  bool is_sent() const noexcept { return is_sent_; }
  // Once has_head():
  bool is_gzip() const noexcept { return is_gzip_; }
  std::optional<std::uint64_t> content_length() const noexcept { return content_length_; }

  /// Content that is not taken yet; see Http2Client::note_taken().
  std::string content;

 private:
  friend class Http2Client;
  void begin_head();
  /// False: the answer has a fault.
  bool add_field(std::string_view name, std::string_view value);
  void count_field(std::size_t name_size, std::size_t value_size);
  void end_head();
  void add_content(std::string_view bytes);
  void end();
  void fail(Failure failure);
  void fail(Errc code, std::string what) { fail(Failure(code, std::move(what)).with_phase(Phase::response)); }
  bool is_over() const noexcept { return is_done_ || fault_; }

  HttpResponse& into_;
  const std::size_t max_header_bytes_;
  std::size_t max_body_bytes_;
  const bool is_in_pieces_;
  std::int32_t stream_ = 0;  // 0: not begun, or forgotten
  std::string request_body_;
  std::size_t body_sent_ = 0;  // of request_body_
  std::size_t header_bytes_ = 0;
  std::uint64_t body_bytes_ = 0;
  std::optional<std::uint64_t> content_length_;
  std::optional<Failure> fault_;
  bool is_sent_ = false;
  bool has_head_ = false;
  bool is_done_ = false;
  bool is_gzip_ = false;
};

}  // namespace rollcall
