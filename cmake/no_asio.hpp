// Included before every source of the core: it must not use Asio, not even through another header.
#pragma once
#pragma GCC poison asio
