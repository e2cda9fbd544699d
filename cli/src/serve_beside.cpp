#include "serve_beside.hpp"

#include <exception>
#include <thread>

namespace gedge::cli {

int serve_beside(HttpServer& server, const std::function<void()>& work,
                 const std::function<void()>& stop) {
  std::exception_ptr failure;
  std::thread working([&] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    server.stop();
  });
  int signal = 0;
  try {
    signal = server.run();
  } catch (...) {
    stop();
    working.join();
    throw;
  }
  stop();
  working.join();
  if (failure) std::rethrow_exception(failure);
  return signal;
}

}  // namespace gedge::cli
