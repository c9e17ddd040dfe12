// What etcd's JSON gateway is asked and answers about one key: keys and values in Base64, 64-bit numbers as texts. Source: etcd's rpc.proto
// and kv.proto, written as proto3's JSON mapping says; measured with 3.4.23 and 3.6.14.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/limits.hpp"
#include "lease/wire/lease_record.hpp"
#include "rollcall/secret.hpp"

namespace rollcall::lease {

// Bodies of requests.
std::string render_key_question(std::string_view key);
/// Writes `next` if the key still has the version of `seen`.
std::string render_key_write(std::string_view key, const LeaseRecord& seen, const LeaseRecord& next);
Secret<std::string> render_password(std::string_view user, std::string_view password);

// Errors: malformed_response, naming the field; limit_exceeded.
/// The record of the key; none: its version is empty.
Result<LeaseRecord> parse_key_answer(std::string_view json, const ParseLimits& limits);
/// The version that was written; none: another write came first.
Result<std::optional<std::string>> parse_write_answer(std::string_view json, const ParseLimits& limits);
Result<Secret<std::string>> parse_password_answer(std::string_view json, const ParseLimits& limits);

/// Why etcd refuses: gRPC's code and words.
class EtcdRefusal {
 public:
  EtcdRefusal() {}
  int code = 0;
  std::string message;
};
/// None: it was not etcd that refused.
std::optional<EtcdRefusal> parse_etcd_refusal(std::string_view json, const ParseLimits& limits);
/// unauthenticated: of the token, or of the lack of one. limit_exceeded: etcd is out of space.
Errc code_of(const EtcdRefusal& refusal) noexcept;

}  // namespace rollcall::lease
