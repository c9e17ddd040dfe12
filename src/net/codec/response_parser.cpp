#include "net/codec/response_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <limits>
#include <utility>

#include "base/text.hpp"
#include "base/wiped_buffer.hpp"
#include "net/codec/content_coding.hpp"

namespace rollcall {

namespace beast = boost::beast;
namespace http = boost::beast::http;

namespace {

// Ends a body that is over its limit; the parser's own limit does not consider encodings.
const http::error body_too_long = http::error::body_limit;
// The usual size of a chunk's size line and line ends; more counts as overhead.
constexpr std::uint64_t chunk_allowance = 24;
constexpr std::size_t fields_reserved_at_most = 4096;  // for fields, before it is known whether there are any

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

// Decision: Beast's message parser stores every field in a container of its own; this one passes them on and stores nothing.
class BeastParser final : public http::basic_parser<false> {
 public:
  explicit BeastParser(HttpResponse& into, std::size_t max_body_bytes) : into_(into), max_body_bytes_(max_body_bytes) {}

  std::string* out = nullptr;
  std::string_view* part = nullptr;  // see ResponseParser::put_body()
  std::uint64_t body_bytes = 0;
  std::uint64_t chunks = 0;
  bool is_head_done = false;
  bool is_gzip = false;
  const char* complaint = nullptr;

 private:
  void on_request_impl(http::verb, beast::string_view, beast::string_view, int, beast::error_code&) override {}

  void on_response_impl(int code, beast::string_view, int, beast::error_code& ec) override {
    into_.status = code;
    if (code >= 100 && code <= 599) return;
    complaint = "a status outside 100 … 599";
    ec = http::error::bad_status;
  }

  void on_field_impl(http::field field, beast::string_view name, beast::string_view value, beast::error_code& ec) override {
    if (is_head_done) return;  // a trailer: read, limited, and ignored
    if (field == http::field::transfer_encoding && !equals_ignoring_case(view(value), "chunked")) {
      complaint = "a transfer coding other than chunked";
      ec = http::error::bad_transfer_encoding;
      return;
    }
    if (field == http::field::content_encoding) {
      const std::optional<bool> gzip = is_gzip_coding(view(value));
      if (is_gzip || !gzip) {
        complaint = "a content encoding that was not asked for";
        ec = http::error::bad_value;
        return;
      }
      is_gzip = *gzip;
    }
    if (view(name).find('\0') != std::string_view::npos || view(value).find('\0') != std::string_view::npos) {
      ec = http::error::bad_value;
      return;
    }
    into_.headers.add(view(name), view(value));
  }

  void on_header_impl(beast::error_code&) override {
    is_head_done = true;
    if (is_gzip) max_body_bytes_ = max_encoded_bytes(max_body_bytes_);
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>& length, beast::error_code& ec) override {
    if (length && *length > max_body_bytes_) ec = body_too_long;
  }

  std::size_t on_body_impl(beast::string_view bytes, beast::error_code& ec) override {
    body_bytes += bytes.size();
    if (body_bytes > max_body_bytes_) {
      ec = body_too_long;
    } else {
      hand_out(view(bytes));
    }
    return bytes.size();
  }

  void on_chunk_header_impl(std::uint64_t size, beast::string_view, beast::error_code& ec) override {
    ++chunks;
    if (size > max_body_bytes_ || body_bytes > max_body_bytes_ - size) ec = body_too_long;
  }

  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view bytes, beast::error_code& ec) override {
    return on_body_impl(bytes, ec);
  }

  void on_finish_impl(beast::error_code&) override {}

  void hand_out(std::string_view bytes) {
    if (part && part->empty() && out->empty()) {
      *part = bytes;
      return;
    }
    if (part && !part->empty()) append_and_wipe(*out, std::exchange(*part, {}));
    append_and_wipe(*out, bytes);
  }

  HttpResponse& into_;
  std::size_t max_body_bytes_;
};

std::string describe(const BeastParser& parser, const beast::error_code& ec) {
  if (parser.complaint) return fmt::format("the answer has {}", parser.complaint);
  return fmt::format("the answer is not valid HTTP/1: {}", ec.message());
}

}  // namespace

class ResponseParser::Impl {
 public:
  std::optional<BeastParser> parser;
  HttpResponse* into = nullptr;
  std::size_t max_body_bytes = 0;

  void restart(std::size_t max_header_bytes) {
    into->status = 0;
    into->headers.clear();
    parser.emplace(*into, max_body_bytes);
    parser->header_limit(static_cast<std::uint32_t>(std::min<std::size_t>(max_header_bytes, std::numeric_limits<std::uint32_t>::max())));
    parser->body_limit(boost::none);
    parser->eager(false);
  }
};

ResponseParser::ResponseParser() : impl_(std::make_unique<Impl>()) {}
ResponseParser::~ResponseParser() { clear_and_wipe(tail_); }

void ResponseParser::start(HttpResponse& into, std::size_t max_header_bytes, std::size_t max_body_bytes) {
  impl_->into = &into;
  impl_->max_body_bytes = max_body_bytes;
  max_header_bytes_ = max_header_bytes;
  header_bytes_ = 0;
  body_wire_bytes_ = 0;
  has_head_ = is_done_ = is_gzip_ = false;
  fault_.reset();
  clear_and_wipe(tail_);
  impl_->restart(max_header_bytes);
}

void ResponseParser::fail(Errc code, std::string what) {
  if (!fault_) fault_ = Failure(code, std::move(what));
  is_done_ = false;
}

// After a complete header: false if it was an interim answer and the next one must be read.
bool ResponseParser::settle_head() {
  const int status = impl_->into->status;
  if (status / 100 == 1) {
    if (status == 101) {
      fail(Errc::malformed_response, "the answer switches protocols, which was not asked for");
      return true;
    }
    impl_->restart(max_header_bytes_);
    return false;
  }
  has_head_ = true;
  is_done_ = impl_->parser->is_done();
  is_gzip_ = impl_->parser->is_gzip;
  impl_->parser->eager(true);
  return true;
}

std::size_t ResponseParser::put_head(std::string_view bytes) {
  const std::size_t before = tail_.size();
  if (before) append_and_wipe(tail_, bytes);
  std::string_view rest = before ? std::string_view(tail_) : bytes;
  if (header_bytes_ == 0) impl_->into->headers.reserve(std::min({rest.find("\r\n\r\n"), rest.size(), fields_reserved_at_most}));
  while (!rest.empty() && !fault_ && !has_head_) {
    beast::error_code ec;
    const std::size_t taken = impl_->parser->put({rest.data(), rest.size()}, ec);
    rest.remove_prefix(taken);
    header_bytes_ += taken;
    if (ec == http::error::need_more) ec = {};
    if (ec == http::error::header_limit || header_bytes_ > max_header_bytes_) {
      fail(Errc::limit_exceeded, fmt::format("the answer's header is over {} bytes", max_header_bytes_));
    } else if (ec) {
      fail(Errc::malformed_response, describe(*impl_->parser, ec));
    } else if (impl_->parser->is_header_done()) {
      if (settle_head()) break;
    } else {
      break;
    }
  }
  if (has_head_ || fault_) {
    const std::size_t left = std::min(rest.size(), bytes.size());
    clear_and_wipe(tail_);
    return bytes.size() - left;
  }
  if (header_bytes_ + rest.size() > max_header_bytes_) {
    fail(Errc::limit_exceeded, fmt::format("the answer's header is over {} bytes", max_header_bytes_));
  }
  if (before) {
    drop_front_and_wipe(tail_, tail_.size() - rest.size());
  } else {
    append_and_wipe(tail_, rest);
  }
  return bytes.size();
}

std::size_t ResponseParser::put_body(std::string_view bytes, std::string& out, std::string_view* part) {
  if (is_done_ || fault_) return 0;
  const std::size_t before = tail_.size();
  if (before) append_and_wipe(tail_, bytes);
  // Beast 1.81 asserts that a last chunk is resumed with at least five bytes, but a slow sender may send fewer.
  if (before && tail_.front() == '0' && tail_.size() < 5) return bytes.size();
  std::string_view rest = before ? std::string_view(tail_) : bytes;
  BeastParser& parser = *impl_->parser;
  parser.out = &out;
  parser.part = before ? nullptr : part;
  beast::error_code ec;
  while (!rest.empty() && !ec && !parser.is_done()) {
    const std::size_t taken = parser.put({rest.data(), rest.size()}, ec);
    rest.remove_prefix(taken);
    body_wire_bytes_ += taken;
    if (!taken) break;
  }
  is_done_ = parser.is_done();
  const std::uint64_t overhead = body_wire_bytes_ - std::min(body_wire_bytes_, parser.body_bytes + chunk_allowance * (parser.chunks + 1));
  if (ec == body_too_long) {
    fail(Errc::limit_exceeded, fmt::format("the answer's body is over {} bytes", impl_->max_body_bytes));
  } else if (ec && ec != http::error::need_more) {
    fail(Errc::malformed_response, describe(parser, ec));
  } else if (parser.chunked() && (overhead > max_header_bytes_ || (!is_done_ && rest.size() > max_header_bytes_))) {
    fail(Errc::limit_exceeded, fmt::format("the answer's chunk extensions or trailer are over {} bytes", max_header_bytes_));
  }
  if (is_done_ || fault_) {
    const std::size_t left = std::min(rest.size(), bytes.size());
    clear_and_wipe(tail_);
    return bytes.size() - left;
  }
  if (before) {
    drop_front_and_wipe(tail_, tail_.size() - rest.size());
  } else {
    append_and_wipe(tail_, rest);
  }
  return bytes.size();
}

void ResponseParser::put_end() {
  if (is_done_ || fault_) return;
  if (!has_head_) {
    const bool none = header_bytes_ == 0 && tail_.empty();
    fail(Errc::unreachable, none ? "the connection was closed before an answer" : "the connection was closed inside the answer's header");
    return;
  }
  BeastParser& parser = *impl_->parser;
  if (parser.need_eof()) {
    is_done_ = true;
  } else if (parser.chunked()) {
    fail(Errc::unreachable, fmt::format("the connection was closed inside a chunked body, after {} bytes", parser.body_bytes));
  } else {
    fail(Errc::unreachable, fmt::format("the connection was closed after {} of {} bytes", parser.body_bytes, content_length().value_or(0)));
  }
}

bool ResponseParser::keep_alive() const noexcept { return has_head_ && impl_->parser->keep_alive(); }

std::optional<std::uint64_t> ResponseParser::content_length() const {
  const auto length = impl_->parser->content_length();
  return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
}

}  // namespace rollcall
