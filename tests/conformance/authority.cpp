#include "conformance/authority.hpp"

namespace rollcall::conformance {
namespace {

// Cases set the wall clock to other years; certificates must be valid at all of them.
constexpr long far = 35L * 365 * 24 * 3600;

testing::CertificateRequest lasting(testing::CertificateRequest request) {
  request.valid_from = -far;
  request.valid_to = far;
  return request;
}

}  // namespace

Authority::Authority() : identity_(lasting(testing::authority_request("Conformance CA"))), file_(identity_.pem()) {}

ssl_ctx_st* Authority::context_for(std::string_view server_name) {
  const std::string name(server_name);
  return context(name, {"DNS:" + name});
}

ssl_ctx_st* Authority::context_for_addresses(const std::vector<std::string>& addresses) {
  std::string key = "addresses";
  std::vector<std::string> names;
  for (const std::string& address : addresses) {
    names.push_back("IP:" + address);
    key += " " + address;
  }
  if (names.empty()) return nullptr;
  return context(key, std::move(names));
}

ssl_ctx_st* Authority::context(const std::string& key, std::vector<std::string> names) {
  testing::TlsContextPtr& place = contexts_[key];
  if (!place) {
    const testing::CertifiedKey server(lasting(testing::CertificateRequest(std::move(names))), &identity_);
    place = server.server_context();
  }
  return place.get();
}

}  // namespace rollcall::conformance
