// The way to Google's servers where gcloud's settings name one. Declared here for the choke point; what reads them is in src/google/.
#pragma once

#include <memory>
#include <string>

#include "call/api_client.hpp"

namespace rollcall {

/// Whether gcloud's settings apply: a request over https to one of Google's services, or of another universe's.
bool is_for_google(const ApiRequest& request, Runtime::Impl& impl);

/// Trust anchors and proxy of gcloud's settings; null: they name none, or others come first. Read once.
std::shared_ptr<const ServerAccess> google_access(Runtime::Impl& impl);

/// RuntimeOptions::network's certificate_file, which every server is shown that asks for one; empty: none.
const std::string& own_certificate_file(Runtime::Impl& impl);

/// Settings of gcloud's that are not followed and may be why such a request failed with `code`; empty: none.
std::string unfollowed_settings(Runtime::Impl& impl, Errc code);

}  // namespace rollcall
