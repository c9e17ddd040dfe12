// The Asio version that the library was compiled with. Programs must be compiled with the same one: Asio's types are part of the interface,
// and their layout differs between versions. `cmake --install` writes the number of that version into this file.
#pragma once

#include <asio/detail/config.hpp>
#include <asio/version.hpp>

#define ROLLCALL_ASIO_VERSION ASIO_VERSION

#define ROLLCALL_AS_TEXT_(...) #__VA_ARGS__
#define ROLLCALL_AS_TEXT(...) ROLLCALL_AS_TEXT_(__VA_ARGS__)
#define ROLLCALL_JOINED_(a, b) a##b
#define ROLLCALL_JOINED(a, b) ROLLCALL_JOINED_(a, b)

static_assert(ASIO_VERSION == ROLLCALL_ASIO_VERSION,
              "this Rollcall was compiled with another version of Asio, ASIO_VERSION " ROLLCALL_AS_TEXT(
                  ROLLCALL_ASIO_VERSION) ": compile with that one, or build Rollcall with yours");

// These macros change the layout of Asio's types, too.
#if defined(ASIO_ENABLE_HANDLER_TRACKING) || defined(ASIO_HAS_IO_URING_AS_DEFAULT) || defined(ASIO_DISABLE_THREADS) || \
    defined(ASIO_USE_TS_EXECUTOR_AS_DEFAULT) || defined(ASIO_ENABLE_BOOST)
#error "Rollcall needs Asio without handler tracking, io_uring, Boost and TS executors, and with threads: it was compiled so"
#endif

/// Part of the names of all functions that take a Runtime: a version mismatch that the checks above do not catch, because the headers are
/// not the installed ones, becomes a link error that names the versions.
#define ROLLCALL_ASIO_TAG ROLLCALL_AS_TEXT(ROLLCALL_JOINED(needs_asio_, ASIO_VERSION))
