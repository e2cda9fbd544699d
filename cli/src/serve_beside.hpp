// serve_beside.hpp - a daemon that works in one thread and answers in another.
#pragma once

#include <functional>

#include "gedge/port/http_server.hpp"

namespace gedge::cli {

/// Serves in this thread while `work` runs in another one. Whichever ends first ends the other:
/// `stop` makes work return, from any thread. What either throws is thrown here, after both ended.
/// Returns the signal that stopped the server; 0: none.
int serve_beside(HttpServer& server, const std::function<void()>& work,
                 const std::function<void()>& stop);

}  // namespace gedge::cli
