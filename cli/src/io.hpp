// io.hpp - everything a command may touch. Tests put their own things in.
#pragma once

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "gedge/codec/kubeconfig.hpp"
#include "gedge/port/clock.hpp"
#include "gedge/port/files.hpp"
#include "gedge/port/http_client.hpp"
#include "gedge/port/probe_network.hpp"
#include "term/stream.hpp"

namespace gedge::cli {

/// Large values that nobody needs any more. A command that ends the process gives no memory back
/// piece by piece.
class Kept {
 public:
  template <typename T>
  void add(T&& value) {
    using Value = std::remove_cvref_t<T>;
    values_.emplace_back(new Value(std::forward<T>(value)),
                         [](void* kept) { delete static_cast<Value*>(kept); });
  }

 private:
  std::vector<std::unique_ptr<void, void (*)(void*)>> values_;
};

struct Io {
  Stream& out;  ///< the answer
  Stream& err;  ///< everything else
  FileStore& files;
  ColorEnvironment environment;
  const Clock& clock;                         ///< for the progress line, and for pauses
  std::string program = "gedge";              ///< what users type to get here
  Kept kept{};                                ///< lives as long as this
  ProbeNetwork* network = nullptr;            ///< null where a test needs none
  HttpClient* http = nullptr;                 ///< the same
  KubeEnvironment kube{};                     ///< where a kubeconfig may be
  std::string runtime_directory{};            ///< where files of what runs belong; empty: not known
  std::string executable = "/usr/bin/gedge";  ///< the file that runs
};

}  // namespace gedge::cli
