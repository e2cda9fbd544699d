// gedge/base/shared_text.hpp - a text that many values say, in one pointer each.
#pragma once

#include <compare>
#include <concepts>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>

#include "gedge/base/shared_value.hpp"

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
  SharedText(const T& text) : SharedText(std::string(std::string_view(text))) {}
  SharedText(std::string&& text) {
    if (!text.empty()) text_ = SharedValue<std::string>(std::move(text));
  }

  /// Lives as long as a copy of this text does.
  const std::string& str() const {
    const std::string* const text = text_.get();
    return text != nullptr ? *text : nothing();
  }
  operator const std::string&() const { return str(); }
  operator std::string_view() const { return str(); }

  bool empty() const { return text_.get() == nullptr; }
  std::size_t size() const { return empty() ? 0 : text_.get()->size(); }
  const char* data() const { return str().data(); }
  const char* c_str() const { return str().c_str(); }

  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.text_.get() == b.text_.get() || a.str() == b.str();
  }
  friend std::strong_ordering operator<=>(const SharedText& a, const SharedText& b) {
    if (a.text_.get() == b.text_.get()) return std::strong_ordering::equal;
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
  static const std::string& nothing() {
    static const std::string empty;
    return empty;
  }

  SharedValue<std::string> text_;  // nothing: the empty text
};

}  // namespace gedge

template <>
struct std::hash<gedge::SharedText> {
  std::size_t operator()(const gedge::SharedText& text) const {
    return std::hash<std::string>{}(text.str());
  }
};
