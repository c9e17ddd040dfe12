// What etcd's JSON gateway is asked and answers: keys and values in Base64, 64-bit numbers as texts. Source: etcd's rpc.proto and kv.proto,
// written as proto3's JSON mapping says; measured with 3.4.23 and 3.6.14.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/limits.hpp"
#include "rollcall/error.hpp"
#include "rollcall/secret.hpp"
#include "store/wire/values.hpp"

namespace rollcall::store {

/// One page of what begins with a prefix.
class RangeQuestion {
 public:
  RangeQuestion() {}
  std::string from;  ///< the first key
  std::string end;  ///< the first key behind the last
  std::size_t limit = 0;
  std::uint64_t revision = 0;  ///< as it was then; 0: now
  bool may_be_old = false;
};

// Bodies of requests.
std::string render_range(const RangeQuestion& question);
/// All writes if all compares hold; else the keys of the compares are told as they are.
std::string render_transaction(const Transaction& transaction);
std::string render_watch(std::string_view prefix, std::uint64_t after_revision);
std::string render_grant(std::int64_t seconds);
std::string render_lease(std::int64_t lease);
Secret<std::string> render_sign_in(std::string_view user, std::string_view password);

/// What all answers begin with.
class EtcdHeader {
 public:
  EtcdHeader() {}
  std::string cluster;  ///< its id
  std::uint64_t revision = 0;  ///< of the store when it answered; 0: it does not say
};

class RangeAnswer {
 public:
  RangeAnswer() {}
  EtcdHeader header;
  std::vector<Entry> entries;
  bool has_more = false;
};

class TransactionAnswer {
 public:
  TransactionAnswer() {}
  EtcdHeader header;
  bool is_written = false;
  std::vector<Entry> compared;
};

class LeaseAnswer {
 public:
  LeaseAnswer() {}
  EtcdHeader header;
  std::int64_t id = 0;
  std::int64_t seconds = 0;  ///< 0: it has ended
};

/// Why etcd refuses: gRPC's code and words.
class EtcdRefusal {
 public:
  EtcdRefusal() {}
  int code = 0;
  std::string message;
};

/// What a refusal means to who asked. unauthenticated: of the token, or of the lack of one.
/// The request was larger than this store takes: others may fit.
bool is_too_large(const EtcdRefusal& refusal) noexcept;
Errc code_of(const EtcdRefusal& refusal) noexcept;

/// One line of a watch.
class WatchAnswer {
 public:
  WatchAnswer() {}
  EtcdHeader header;
  bool is_created = false;
  bool is_ended = false;
  bool is_part = false;  ///< the rest of the last change's revision comes in the next line
  std::uint64_t compact_revision = 0;
  std::string reason;  ///< of its end
  std::vector<Change> changes;
  std::optional<EtcdRefusal> refusal;
};

// Errors of all: malformed_response, naming the field; limit_exceeded.
Result<RangeAnswer> parse_range(std::string_view json, const ParseLimits& limits);
Result<TransactionAnswer> parse_transaction(std::string_view json, const ParseLimits& limits);
Result<LeaseAnswer> parse_grant(std::string_view json, const ParseLimits& limits);
Result<LeaseAnswer> parse_keep_alive(std::string_view json, const ParseLimits& limits);
Result<WatchAnswer> parse_watch(std::string_view line, const ParseLimits& limits);
Result<Secret<std::string>> parse_sign_in(std::string_view json, const ParseLimits& limits);
/// None: it was not etcd that refused.
std::optional<EtcdRefusal> parse_refusal(std::string_view json, const ParseLimits& limits);

}  // namespace rollcall::store
