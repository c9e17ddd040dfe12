#include "net/server/request_parser.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace rollcall {
namespace {

namespace http = boost::beast::http;
using BeastError = boost::beast::error_code;
using BeastView = boost::beast::string_view;

std::string_view to_view(BeastView text) { return std::string_view(text.data(), text.size()); }

// Writes what is parsed straight into the request.
class Parser final : public http::basic_parser<true> {
 public:
  explicit Parser(ServerRequest& into) : into_(into) {
    header_limit(RequestParser::max_header_bytes);
    body_limit(RequestParser::max_body_bytes);
    eager(true);
  }
  bool expects_continue = false;

 private:
  void on_request_impl(http::verb, BeastView method, BeastView target, int, BeastError&) override {
    into_.method = to_view(method);
    into_.target = to_view(target);
    for (const std::string_view scheme : {"http://", "https://"}) {
      if (!equals_ignoring_case(std::string_view(into_.target).substr(0, scheme.size()), scheme)) continue;
      read_absolute_form(scheme.size());
      break;
    }
  }
  void on_response_impl(int, BeastView, int, BeastError&) override {}
  void on_field_impl(http::field field, BeastView name, BeastView value, BeastError&) override {
    if (field == http::field::host && !is_absolute_) into_.host = to_view(value);
    if (field == http::field::expect) expects_continue = boost::beast::iequals(value, "100-continue");
    into_.headers.add(to_view(name), to_view(value));
  }
  void on_header_impl(BeastError&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, BeastError&) override {
    if (length && *length <= RequestParser::max_body_bytes) into_.body.reserve(static_cast<std::size_t>(*length));
  }
  std::size_t on_body_impl(BeastView bytes, BeastError&) override {
    into_.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(std::uint64_t, BeastView, BeastError&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, BeastView bytes, BeastError&) override {
    into_.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_finish_impl(BeastError&) override {}

  // The target's own authority takes the place of the Host field (RFC 9112, 3.2.2).
  void read_absolute_form(std::size_t authority) {
    is_absolute_ = true;
    const std::size_t end = std::min(into_.target.find_first_of("/?", authority), into_.target.size());
    into_.host = into_.target.substr(authority, end - authority);
    into_.target.erase(0, end);
    if (!into_.target.starts_with('/')) into_.target.insert(0, "/");
  }

  ServerRequest& into_;
  bool is_absolute_ = false;
};

}  // namespace

class RequestParser::Impl {
 public:
  std::optional<Parser> parser;
  State state = State::needs_more;
  int refusal = 0;
};

RequestParser::RequestParser() : impl_(std::make_unique<Impl>()) {}
RequestParser::~RequestParser() = default;

void RequestParser::start(ServerRequest& into) {
  into.method.clear();
  into.host.clear();
  into.target.clear();
  into.headers.clear();
  into.body.clear();
  impl_->parser.emplace(into);
  impl_->state = State::needs_more;
  impl_->refusal = 0;
}

std::size_t RequestParser::put(std::string_view bytes) {
  Impl& impl = *impl_;
  std::size_t consumed = 0;
  while (consumed < bytes.size() && impl.state == State::needs_more) {
    BeastError error;
    const std::size_t n = impl.parser->put(boost::asio::const_buffer(bytes.data() + consumed, bytes.size() - consumed), error);
    consumed += n;
    if (error && error != http::error::need_more) {
      impl.state = State::refused;
      impl.refusal = 400;
      if (error == http::error::header_limit) impl.refusal = 431;
      if (error == http::error::body_limit) impl.refusal = 413;
      break;
    }
    if (impl.parser->is_done()) {
      impl.state = State::complete;
    } else if (n == 0 || error) {
      break;
    }
  }
  return consumed;
}

RequestParser::State RequestParser::state() const noexcept { return impl_->state; }
int RequestParser::refusal() const noexcept { return impl_->refusal; }
bool RequestParser::wants_keep_alive() const noexcept { return impl_->parser->keep_alive(); }
bool RequestParser::take_expectation() noexcept {
  Impl& impl = *impl_;
  if (!impl.parser->is_header_done() || impl.state != State::needs_more) return false;
  return std::exchange(impl.parser->expects_continue, false);
}

}  // namespace rollcall
