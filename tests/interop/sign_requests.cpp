// Reads requests, a line of JSON each, and answers each with `X-Amz-Date<TAB>Authorization`. For credentials_client.py.
#include <boost/json/parse.hpp>
#include <iostream>

#include "auth/aws_signature.hpp"
#include "base/timestamp.hpp"

int main() {
  using namespace rollcall;
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    const boost::json::object question = boost::json::parse(line).as_object();
    const auto text = [&question](const char* key) { return std::string(question.at(key).as_string()); };
    HttpRequest request(*Url::parse(text("url")));
    request.method = text("method") == "POST" ? HttpMethod::post : HttpMethod::get;
    request.body = text("body");
    for (const auto& header : question.at("headers").as_object())
      request.headers.add(std::string_view(header.key()), std::string_view(header.value().as_string()));
    AwsKeys keys;
    keys.access_key_id = text("access_key");
    keys.secret_access_key = Secret<std::string>(text("secret_key"));
    keys.session_token = Secret<std::string>(text("token"));
    sign_aws_request(request, keys, text("region"), text("service"), *parse_rfc3339(text("now")));
    std::cout << *request.headers.get("x-amz-date") << '\t' << *request.headers.get("authorization") << '\n';
  }
  return 0;
}
