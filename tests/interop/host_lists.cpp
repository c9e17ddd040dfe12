// Reads `expand<TAB>LIST` or `fold<TAB>HOST,HOST…`, a line each, and answers each with `ok<TAB>RESULT` or `no<TAB>WHY`. For scontrol.py.
#include "rollcall/host_list.hpp"

#include <algorithm>
#include <iostream>

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    const std::size_t tab = line.find('\t');
    const std::string text = line.substr(tab + 1);
    std::string answer;
    if (line.starts_with("expand\t")) {
      const auto hosts = rollcall::expand_host_list(text);
      answer = hosts ? "ok\t" : "no\t" + hosts.error().what();
      for (std::size_t i = 0; hosts && i < hosts->size(); ++i) answer += (i == 0 ? "" : ",") + (*hosts)[i];
    } else {
      std::vector<std::string> hosts;
      for (std::size_t at = 0; at <= text.size(); at = std::min(text.find(',', at), text.size()) + 1)
        hosts.push_back(text.substr(at, text.find(',', at) - at));
      const auto list = rollcall::compress_host_list(hosts);
      answer = list ? "ok\t" + *list : "no\t" + list.error().what();
    }
    std::cout << answer << '\n';
  }
  return 0;
}
