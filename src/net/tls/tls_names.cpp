#include "net/tls/tls_names.hpp"

namespace rollcall {

std::string certificate_name(const std::string& host) {
  if (host.find('\0') != std::string::npos) return {};
  std::string name = host;
  if (name.ends_with('.')) name.pop_back();
  return name;
}

bool is_ip_address(const std::string& name) {
  ASN1_OCTET_STRING* const address = a2i_IPADDRESS(name.c_str());
  const bool is_one = address != nullptr;
  ASN1_OCTET_STRING_free(address);
  return is_one;
}

bool is_certificate_for(X509& certificate, const std::string& host) {
  const std::string name = certificate_name(host.substr(0, host.find('%')));  // certificates have no zones
  if (name.empty()) return false;
  if (is_ip_address(name)) return X509_check_ip_asc(&certificate, name.c_str(), certificate_name_flags) == 1;
  return X509_check_host(&certificate, name.c_str(), name.size(), certificate_name_flags, nullptr) == 1;
}

}  // namespace rollcall
