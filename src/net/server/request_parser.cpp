#include "net/server/request_parser.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <optional>
#include <string>
#include <utility>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "base/wiped_buffer.hpp"

namespace rollcall {
namespace {

namespace http = boost::beast::http;
using BeastError = boost::beast::error_code;
using BeastView = boost::beast::string_view;

std::string_view to_view(BeastView text) { return std::string_view(text.data(), text.size()); }

constexpr std::size_t kept_bytes = 512;  // of a part of a request, for the next one

// While a connection waits for its next request, large buffers of the last one are freed.
void clear_large(std::string& text) {
  if (text.capacity() > kept_bytes) std::string().swap(text);
  text.clear();
}

// Writes parsed values directly into the request.
class Parser final : public http::basic_parser<true> {
 public:
  Parser(ServerRequest& into, std::size_t head_bytes) : into_(into) {
    header_limit(static_cast<std::uint32_t>(head_bytes));
    body_limit(boost::none);  // depends on the head
    eager(true);
  }
  /// False: it is already known to be longer.
  bool begin_body(std::size_t max_bytes, bool is_kept) {
    body_left_ = max_bytes;
    is_kept_ = is_kept;
    const auto length = content_length();
    if (length && *length > max_bytes) return false;
    max_bytes_ = static_cast<std::size_t>(length.value_or(max_bytes));
    return true;
  }
  bool expects_continue = false;
  bool is_http_1_0 = false;
  bool has_unknown_coding = false;

 private:
  void on_request_impl(http::verb, BeastView method, BeastView target, int version, BeastError&) override {
    is_http_1_0 = version < 11;
    into_.method = to_view(method);
    into_.target = to_view(target);
    for (const std::string_view scheme : {"http://", "https://"}) {
      if (!equals_ignoring_case(std::string_view(into_.target).substr(0, scheme.size()), scheme)) continue;
      read_absolute_form(scheme.size());
      break;
    }
  }
  void on_response_impl(int, BeastView, int, BeastError&) override {}
  void on_field_impl(http::field field, BeastView name, BeastView value, BeastError& error) override {
    if (is_head_whole_) return;  // a trailer's: decisions made from the head must not change
    if (field == http::field::host) {
      if (++hosts_ > 1 || !is_host(to_view(value))) error = http::error::bad_field;
      if (!is_absolute_) into_.host = to_view(value);
    }
    if (field == http::field::content_length && (++lengths_ > 1 || !is_number(to_view(value)))) error = http::error::bad_content_length;
    if (field == http::field::transfer_encoding) {
      has_unknown_coding = has_unknown_coding || !boost::beast::iequals(value, "chunked");
      if (++codings_ > 1 || is_http_1_0) error = http::error::bad_transfer_encoding;
    }
    if (field == http::field::expect) expects_continue = boost::beast::iequals(value, "100-continue");
    into_.headers.add(to_view(name), to_view(value));
  }
  void on_header_impl(BeastError& error) override {
    is_head_whole_ = true;
    if (hosts_ == 0 && !is_http_1_0) error = http::error::bad_field;
    if (lengths_ > 0 && codings_ > 0) error = http::error::bad_content_length;
    if (has_unknown_coding) error = http::error::bad_transfer_encoding;
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, BeastError&) override {}
  std::size_t on_body_impl(BeastView bytes, BeastError&) override { return take(bytes); }
  void on_chunk_header_impl(std::uint64_t size, BeastView, BeastError& error) override {
    if (size > body_left_) {
      error = http::error::body_limit;
    } else {
      body_left_ -= static_cast<std::size_t>(size);
    }
  }
  std::size_t on_chunk_body_impl(std::uint64_t, BeastView bytes, BeastError&) override { return take(bytes); }
  void on_finish_impl(BeastError&) override {}

  std::size_t take(BeastView bytes) {
    if (!is_kept_) return bytes.size();
    make_room(bytes.size());
    into_.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }

  // For what has arrived, not for what was announced. A string by itself would double beyond the limit.
  void make_room(std::size_t more) {
    const std::size_t needed = into_.body.size() + more;
    if (needed > into_.body.capacity()) reserve_and_wipe(into_.body, std::max(needed, std::min(2 * into_.body.capacity(), max_bytes_)));
  }

  // The target's own authority replaces the Host field (RFC 9112, 3.2.2).
  void read_absolute_form(std::size_t authority) {
    is_absolute_ = true;
    const std::size_t end = std::min(into_.target.find_first_of("/?", authority), into_.target.size());
    into_.host = into_.target.substr(authority, end - authority);
    into_.target.erase(0, end);
    if (!into_.target.starts_with('/')) into_.target.insert(0, "/");
  }

  static bool is_host(std::string_view value) {
    return value.empty() || (is_graphic(value) && value.find_first_of("/?#@\\,") == std::string_view::npos);
  }
  static bool is_number(std::string_view value) {
    return !value.empty() && std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
  }

  ServerRequest& into_;
  std::size_t body_left_ = 0;  // limit of what chunks may still announce
  std::size_t max_bytes_ = 0;       // of the body, as far as that is known
  bool is_kept_ = true;
  int hosts_ = 0;
  int lengths_ = 0;
  int codings_ = 0;
  bool is_absolute_ = false;
  bool is_head_whole_ = false;
};

// Checks each byte of a head once, for any number of pieces. Lines must end with CR LF, must not begin with a blank, and may contain no
// control character except the tab: Beast, like many parsers, is more lenient, or detects it late.
class HeadScan {
 public:
  /// Where the head ends in `bytes`. 0: it has not ended yet, or it has a fault.
  std::size_t end_of(std::string_view bytes) {
    while (at_ < bytes.size()) {
      const auto c = static_cast<unsigned char>(bytes[at_]);
      if (c != '\r') {
        if ((c < 0x20 && c != '\t') || c == 0x7f) return fail();
        ++at_;
        continue;
      }
      const std::string_view rest = bytes.substr(at_, 4);
      if (rest == "\r\n\r\n") return at_ + 4;
      if (std::string_view("\r\n\r\n").starts_with(rest)) return 0;  // the next bytes decide
      if (!rest.starts_with("\r\n") || rest[2] == ' ' || rest[2] == '\t' || rest[2] == '\r') return fail();
      at_ += 2;
    }
    return 0;
  }
  bool has_begun() const noexcept { return at_ > 0; }
  bool has_fault() const noexcept { return has_fault_; }

 private:
  std::size_t fail() noexcept {
    has_fault_ = true;
    return 0;
  }
  std::size_t at_ = 0;
  bool has_fault_ = false;
};

}  // namespace

class RequestParser::Impl {
 public:
  Impl(std::size_t head, std::size_t body) : head_bytes(head), body_bytes(body) {}

  void refuse(int status) {
    state = State::refused;
    refusal = status;
  }

  // Passes a head to Beast only when it is complete. Returns its end, or 0.
  std::size_t whole_head(std::string_view bytes) {
    const std::size_t end = scan.end_of(bytes);
    if (scan.has_fault()) {
      refuse(400);
    } else if (end > head_bytes || (end == 0 && bytes.size() >= head_bytes)) {
      refuse(431);
    }
    return state == State::needs_more ? end : 0;
  }

  // Bytes of the head, or of the body, not of both.
  std::size_t put(std::string_view bytes) {
    // The end of a chunked body has five bytes or more. Beast's assertions fail if a body begins with fewer.
    constexpr std::size_t shortest_end = 5;
    std::size_t consumed = 0;
    while (consumed < bytes.size() && state == State::needs_more) {
      const std::string_view rest = bytes.substr(consumed);
      if (parser->is_header_done() && parser->chunked() && rest.size() < shortest_end) break;
      BeastError error;
      const std::size_t n = parser->put(boost::asio::const_buffer(rest.data(), rest.size()), error);
      consumed += n;
      if (error && error != http::error::need_more) {
        refuse(parser->has_unknown_coding ? 501 : error == http::error::header_limit ? 431 : error == http::error::body_limit ? 413 : 400);
      } else if (parser->is_done()) {
        state = State::complete;
      } else if (n == 0 || error) {
        break;
      }
    }
    // A chunk's line with its extensions, or a trailer, without an end.
    if (state == State::needs_more && bytes.size() - consumed > head_bytes) refuse(431);
    return consumed;
  }

  const std::size_t head_bytes;
  const std::size_t body_bytes;
  std::optional<Parser> parser;
  HeadScan scan;
  State state = State::needs_more;
  int refusal = 0;
  bool has_body_terms = false;
};

RequestParser::RequestParser(std::size_t head_bytes, std::size_t body_bytes) : impl_(std::make_unique<Impl>(head_bytes, body_bytes)) {}
RequestParser::~RequestParser() = default;

void RequestParser::start(ServerRequest& into) {
  for (std::string* const part : {&into.method, &into.host, &into.target, &into.body}) clear_large(*part);
  std::size_t of_fields = 0;
  into.headers.each([&of_fields](std::string_view name, std::string_view value) { of_fields += name.size() + value.size(); });
  if (of_fields > kept_bytes) into.headers = HeaderList();
  into.headers.clear();
  impl_->parser.emplace(into, impl_->head_bytes);
  impl_->has_body_terms = false;
  impl_->scan = HeadScan();
  impl_->state = State::needs_more;
  impl_->refusal = 0;
}

void RequestParser::begin_body(std::size_t max_bytes, bool is_kept) {
  Impl& impl = *impl_;
  impl.has_body_terms = true;
  if (!impl.parser->begin_body(max_bytes, is_kept)) impl.refuse(413);
}

std::size_t RequestParser::put(std::string_view bytes) {
  Impl& impl = *impl_;
  const std::size_t of_head = has_head() ? 0 : put_head(bytes);
  if (impl.state != State::needs_more || !has_head()) return of_head;
  if (!impl.has_body_terms) begin_body(impl.body_bytes, true);
  return impl.state == State::needs_more ? of_head + impl.put(bytes.substr(of_head)) : of_head;
}

std::size_t RequestParser::put_head(std::string_view bytes) {
  Impl& impl = *impl_;
  if (impl.state != State::needs_more) return 0;
  // Empty lines before a request (RFC 9112, 2.2).
  std::size_t skipped = 0;
  while (!impl.scan.has_begun() && bytes.starts_with("\r\n")) {
    bytes.remove_prefix(2);
    skipped += 2;
  }
  const std::size_t head = impl.whole_head(bytes);
  if (head == 0) return skipped;
  const std::size_t consumed = impl.put(bytes.substr(0, head));
  if (impl.state == State::needs_more && !has_head())
    impl.refuse(400);  // Beast wants more data although there is none: a line is too short
  return skipped + consumed;
}

RequestParser::State RequestParser::state() const noexcept { return impl_->state; }
int RequestParser::refusal() const noexcept { return impl_->refusal; }
bool RequestParser::has_head() const noexcept { return impl_->parser->is_header_done(); }
bool RequestParser::is_http_1_0() const noexcept { return impl_->parser->is_http_1_0; }
bool RequestParser::wants_keep_alive() const noexcept { return impl_->parser->keep_alive(); }
bool RequestParser::take_expectation() noexcept {
  Impl& impl = *impl_;
  if (!impl.parser->is_header_done() || impl.state != State::needs_more) return false;
  return std::exchange(impl.parser->expects_continue, false);
}

}  // namespace rollcall
