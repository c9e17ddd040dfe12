// What a Runtime has detected about its location, and gcloud's settings there: kept, since a Runtime stays in its place.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "call/runtime_impl.hpp"
#include "google/cloud_place.hpp"
#include "google/gcloud_settings.hpp"

namespace rollcall {

/// gcloud's connection settings for Google's servers.
class GcloudWay {
 public:
  explicit GcloudWay(GcloudSettings read) : settings(std::move(read)) {}
  GcloudSettings settings;
  std::string authorities_fault;  ///< why core/custom_ca_certs_file is not used; empty: it is, or there is none
  std::string proxy_fault;        ///< the same for proxy/*
  std::shared_ptr<const ServerAccess> access;  ///< null: as for all other servers
  std::map<std::string, std::string, std::less<>> endpoints;  ///< api_endpoint_overrides/NAME of the configuration
  std::string universe;                                       ///< core/universe_domain; empty: not set
};

class FoundPlaces {
 public:
  std::optional<PlaceValue> project;
  std::optional<PlaceValue> zone;
  std::string universe;  ///< of the metadata server; empty: not queried yet
  bool has_own_authorities = false;  ///< RuntimeOptions::network has trust anchors
  bool has_own_proxy = false;        ///< the same for a proxy, or for none
  std::string own_certificate_file;  ///< RuntimeOptions::network's
  std::optional<GcloudWay> way;
};

/// The Runtime's instance.
FoundPlaces& found_places(Runtime::Impl& impl);

}  // namespace rollcall
