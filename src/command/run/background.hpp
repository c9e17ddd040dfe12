// Going on in the background, once something is ready.
#pragma once

#include <functional>
#include <string_view>

namespace rollcall::tools {

/// Runs `serve(announce)` in a child process of its own session; call it before anything that a fork would copy wrongly
/// (event loops, threads). `announce(text)` hands the text over and cuts the child off from the terminal's input and output;
/// the parent then prints the text and 0 is returned there. A child that ends without announcing: its exit code.
/// In the child the function does not return: the process ends with what `serve` returns.
int run_in_background(const std::function<int(const std::function<bool(std::string_view)>& announce)>& serve);

}  // namespace rollcall::tools
