#include "resolvers/kubernetes/access/kubernetes_request.hpp"

#include <utility>

#include "resolvers/kubernetes/access/rules/kubernetes_service.hpp"

namespace rollcall {

ApiRequest kubernetes_request(const KubernetesServer& server, std::string path, std::string what) {
  Url url = server.root;
  url.target += path;
  ApiRequest request(std::move(url));
  request.http.headers = server.headers;
  request.http.headers.add("Accept", "application/json");
  request.http.access = server.access;
  request.service = &kubernetes_service;
  request.credentials = server.credentials;
  request.with_token = server.credentials != nullptr;
  request.what = std::move(what);
  return request;
}

}  // namespace rollcall
