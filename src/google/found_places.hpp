// What a Runtime has found out about where it is, and how gcloud is configured there: kept, since a Runtime stays where it is.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "call/runtime_impl.hpp"
#include "google/cloud_place.hpp"
#include "google/gcloud_settings.hpp"

namespace rollcall {

/// How gcloud's settings want Google's servers to be reached.
class GcloudWay {
 public:
  explicit GcloudWay(GcloudSettings read) : settings(std::move(read)) {}
  GcloudSettings settings;
  std::string authorities_fault;  ///< why core/custom_ca_certs_file is not taken; empty: it is, or there is none
  std::string proxy_fault;        ///< the same of proxy/*
  std::shared_ptr<const ServerAccess> access;  ///< null: as all other servers
  std::map<std::string, std::string, std::less<>> endpoints;  ///< api_endpoint_overrides/NAME of the configuration
  std::string universe;                                       ///< core/universe_domain; empty: not set
};

class FoundPlaces {
 public:
  std::optional<PlaceValue> project;
  std::optional<PlaceValue> zone;
  std::string universe;  ///< of the metadata server; empty: it was not asked yet
  bool has_own_authorities = false;  ///< RuntimeOptions::network names them
  bool has_own_proxy = false;        ///< the same of a proxy, or of none
  std::string own_certificate_file;  ///< RuntimeOptions::network's
  std::optional<GcloudWay> way;
};

/// The Runtime's.
FoundPlaces& found_places(Runtime::Impl& impl);

}  // namespace rollcall
