#include "net/server/server_context.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "net/tls/server_certificate.hpp"
#include "net/tls/tls_names.hpp"

namespace rollcall {
namespace {

constexpr Duration between_polls = std::chrono::seconds(1);
constexpr long max_certificate_bytes = 32 * 1024;  // of a client's chain: limits what OpenSSL stores before it verifies
constexpr int max_links = 8;
constexpr std::size_t max_own_names = 64;
constexpr std::size_t max_own_name = 2048;

struct NamesDeleter {
  void operator()(GENERAL_NAMES* names) const noexcept { GENERAL_NAMES_free(names); }
};
using NamesPtr = std::unique_ptr<GENERAL_NAMES, NamesDeleter>;

// Visible ASCII: a name with a zero byte, a space or a line end is not accepted for rights.
bool is_plain_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= max_own_name &&
         std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

bool is_dns_text(std::string_view name) noexcept {
  return std::all_of(name.begin(), name.end(), [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.' || c == '*'; });
}

bool is_email_text(std::string_view name) noexcept {
  const std::size_t at = name.find('@');
  const bool is_one = at != std::string_view::npos && at == name.rfind('@');
  return is_one && at != 0 && at + 1 < name.size() && name.find(':') == std::string_view::npos;
}

// `SCHEME:…` (RFC 3986, 3.1)
bool is_uri_text(std::string_view name) noexcept {
  const std::string_view scheme = name.substr(0, std::min(name.find(':'), name.size()));
  const auto is_fine = [](char c) { return is_alnum(c) || c == '+' || c == '-' || c == '.'; };
  return scheme.size() < name.size() && !scheme.empty() && std::all_of(scheme.begin(), scheme.end(), is_fine);
}

// Each kind of name has a form of its own, so that rights recognise the kind by the text alone.
bool is_of_kind(int type, std::string_view name) noexcept {
  if (!is_plain_name(name)) return false;
  return type == GEN_URI ? is_uri_text(name) : type == GEN_EMAIL ? is_email_text(name) : type == GEN_DNS && is_dns_text(name);
}

std::vector<std::string> names_of(const X509& certificate) {
  std::vector<std::string> found;
  const NamesPtr names(static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr)));
  const int count = names ? sk_GENERAL_NAME_num(names.get()) : 0;
  for (int i = 0; i < count && found.size() < max_own_names; ++i) {
    int type = 0;
    const auto* const value = GENERAL_NAME_get0_value(sk_GENERAL_NAME_value(names.get(), i), &type);
    if (type != GEN_URI && type != GEN_DNS && type != GEN_EMAIL) continue;
    const auto* const text = static_cast<const ASN1_IA5STRING*>(value);
    const std::string_view name(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                                static_cast<std::size_t>(ASN1_STRING_length(text)));
    if (is_of_kind(type, name)) found.emplace_back(name);
  }
  ERR_clear_error();
  return found;
}

std::shared_ptr<const ClientCertificate> facts_of(const X509& shown) {
  auto certificate = std::make_shared<ClientCertificate>();
  certificate->names = names_of(shown);
  certificate->expires = end_of_certificate(shown).value_or(WallTime::max());
  return certificate;
}

// Accepts client certificates of the file's authorities, and sends the authorities' names, by which a client chooses its certificate.
Result<void> take_clients_of(SSL_CTX* context, const std::string& path) {
  constexpr std::string_view what = "the file of the clients' authorities";
  const Result<void> trusted = trust_file(SSL_CTX_get_cert_store(context), path, what);
  if (!trusted) return trusted;
  STACK_OF(X509_NAME)* const names = SSL_load_client_CA_file(path.c_str());
  if (!names) return unusable_pem(std::string(what), "it holds no certificate");
  SSL_CTX_set_client_CA_list(context, names);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_verify_depth(context, max_links);
  SSL_CTX_set_max_cert_list(context, max_certificate_bytes);
  ERR_clear_error();
  return Result<void>();
}

}  // namespace

Result<std::shared_ptr<ServerContext>> ServerContext::open(TlsFiles files, std::shared_ptr<TimeSource> time, OnTrouble on_trouble) {
  const std::shared_ptr<ServerContext> made(new ServerContext());
  made->time_ = std::move(time);
  made->on_trouble_ = std::move(on_trouble);
  const Result<void> taken = made->change(std::move(files));
  if (!taken) return taken.error();
  return made;
}

Result<void> ServerContext::change(TlsFiles files) {
  if (files.key.empty()) files.key = files.certificate;
  std::string stamp = files.stamp();  // before they are read: changes made meanwhile are read the next time
  Result<ContextPtr> made = make(files);
  if (!made) return made.error();
  files_ = std::move(files);
  stamp_ = std::move(stamp);
  context_ = std::move(*made);
  polled_at_ = time_->now();
  return Result<void>();
}

SSL_CTX* ServerContext::current() {
  if (time_->now() - polled_at_ < between_polls) return context_.get();
  polled_at_ = time_->now();
  std::string stamp = files_.stamp();
  if (stamp == stamp_) return context_.get();
  stamp_ = std::move(stamp);
  Result<ContextPtr> made = make(files_);
  if (made) {
    context_ = std::move(*made);
  } else if (on_trouble_) {
    on_trouble_(made.error());
  }
  return context_.get();
}

Result<ServerContext::ContextPtr> ServerContext::make(const TlsFiles& files) {
  ContextPtr context(SSL_CTX_new(TLS_server_method()));
  if (!context) return Failure(Errc::tls_failed, "OpenSSL cannot be set up");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // Only the chain in the file is sent: certificates of clients' authorities must not be added to it.
  SSL_CTX_set_mode(context.get(), SSL_MODE_NO_AUTO_CHAIN);
  const Result<void> identified = use_identity_files(context.get(), files, "the server's certificate");
  if (!identified) return identified.error();
  if (!files.authorities.empty()) {
    const Result<void> taken = take_clients_of(context.get(), files.authorities);
    if (!taken) return taken.error();
  }
  return context;
}

std::string ServerContext::name_for(const std::string& host) const {
  X509* const own = SSL_CTX_get0_certificate(context_.get());
  if (!host.empty() && is_certificate_for(*own, host)) return host;
  for (const std::string& name : names_of(*own)) {
    if (name.find_first_of("*/:@") == std::string::npos) return name;
  }
  return host;
}

std::shared_ptr<const ClientCertificate> certificate_of_client(const SSL& connection) {
  const X509* const shown = SSL_get0_peer_certificate(&connection);
  if (!shown || SSL_get_verify_result(&connection) != X509_V_OK || (SSL_get_verify_mode(&connection) & SSL_VERIFY_PEER) == 0)
    return nullptr;
  return facts_of(*shown);
}

}  // namespace rollcall
