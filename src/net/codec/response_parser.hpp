// Parses one HTTP/1 answer: bytes in, status, fields and body out. No I/O. response_parser.cpp is the only file of the library that
// includes Boost.Beast; the simulated cloud's server has another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/http_message.hpp"

namespace rollcall {

class ResponseParser {
 public:
  ResponseParser();
  ~ResponseParser();
  ResponseParser(const ResponseParser&) = delete;
  ResponseParser& operator=(const ResponseParser&) = delete;

  /// Begins an answer. Status and fields are stored in `into`, which must outlive it. `max_header_bytes` limits status line and fields
  /// (interim answers included), and separately the overhead of a chunked body: sizes, extensions, trailer. `max_body_bytes` limits the
  /// body as it is sent; an encoded one may be a little longer, see is_gzip().
  void start(HttpResponse& into, std::size_t max_header_bytes, std::size_t max_body_bytes);

  /// Takes bytes up to the end of the header and returns how many; all of them while !has_head().
  std::size_t put_head(std::string_view bytes);
  /// Takes bytes of the body, whose data is appended to `out`, and returns how many; all of them while !is_done().
  std::size_t put_body(std::string_view bytes, std::string& out) { return put_body(bytes, out, nullptr); }
  /// The same without a copy where possible: `part` is set to the data if all of it is contiguous in `bytes`; `out`, which must be empty,
  /// then stays so. Without `part`, or if it is not contiguous, the data is appended to `out`.
  std::size_t put_body(std::string_view bytes, std::string& out, std::string_view* part);
  /// The peer closed: the answer is complete, or the truncation is a fault of kind unreachable.
  void put_end();

  bool has_head() const noexcept { return has_head_; }
  bool is_done() const noexcept { return is_done_; }
  /// The fault, if any: malformed_response, limit_exceeded, unreachable. The text speaks of "the answer".
  const std::optional<Failure>& fault() const noexcept { return fault_; }

  // Valid once has_head().
  bool is_gzip() const noexcept { return is_gzip_; }
  bool keep_alive() const noexcept;
  std::optional<std::uint64_t> content_length() const;

 private:
  class Impl;
  void fail(Errc code, std::string what);
  bool settle_head();

  std::unique_ptr<Impl> impl_;
  std::optional<Failure> fault_;
  std::string tail_;  // of a header, chunk line or trailer that is not complete
  std::size_t max_header_bytes_ = 0;
  std::size_t header_bytes_ = 0;
  std::uint64_t body_wire_bytes_ = 0;
  bool has_head_ = false;
  bool is_done_ = false;
  bool is_gzip_ = false;
};

}  // namespace rollcall
