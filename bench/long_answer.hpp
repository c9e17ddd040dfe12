// One long answer in pieces, for benches: a transport that gives it, and Boost.JSON's event parser alone on the same bytes.
#pragma once

#include <algorithm>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "measure.hpp"
#include "rollcall/http.hpp"

namespace bench {

constexpr std::size_t piece_size = 64 * 1024;  // the largest piece that the transport delivers

class NullHandler {
 public:
  using error_code = boost::json::error_code;
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t, error_code&) { return true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_object_end(std::size_t, error_code&) { return true; }
  bool on_key_part(std::string_view, std::size_t, error_code&) { return true; }
  bool on_key(std::string_view, std::size_t, error_code&) { return true; }
  bool on_string_part(std::string_view, std::size_t, error_code&) { return true; }
  bool on_string(std::string_view, std::size_t, error_code&) { return true; }
  bool on_number_part(std::string_view, error_code&) { return true; }
  bool on_int64(std::int64_t, std::string_view, error_code&) { return true; }
  bool on_uint64(std::uint64_t, std::string_view, error_code&) { return true; }
  bool on_double(double, std::string_view, error_code&) { return true; }
  bool on_bool(bool, error_code&) { return true; }
  bool on_null(error_code&) { return true; }
  bool on_comment_part(std::string_view, error_code&) { return true; }
  bool on_comment(std::string_view, error_code&) { return true; }
};

// Answers every request with the same bytes, and measures memory now and then.
class PieceTransport final : public rollcall::HttpTransport {
 public:
  explicit PieceTransport(const std::string& body) : body_(body) {}

  long peak_kb = 0;
  // The short answers beside the long one. Not set: they fail.
  std::function<std::string(const rollcall::HttpRequest&)> short_answer;

  asio::awaitable<rollcall::Result<rollcall::HttpResponse>> send(const rollcall::HttpRequest& request,
                                                                 const rollcall::ExchangeOptions&) override {
    co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);  // as a socket that is ready
    if (!short_answer) co_return rollcall::Failure(rollcall::Errc::unimplemented, "streams only");
    rollcall::HttpResponse response;
    response.status = 200;
    response.body = short_answer(request);
    co_return response;
  }
  asio::awaitable<rollcall::Result<std::unique_ptr<rollcall::HttpStream>>> open(const rollcall::HttpRequest&,
                                                                                const rollcall::ExchangeOptions&) override {
    std::unique_ptr<rollcall::HttpStream> stream = std::make_unique<Stream>(*this);
    co_return std::move(stream);
  }
  void close() override {}

 private:
  class Stream final : public rollcall::HttpStream {
   public:
    explicit Stream(PieceTransport& owner) : owner_(owner) { head_.status = 200; }
    const rollcall::HttpResponse& head() const override { return head_; }
    asio::awaitable<rollcall::Result<std::string_view>> read() override {
      co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);  // as a socket that is ready
      const std::string_view piece = std::string_view(owner_.body_).substr(at_, piece_size);
      if (at_ / piece_size % 8 == 0) owner_.peak_kb = std::max(owner_.peak_kb, heap_kb());
      at_ += piece.size();
      co_return piece;
    }

   private:
    PieceTransport& owner_;
    rollcall::HttpResponse head_;
    std::size_t at_ = 0;
  };

  const std::string& body_;
};

inline double parser_alone(const std::string& body) {
  boost::json::basic_parser<NullHandler> parser{boost::json::parse_options()};
  boost::json::error_code error;
  const double start = cpu_seconds();
  for (std::size_t at = 0; at < body.size(); at += piece_size) {
    const std::size_t size = std::min(piece_size, body.size() - at);
    parser.write_some(at + size < body.size(), body.data() + at, size, error);
  }
  const double seconds = cpu_seconds() - start;
  if (error) std::abort();
  return seconds;
}

}  // namespace bench
