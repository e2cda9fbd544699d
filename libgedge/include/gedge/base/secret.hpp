// gedge/base/secret.hpp - a text that no message, log or record may show.
#pragma once

#include <cstring>
#include <string>
#include <utility>

namespace gedge {

/// Overwritten when it goes. What prints it has to ask for it by name.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}
  Secret(const Secret&) = default;
  Secret(Secret&& other) noexcept { swap(other); }
  Secret& operator=(const Secret& other) { return *this = Secret(other); }
  Secret& operator=(Secret&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Secret() {
    text_.resize(text_.capacity());
    ::explicit_bzero(text_.data(), text_.size());
  }

  bool empty() const { return text_.empty(); }
  const std::string& reveal() const { return text_; }
  friend bool operator==(const Secret&, const Secret&) = default;

 private:
  void swap(Secret& other) noexcept { text_.swap(other.text_); }

  std::string text_;
};

}  // namespace gedge
