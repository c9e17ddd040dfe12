// A small cluster without a transport, and captured answers of a real API server.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/support.hpp"
#include "support/paths.hpp"

namespace rollcall::sim {

/// The users that the captured answers were given to.
inline constexpr std::string_view kube_users = R"("users": [
  {"name": "system:serviceaccount:train:rollcall", "token": "train", "rules": [{"namespaces": ["train"], "verbs": ["get", "list", "watch"]}]},
  {"name": "system:serviceaccount:train:lister", "token": "lister", "rules": [{"namespaces": ["train"], "verbs": ["list"]}]},
  {"name": "admin", "token": "admin"}])";

inline std::shared_ptr<Cloud> kube_cloud(std::string_view pods, std::string_view rest = "", std::string_view outside = "") {
  std::string text = "{\"kubernetes\": {\"namespace\": \"train\", \"namespaces\": [\"empty\"], " + std::string(kube_users);
  text += rest.empty() ? "" : ", " + std::string(rest);
  text += ", \"pods\": [" + std::string(pods) + "]}" + (outside.empty() ? "" : ", " + std::string(outside)) + "}";
  return cloud_of(text);
}

inline Request kube_request(std::string target, const std::string& token = "train") {
  return https_request("127.0.0.1:6443", std::move(target), token);
}

/// The final answer at its time, also if it is held.
inline Reply ask_kube_request(Cloud& cloud, Request request, double at = 0) {
  SteadyTime now = second(at);
  Reply reply = cloud.handle(request, now);
  while (reply.hold && reply.hold->ask_again < SteadyTime::max()) {
    now = reply.hold->ask_again;
    request.held = reply.hold;
    reply = cloud.handle(request, now);
  }
  return reply;
}

inline Reply ask_kube(Cloud& cloud, std::string target, double at = 0, const std::string& token = "train") {
  return ask_kube_request(cloud, kube_request(std::move(target), token), at);
}

inline std::string pods_of(const std::string& query = "", const std::string& namespace_name = "train") {
  return "/api/v1/namespaces/" + namespace_name + "/pods" + query;
}

/// The names of a list's items.
inline std::vector<std::string> names_of_items(const Reply& reply) {
  std::vector<std::string> out;
  const boost::json::value list = json_of(reply);
  for (const auto& item : list.at("items").as_array()) out.emplace_back(item.at("metadata").at("name").as_string());
  return out;
}

/// One captured answer: status line, headers, body without chunk framing.
class Captured {
 public:
  explicit Captured(const std::string& name) {
    const auto path = testing::tests_dir() / "samples" / "k8s" / (name + ".http");
    std::ifstream file(path, std::ios::binary);
    if (!file) FAIL("cannot open " << path);
    std::ostringstream text;
    text << file.rdbuf();
    const std::string all = text.str();
    const std::size_t end = all.find("\r\n\r\n");
    status = std::stoi(all.substr(9, 3));
    for (std::size_t at = all.find("\r\n") + 2; at < end;) {
      const std::size_t line_end = all.find("\r\n", at);
      const std::size_t colon = all.find(':', at);
      const std::string value = all.substr(colon + 1, line_end - colon - 1);
      headers.emplace_back(all.substr(at, colon - at), value.empty() ? value : value.substr(1));
      at = line_end + 2;
    }
    body = all.substr(end + 4);
    if (headers.back().first == "Transfer-Encoding") unchunk();
  }
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::vector<std::size_t> chunks;

 private:
  void unchunk() {
    std::string whole;
    for (std::size_t at = 0; at < body.size();) {
      const std::size_t size = std::stoul(body.substr(at), nullptr, 16);
      at = body.find("\r\n", at) + 2;
      if (size > 0) chunks.push_back(size);
      whole += body.substr(at, size);
      at += size + 2;
    }
    body = whole;
  }
};

/// The names of the headers as sent, including those for framing.
inline std::vector<std::string> header_names(const Reply& reply) {
  std::vector<std::string> out;
  reply.headers.each([&out](std::string_view name, std::string_view) { out.emplace_back(name); });
  out.emplace_back(reply.is_chunked ? "Transfer-Encoding" : "Content-Length");
  return out;
}

}  // namespace rollcall::sim
