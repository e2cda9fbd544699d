// gedge/base/shared_text.hpp - a text that many values say, in one pointer each.
#pragma once

#include <atomic>
#include <compare>
#include <concepts>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

namespace gedge {

class SharedText;

template <typename T>
concept PlainText = std::convertible_to<const T&, std::string_view> && !std::same_as<T, SharedText>;

/// Reads like a std::string, and its copies share one: the namespace of a million pods is kept
/// once. It cannot be changed, only assigned anew, so that it is as good as a value of its own.
/// Copies may be used by different threads at the same time.
class SharedText {
 public:
  SharedText() = default;
  template <PlainText T>
  SharedText(const T& text) : node_(make(std::string_view(text))) {}
  SharedText(std::string&& text) : node_(text.empty() ? nullptr : new Node{std::move(text)}) {}
  SharedText(const SharedText& other) : node_(other.node_) {
    if (node_ != nullptr) node_->users.fetch_add(1, std::memory_order_relaxed);
  }
  SharedText(SharedText&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  SharedText& operator=(SharedText other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~SharedText() {
    if (node_ != nullptr && node_->users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete node_;
  }

  /// Lives as long as a copy of this text does.
  const std::string& str() const { return node_ != nullptr ? node_->text : nothing(); }
  operator const std::string&() const { return str(); }
  operator std::string_view() const { return str(); }

  bool empty() const { return node_ == nullptr; }
  std::size_t size() const { return node_ != nullptr ? node_->text.size() : 0; }
  const char* data() const { return str().data(); }
  const char* c_str() const { return str().c_str(); }

  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.node_ == b.node_ || a.str() == b.str();
  }
  friend std::strong_ordering operator<=>(const SharedText& a, const SharedText& b) {
    if (a.node_ == b.node_) return std::strong_ordering::equal;
    return a.str() <=> b.str();
  }
  template <PlainText T>
  friend bool operator==(const SharedText& a, const T& b) {
    return std::string_view(a.str()) == std::string_view(b);
  }
  template <PlainText T>
  friend std::strong_ordering operator<=>(const SharedText& a, const T& b) {
    return std::string_view(a.str()) <=> std::string_view(b);
  }
  friend std::string operator+(const SharedText& a, const SharedText& b) {
    return a.str() + b.str();
  }
  template <typename T>
  requires PlainText<T> || std::same_as<T, char>
  friend std::string operator+(const SharedText& a, const T& b) { return a.str() + b; }
  template <typename T>
  requires PlainText<T> || std::same_as<T, char>
  friend std::string operator+(const T& a, const SharedText& b) { return a + b.str(); }
  friend std::ostream& operator<<(std::ostream& out, const SharedText& text);

 private:
  struct Node {
    explicit Node(std::string&& from) : text(std::move(from)) {}
    std::string text;  // never empty
    std::atomic<std::uint32_t> users{1};
  };
  static Node* make(std::string_view text) {
    return text.empty() ? nullptr : new Node{std::string(text)};
  }
  static const std::string& nothing() {
    static const std::string empty;
    return empty;
  }

  Node* node_ = nullptr;  // null: the empty text
};

}  // namespace gedge

template <>
struct std::hash<gedge::SharedText> {
  std::size_t operator()(const gedge::SharedText& text) const {
    return std::hash<std::string>{}(text.str());
  }
};
