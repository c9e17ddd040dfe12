#include "auth/wire/credential_fields.hpp"

#include <fmt/format.h>

#include "base/field_text.hpp"
#include "base/ip.hpp"
#include "base/path_text.hpp"
#include "base/text.hpp"
#include "json/json_dom.hpp"

namespace rollcall {
void CredentialFields::refuse(Errc code, std::string what, std::string hint) {
  if (fault_) return;
  fault_.emplace(code, fmt::format("{}: {}", where_, what));
  if (!hint.empty()) fault_->with_hint(std::move(hint));
}

void CredentialFields::take_fault(const std::optional<Failure>& inner) {
  if (inner) refuse(inner->code(), inner->what().substr(where_.size() + 2), inner->hint());
}

std::string_view CredentialFields::text(std::string_view key) {
  const boost::json::value* value = find(object_, key);
  if (!value) return {};
  if (!value->is_string()) {
    refuse(Errc::invalid_argument, fmt::format("{} is {}, not a text", key, kind_name(*value)));
    return {};
  }
  return std::string_view(value->get_string());
}

std::string_view CredentialFields::required(std::string_view key) {
  const std::string_view value = text(key);
  if (value.empty()) {
    refuse(Errc::invalid_argument, fmt::format("has no {}", key),
           "create the file again: gcloud auth application-default login, or the console's 'create key' or 'download config'");
  }
  return value;
}

std::string_view CredentialFields::line(std::string_view key) {
  const std::string_view value = text(key);
  if (field_value_fault(value)) refuse(Errc::invalid_argument, fmt::format("{} has control characters", key));
  return value;
}

std::string_view CredentialFields::required_line(std::string_view key) {
  if (required(key).empty()) return {};
  return line(key);
}

std::string_view CredentialFields::path(std::string_view key) {
  const std::string_view value = text(key);
  if (const Result<void> fine = check_path(key, value); !fine) refuse(Errc::invalid_argument, fine.error().what(), fine.error().hint());
  return value;
}

Url CredentialFields::service(std::string_view key, std::string_view fallback) {
  const std::string_view written = text(key);
  const std::string_view value = written.empty() ? fallback : written;
  Result<Url> url = Url::parse(value);
  if (!url) {
    refuse(Errc::invalid_argument, fmt::format("{} is not a URL: {}", key, url.error().what()));
    return {};
  }
  const bool is_local = is_loopback(url->host);
  if (!url->is_https && !is_local) {
    refuse(Errc::refused_by_policy, fmt::format("{} is {}: secrets are never sent over plain http", key, url->origin()),
           "write https:// there");
  } else if (!is_local && !is_host_below(url->host, google_universe) && !is_host_below(url->host, universe_)) {
    refuse(Errc::refused_by_policy,
           fmt::format("{} is {}, which is neither of googleapis.com nor of the file's universe_domain: secrets are not sent there", key,
                       url->origin()),
           "make sure where the file comes from; if it is right, its universe_domain is missing");
  }
  return std::move(*url);
}

std::optional<Url> CredentialFields::machine_service(std::string_view key) {
  const std::string_view written = text(key);
  if (written.empty()) return std::nullopt;
  Result<Url> url = Url::parse(written);
  const bool is_fine = url && (url->host == "169.254.169.254" || url->host == "fd00:ec2::254" || is_loopback(url->host));
  if (!is_fine) {
    refuse(Errc::refused_by_policy, fmt::format("{} is not an address of the instance metadata server", key),
           "it is http://169.254.169.254/… or http://[fd00:ec2::254]/…");
    return std::nullopt;
  }
  return std::move(*url);
}

Duration CredentialFields::milliseconds(std::string_view key, Duration low, Duration high, Duration fallback) {
  return number(key, low, high, fallback, std::chrono::milliseconds(1));
}

Duration CredentialFields::seconds(std::string_view key, Duration low, Duration high, Duration fallback) {
  return number(key, low, high, fallback, std::chrono::seconds(1));
}

Duration CredentialFields::number(std::string_view key, Duration low, Duration high, Duration fallback, Duration unit) {
  const boost::json::value* value = find(object_, key);
  if (!value) return fallback;
  const std::int64_t* count = value->if_int64();
  if (!count || *count < low / unit || *count > high / unit) {
    refuse(Errc::invalid_argument, fmt::format("{} is not a number from {} to {}", key, low / unit, high / unit));
    return fallback;
  }
  return *count * unit;
}

std::string_view other_form_hint(std::string_view text) {
  text = trim(text);
  if (text.starts_with("ew") || text.starts_with("ey")) return "It is base64, as secret stores hand it out: decode it first (base64 -d).";
  if (text.starts_with("0\x82")) return "A key in the P12 format is not supported: make a key in the JSON format.";
  return {};
}

}  // namespace rollcall
