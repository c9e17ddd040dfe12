// Impersonation headers: the user as which the server treats a request, from a kubeconfig.
#include <fmt/format.h>

#include "base/field_text.hpp"
#include "base/text.hpp"
#include "resolvers/kubernetes/access/kubernetes_server.hpp"
#include "resolvers/kubernetes/access/wire/kubeconfig.hpp"

namespace rollcall {
namespace {

// A key becomes part of a header's name: the percent sign and bytes that are invalid in a name are percent-encoded. Source: client-go's
// transport.headerKeyEscape.
std::string escaped_key(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c != '%' && is_field_name({&c, 1})) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace

Result<void> add_impersonation(const KubeUser& user, HeaderList& headers) {
  const auto refuse = [&user](std::string_view what) {
    return Failure(Errc::invalid_argument, fmt::format("the user {} ({}) has {}", quoted(user.name, 80), user.where, what));
  };
  if (user.as.empty() && (!user.as_uid.empty() || !user.as_groups.empty() || !user.as_extra.empty()))  // as client-go
    return refuse("as-groups, as-uid or as-user-extra without as");
  const char* fault = nullptr;
  const auto add = [&headers, &fault](std::string_view header, const std::string& value) {
    headers.add(header, value);
    fault = field_value_fault(value);
    return !fault;
  };
  if (!user.as.empty() && !add("Impersonate-User", user.as)) return refuse(fmt::format("an as that {}: it cannot be sent", fault));
  if (!user.as_uid.empty() && !add("Impersonate-Uid", user.as_uid))
    return refuse(fmt::format("an as-uid that {}: it cannot be sent", fault));
  for (const std::string& group : user.as_groups)
    if (!add("Impersonate-Group", group)) return refuse(fmt::format("one of as-groups that {}: it cannot be sent", fault));
  for (const auto& [key, values] : user.as_extra) {
    for (const std::string& value : values)
      if (!add("Impersonate-Extra-" + escaped_key(key), value))
        return refuse(fmt::format("one of as-user-extra that {}: it cannot be sent", fault));
  }
  return {};
}

}  // namespace rollcall
