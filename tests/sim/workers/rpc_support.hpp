// Calls to simulated workers.
#pragma once

#include "sim/support.hpp"

namespace rollcall::sim {

// The workers of two_workers().
inline const std::string worker_a = "10.0.0.2:8470";
inline const std::string worker_b = "10.0.0.3:8470";

inline constexpr const char* get_status = "/tensorflow.WorkerService/GetStatus";
inline constexpr const char* list_devices = "/tensorflow.MasterService/ListDevices";
inline constexpr const char* create_session = "/tensorflow.MasterService/CreateSession";
inline constexpr const char* close_session = "/tensorflow.MasterService/CloseSession";

inline RpcRequest rpc_request(std::string address, std::string method, std::string message = "") {
  RpcRequest request(std::move(address), std::move(method));
  request.message = std::move(message);
  return request;
}

/// A message whose field 1 is this short text.
inline std::string with_handle(const std::string& handle) { return "\x0a" + std::string(1, static_cast<char>(handle.size())) + handle; }

inline RpcReply ask_rpc(Cloud& cloud, std::string address, std::string method, double at = 0, std::string message = "") {
  return cloud.handle_rpc(rpc_request(std::move(address), std::move(method), std::move(message)), second(at));
}

/// The devices of a list: `L` for a local one, `R` for a remote one, and the part of its name after /job:.
inline std::vector<std::string> devices_of(const std::string& message) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at + 4 < message.size();) {
    const auto size = static_cast<unsigned char>(message[at + 1]);
    const auto name = static_cast<unsigned char>(message[at + 3]);
    out.push_back((message[at] == '\x0a' ? "L " : "R ") + message.substr(at + 4 + 5, name - 5u));
    at += 2 + size;
  }
  return out;
}

using Names = std::vector<std::string>;

}  // namespace rollcall::sim
