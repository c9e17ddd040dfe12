// A certificate authority that is created at start, and signs a leaf for a host name at its first request.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"

struct ssl_ctx_st;
struct x509_st;
struct evp_pkey_st;

namespace rollcall::sim {

class Authority {
 public:
  /// EC P-256, valid for a year from a day ago. Errors: failed_precondition with OpenSSL's reason.
  static Result<std::shared_ptr<Authority>> create();
  ~Authority();
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;

  const std::string& pem() const noexcept { return pem_; }
  /// A server context with a leaf for `server_name` (SNI), or without a name for localhost, 127.0.0.1 and ::1. Owned by this
  /// object. Null for an invalid name, or if there are too many.
  ssl_ctx_st* context_for(std::string_view server_name);

 private:
  struct ContextDeleter {
    void operator()(ssl_ctx_st* context) const noexcept;
  };
  Authority() {}
  ssl_ctx_st* make_context(const std::string& server_name);

  x509_st* certificate_ = nullptr;
  evp_pkey_st* key_ = nullptr;
  std::string pem_;
  std::map<std::string, std::unique_ptr<ssl_ctx_st, ContextDeleter>, std::less<>> contexts_;
  long next_serial_ = 2;
};

}  // namespace rollcall::sim
