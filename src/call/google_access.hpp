// Connection settings for Google's servers from gcloud's configuration. Declared here for api_client; implemented in src/google/.
#pragma once

#include <memory>
#include <string>

#include "call/api_client.hpp"

namespace rollcall {

/// True if gcloud's settings apply: a request over https to one of Google's services, or of another universe's.
bool is_for_google(const ApiRequest& request, Runtime::Impl& impl);

/// Trust anchors and proxy of gcloud's settings; null: they have none, or others take precedence. Read once.
std::shared_ptr<const ServerAccess> google_access(Runtime::Impl& impl);

/// RuntimeOptions::network's certificate_file, which is presented to every server that requests one; empty: none.
const std::string& own_certificate_file(Runtime::Impl& impl);

/// gcloud settings that are not supported and may be why such a request failed with `code`; empty: none.
std::string unfollowed_settings(Runtime::Impl& impl, Errc code);

}  // namespace rollcall
