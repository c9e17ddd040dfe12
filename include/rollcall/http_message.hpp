// The parts of one HTTP exchange: URL, headers, request, response. Values; independent of Asio.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rollcall/error.hpp"
#include "rollcall/secret.hpp"

namespace rollcall {

/// Connection settings of an HttpRequest. Connections, TLS sessions and contexts are shared only by requests whose settings have the same
/// content. For an empty member the transport's own setting is used.
class ServerAccess {
 public:
  ServerAccess() {}
  std::string authorities;       ///< PEM: the trust anchors, instead of the transport's own
  std::string authorities_from;  ///< their source, for messages: "the CA file /etc/ca.crt"
  std::string certificate;       ///< PEM: the client's certificate, followed by its chain
  Secret<std::string> key;       ///< PEM, without a passphrase: the certificate's key
  std::string identity_from;     ///< the source of both, for messages
  std::string server_name;       ///< sent as SNI and verified, instead of the URL's host
  Secret<std::string> proxy;     ///< as ProxySettings::url, instead of the transport's own and without exceptions; for https only
  std::string proxy_from;        ///< its source, for messages
  bool proxies_near_hosts = false;  ///< loopback and link-local addresses go through the proxy, too: they are those of its machine
  std::string socket_path;       ///< a unix socket that is connected to, instead of the URL's host and port; for plain http only
  bool skips_verification = false;  ///< any certificate is accepted: a man in the middle can read and change everything
  bool only_http1 = false;          ///< HTTP/2 is not offered
  friend bool operator==(const ServerAccess&, const ServerAccess&) = default;
};

/// An absolute http or https URL, split. `host` has no brackets even when it is an IPv6 literal.
class Url {
 public:
  Url() {}
  /// Errors: invalid_argument (no scheme, another scheme, user information, empty host, bad port, control characters).
  static Result<Url> parse(std::string_view text);

  bool is_https = false;
  std::string host;
  std::uint16_t port = 80;     ///< explicit, or the scheme's default
  std::string target = "/";    ///< path and query, percent-encoded, starts with '/'

  /// `scheme://host[:port]`, the port left out when it is the scheme's default, IPv6 in brackets.
  std::string origin() const;
  /// The value of the Host header.
  std::string authority() const;
  /// origin() and the path, without the query: safe to print.
  std::string without_query() const;
};

/// Header fields in order, in one buffer. Names compare without regard to case. Fields are stored without validation: the transport refuses
/// those that cannot be sent unchanged. They may be secrets: their memory is wiped.
class HeaderList {
 public:
  HeaderList() {}
  HeaderList(const HeaderList&) = default;
  HeaderList(HeaderList&&) noexcept = default;
  HeaderList& operator=(HeaderList other) noexcept {
    text_.swap(other.text_);
    return *this;
  }
  ~HeaderList() { clear(); }

  void add(std::string_view name, std::string_view value);
  /// Replaces all fields of that name.
  void set(std::string_view name, std::string_view value);
  /// The first field of that name.
  std::optional<std::string_view> get(std::string_view name) const;
  /// Calls `visit(name, value)` for each field in order.
  template <class Visit>
  void each(Visit visit) const {
    for (std::size_t at = 0; at < text_.size();) {
      const std::string_view name = next_part(at);
      const std::string_view value = next_part(at);
      visit(name, value);
    }
  }
  bool empty() const noexcept { return text_.empty(); }
  void clear() noexcept {
    wipe(text_.data(), text_.size());
    text_.clear();
  }
  /// Reserves room for fields of that many bytes in total, so that adding them allocates once.
  void reserve(std::size_t bytes);

 private:
  std::string_view next_part(std::size_t& at) const noexcept;

  std::string text_;  // names and values in turn, each after its length
};

/// The methods that the services need.
enum class HttpMethod { get, post, put, delete_ };
std::string_view to_string(HttpMethod method) noexcept;  // "GET" …

/// One request. The transport sets Host, Content-Length, Accept-Encoding, User-Agent and Connection.
class HttpRequest {
 public:
  HttpRequest() {}
  explicit HttpRequest(Url where) : url(std::move(where)) {}

  HttpMethod method = HttpMethod::get;
  Url url;
  HeaderList headers;
  std::string body;
  /// Sent as `Authorization: Bearer …` when not empty.
  Secret<std::string> bearer;
  /// How to connect to this server; null: the transport's settings.
  std::shared_ptr<const ServerAccess> access;
  /// True if the request may be sent again after the server may have processed it: when its answer was lost, or a kept connection turns out
  /// to be closed. Not set: only a GET may. Set it to true for a POST that changes nothing.
  std::optional<bool> is_repeatable;
  /// True if the answer describes machines: a transport may record it. The library sets it for the services that it knows, so that answers
  /// with tokens are not recorded.
  bool is_recordable = false;
  bool may_be_repeated() const noexcept { return is_repeatable.value_or(method == HttpMethod::get); }
};

/// An answer: its status, headers and body.
class HttpResponse {
 public:
  HttpResponse() {}
  int status = 0;
  HeaderList headers;
  std::string body;  ///< empty for a stream
  /// True if the server that answered is on this machine, by its address; none: the transport does not know.
  std::optional<bool> is_from_loopback;
};

}  // namespace rollcall
