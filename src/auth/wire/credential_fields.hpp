// The fields of a credential file: texts that may be secrets, and addresses that secrets are sent to.
#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "auth/wire/credential_file.hpp"
#include "rollcall/error.hpp"
#include "rollcall/http_message.hpp"
#include "rollcall/secret.hpp"
#include "rollcall/time.hpp"

namespace rollcall {

/// One object of the file. The first fault is kept, so that several fields can be read before a check; messages name the field, and quote
/// no value that may be a secret.
class CredentialFields {
 public:
  /// `where` begins the messages. `object` must outlive this.
  CredentialFields(std::string where, const boost::json::value& object, std::string universe)
      : where_(std::move(where)), object_(object), universe_(std::move(universe)) {}

  const std::optional<Failure>& fault() const { return fault_; }
  const boost::json::value& object() const { return object_; }
  const std::string& where() const { return where_; }
  const std::string& universe() const { return universe_; }

  void refuse(Errc code, std::string what, std::string hint = {});
  /// The fault of an object within this one, if it has any.
  void take_fault(const std::optional<Failure>& inner);

  /// Empty when absent. Views of the object: possible secrets are not copied.
  std::string_view text(std::string_view key);
  std::string_view required(std::string_view key);
  /// One line that can be part of a header or a form.
  std::string_view line(std::string_view key);
  std::string_view required_line(std::string_view key);
  /// A path of a file.
  std::string_view path(std::string_view key);
  Secret<std::string> secret(std::string_view key) { return Secret<std::string>(std::string(required_line(key))); }

  /// A URL that secrets will be sent to: of googleapis.com, the universe or this machine, over https (on this machine also http).
  Url service(std::string_view key, std::string_view fallback);
  /// A URL of this cloud machine's own metadata server; absent if the field is.
  std::optional<Url> machine_service(std::string_view key);
  Duration milliseconds(std::string_view key, Duration low, Duration high, Duration fallback);
  Duration seconds(std::string_view key, Duration low, Duration high, Duration fallback);

 private:
  Duration number(std::string_view key, Duration low, Duration high, Duration fallback, Duration unit);

  std::string where_;
  const boost::json::value& object_;
  std::string universe_;
  std::optional<Failure> fault_;
};

/// What to do about a text that is not JSON: credentials were downloaded or stored in another form. Empty: no form that is known.
std::string_view other_form_hint(std::string_view text);

}  // namespace rollcall
