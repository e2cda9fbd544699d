// io/shared_library.hpp - a library that is opened when it is first needed.
#pragma once

#include <string>

#include "gedge/base/result.hpp"

namespace gedge {

/// Stays open. The first thing that is missing is the error of all.
class SharedLibrary {
 public:
  /// `package`: what to install where it cannot be used.
  SharedLibrary(const char* file, const char* package);

  /// `into` is null where the library has no such function.
  template <typename Function>
  void find(Function& into, const char* name) {
    into = reinterpret_cast<Function>(symbol(name));
  }
  /// Errors: kDenied with what would help: it cannot be opened, or lacks a function.
  Status check() const;
  Error unusable(const std::string& why) const;

 private:
  void* symbol(const char* name);

  std::string file_, package_, missing_;
  void* handle_;
};

}  // namespace gedge
