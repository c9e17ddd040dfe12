#include "net/codec/http2_answer.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/wiped_buffer.hpp"
#include "net/codec/content_coding.hpp"

namespace rollcall {
namespace {

constexpr std::size_t field_allowance = 32;  // of each field, in RFC 9113, 6.5.2

template <class Number>
std::optional<Number> whole_number(std::string_view text) noexcept {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

Http2Answer::Http2Answer(HttpResponse& into, std::size_t max_header_bytes, std::size_t max_body_bytes, bool is_in_pieces)
    : into_(into), max_header_bytes_(max_header_bytes), max_body_bytes_(max_body_bytes), is_in_pieces_(is_in_pieces) {
  into_.status = 0;
  into_.headers.clear();
}

Http2Answer::~Http2Answer() {
  clear_and_wipe(content);
  clear_and_wipe(request_body_);
}

void Http2Answer::begin_head() {
  if (has_head_) return;  // trailers
  into_.status = 0;
  into_.headers.clear();
  is_gzip_ = false;
  content_length_.reset();
}

void Http2Answer::count_field(std::size_t name_size, std::size_t value_size) {
  header_bytes_ += name_size + value_size + field_allowance;
  if (header_bytes_ > max_header_bytes_) fail(Errc::limit_exceeded, fmt::format("the answer's header is over {} bytes", max_header_bytes_));
}

bool Http2Answer::add_field(std::string_view name, std::string_view value) {
  if (is_over()) return !fault_;
  count_field(name.size(), value.size());
  if (fault_ || has_head_) return !fault_;  // a trailer: read, limited, and ignored
  if (name == ":status") {
    into_.status = whole_number<int>(value).value_or(0);
    if (into_.status < 100 || into_.status > 599) fail(Errc::malformed_response, "the answer has a status outside 100 … 599");
    return !fault_;
  }
  if (name == "content-length") {
    content_length_ = whole_number<std::uint64_t>(value);
  } else if (name == "content-encoding") {
    const std::optional<bool> is_gzip = is_gzip_coding(value);
    if (is_gzip_ || !is_gzip) fail(Errc::malformed_response, "the answer has a content encoding that was not asked for");
    is_gzip_ = is_gzip.value_or(false);
  }
  if (!fault_ && !name.starts_with(':')) into_.headers.add(name, value);
  return !fault_;
}

void Http2Answer::end_head() {
  if (is_over() || has_head_ || into_.status / 100 == 1) return;
  if (is_gzip_) max_body_bytes_ = max_encoded_bytes(max_body_bytes_);
  if (content_length_ && *content_length_ > max_body_bytes_) {
    return fail(Errc::limit_exceeded, fmt::format("the answer's body is over {} bytes", max_body_bytes_));
  }
  has_head_ = true;
}

void Http2Answer::add_content(std::string_view bytes) {
  if (is_over()) return;
  body_bytes_ += bytes.size();
  if (body_bytes_ > max_body_bytes_) return fail(Errc::limit_exceeded, fmt::format("the answer's body is over {} bytes", max_body_bytes_));
  append_and_wipe(content, bytes);
}

void Http2Answer::end() {
  if (is_over()) return;
  if (has_head_) {
    is_done_ = true;
  } else {
    fail(Errc::malformed_response, "the answer is not valid HTTP/2: it ends without a head");
  }
}

void Http2Answer::fail(Failure failure) {
  if (is_over()) return;
  fault_ = std::move(failure);
}

}  // namespace rollcall
