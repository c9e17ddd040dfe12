// One connection of the HTTP server: its coroutine reads requests, has them answered in sequence, and ends. Ten thousand of them wait most
// of the time, so a waiting connection must need only some hundred bytes.
#pragma once

#include <asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/server/answer_writer.hpp"
#include "net/server/request_parser.hpp"
#include "net/server/server_link.hpp"

namespace rollcall {

class ServerConnection final : public AnswerWriter, public ServerLink {
 public:
  ServerConnection(std::shared_ptr<ServerShared> shared, asio::ip::tcp::socket socket, std::shared_ptr<ServerTls> tls);
  ~ServerConnection() override;

  asio::awaitable<void> run() override;
  const ServerRequest& request() const override { return request_; }
  asio::awaitable<int> read_body(std::string& into) override;
  asio::awaitable<bool> wait_writable() override;
  SendingTimes sending_times() override;

 private:
  enum class Reading {
    more,      ///< wait for wait_for_, then continue to read
    complete,  ///< a request; its body may be left to the handler
    refused,   ///< refusal_ must be sent, and the connection closed
    ended,     ///< the client has gone, or there is nothing to send
  };

  // Requests.
  enum class Part { request, body };
  asio::awaitable<Reading> read_request(Part part);
  void begin_request();
  Reading read();
  Reading take(std::string_view bytes);
  std::size_t parse(std::string_view bytes);
  Reading late() noexcept;
  void give_up_body() noexcept;
  void keep(std::string_view rest);
  asio::awaitable<void> refuse();

  // Answers, and detection of the client's end meanwhile.
  asio::awaitable<bool> send(std::span<const std::string_view> pieces) override;
  /// The time limit for this number of bytes; absent: there is no limit.
  std::optional<SteadyTime> end_of_sending(std::size_t bytes) const noexcept;
  void on_watched() override;
  void watch();
  void unwatch();
  void on_readable(std::uint64_t number);
  void drop() noexcept;

  RequestParser parser_;
  BodyRoom* room_ = nullptr;  ///< of the body that the handler reads
  std::string input_;  ///< read and not yet parsed: part of a head, or the next request
  std::uint64_t watch_ = 0;  ///< counts the waits of watch(): the handler of an ended wait may still be queued
  asio::ip::tcp::socket::wait_type wait_for_ = asio::ip::tcp::socket::wait_read;
  int refusal_ = 0;
  bool has_begun_ = false;  ///< bytes of the request have arrived
  bool is_in_body_ = false;
  bool is_body_left_ = false;     ///< left to the handler, which has not read all of it
  bool is_watched_ = false;
};

}  // namespace rollcall
