// A kept connection and the parser that goes with it. It owns no read buffer: the transport's serves all.
#pragma once

#include <memory>

#include "net/codec/response_parser.hpp"
#include "net/socket/stream.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

class Connection {
 public:
  explicit Connection(Stream connected) : stream(std::move(connected)), is_loopback(stream.is_peer_loopback()) {}
  Stream stream;
  const bool is_loopback;  ///< by the address that it is connected to
  ResponseParser parser;
  SteadyTime idle_since{};
};

using ConnectionPtr = std::unique_ptr<Connection>;

}  // namespace rollcall
