// A fault of gRPC 1.51, and what every program with callback clients must do about it.
#pragma once

namespace rollcall {

/// gRPC 1.51 ends the threads of its callbacks with the last channel that has made a call, and aborts ("assertion failed: prior > 0")
/// when that channel goes on one of these threads, as it does when a call outlives its transport. After this one channel stays for as
/// long as the process does. To be called before the first callback call; again is harmless.
void keep_grpc_callback_threads();

}  // namespace rollcall
