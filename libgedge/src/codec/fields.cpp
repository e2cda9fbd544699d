#include "codec/fields.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "gedge/base/quantity.hpp"
#include "gedge/codec/timestamp.hpp"
#include "gedge/model/selector.hpp"

namespace gedge::codec {
namespace {

constexpr std::array<std::string_view, 9> kNoise = {
    "kubectl.kubernetes.io/",    "cni.projectcalico.org/",
    "k8s.v1.cni.cncf.io/",       "k8s.ovn.org/",
    "kubernetes.io/config.seen", "kubernetes.io/config.hash",
    "deployment.kubernetes.io/", "volumes.kubernetes.io/",
    "pv.kubernetes.io/"};

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

void check_name(const std::string& name, std::optional<Cursor> at) {
  if (name.empty() || is_dns_subdomain(name)) return;
  at->fail(
      quote(name) + " is no name of an object",
      "use at most 253 lower-case letters, digits, '-' and '.', a letter or digit at both ends");
}

void read_owner(Cursor owner, ControllerRef& out) {
  const auto controls = owner.find("controller");
  if (!controls || !controls->boolean().value_or(false)) return;
  owner.fields([&](std::string_view key, Cursor value) {
    if (key == "kind") read_text(value, out.kind);
    if (key == "name") read_text(value, out.name);
    if (key == "uid") read_text(value, out.uid);
  });
}

// Many come in the order of their keys: a sorted list grows at its end only, so that a hundred
// thousand in disorder cost no more than others.
template <typename F>
void for_each_by_key(Cursor map, F visit) {
  constexpr std::uint32_t kMany = 64;
  if (map.size() < kMany) {
    map.fields(visit);
    return;
  }
  std::vector<std::pair<std::string_view, Cursor>> all;
  map.fields([&](std::string_view key, Cursor value) { all.emplace_back(key, value); });
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [key, value] : all) visit(key, value);
}

// A text that is not kept is not read: lines that differ in it are alike.
void read_annotations(Cursor map, Labels& out, AnnotationChoice is_kept) {
  for_each_by_key(map, [&](std::string_view key, Cursor value) {
    const bool is_text = value.shape() == Shape::kScalar && value.type() == ScalarType::kText;
    if (is_text && !is_kept(key)) return;
    if (const auto text = value.text()) out.set(key, *text);
  });
}

}  // namespace

void read_text(Cursor value, std::string& out) {
  if (const auto text = value.text()) out = *text;
}

void read_text(Cursor value, SharedText& out) {
  if (const auto text = value.text()) out = *text;
}

void read_texts(Cursor list, std::vector<std::string>& out) {
  out.reserve(out.size() + list.size());
  list.items([&](Cursor item) {
    if (const auto text = item.text()) out.emplace_back(*text);
  });
}

std::string text_at(Cursor map, std::string_view key) {
  const auto value = map.find(key);
  if (!value || value->shape() != Shape::kScalar || value->type() != ScalarType::kText) return "";
  return std::string(value->raw_text());
}

void read_bool(Cursor value, bool& out) {
  if (const auto flag = value.boolean()) out = *flag;
}

void read_int32(Cursor value, std::int32_t& out, std::int32_t least) {
  if (const auto number = value.integer(least, std::numeric_limits<std::int32_t>::max()))
    out = static_cast<std::int32_t>(*number);
}

void read_time(Cursor value, UnixSeconds& out) {
  const auto text = value.text();
  if (!text) return;
  if (const auto time = parse_timestamp(*text))
    out = *time;
  else
    value.fail(quote(*text) + " is no time", "write it like 2024-05-01T12:00:00Z");
}

void read_labels(Cursor map, Labels& out) {
  for_each_by_key(map, [&](std::string_view key, Cursor value) {
    const auto text = value.text();
    if (!text && !value.is_null()) return;
    if (!is_label_key(key)) {
      const bool is_budget = key.substr(0, 6) == "delay_" && key.size() > 63;
      value.key()->fail(quote(key) + " is no label key",
                        is_budget
                            ? "write names this long into the annotation gedge.io/delay-budget"
                            : "use [prefix/]name; the name has at most 63 letters, digits, '-', "
                              "'_', '.'");
      return;
    }
    if (text && !is_label_value(*text)) {
      value.fail(
          quote(*text) + " is no label value",
          "use at most 63 letters, digits, '-', '_' and '.', a letter or digit at both ends");
      return;
    }
    out.set(key, text.value_or(""));
  });
}

bool is_about_object(std::string_view annotation) {
  return std::none_of(kNoise.begin(), kNoise.end(),
                      [&](std::string_view prefix) { return annotation.starts_with(prefix); });
}

std::optional<std::int64_t> read_quantity(Cursor value, bool milli) {
  const auto text = value.text_or_number();
  if (!text) return std::nullopt;
  const auto amount = milli ? parse_milli(*text) : parse_units(*text);
  if (amount && *amount >= 0) return amount;
  const std::string name = value.key() ? quote(value.key()->raw_text()) + " " : "";
  const auto quantity = parse_quantity(*text);
  if (!quantity)
    value.fail(name + "is no quantity: " + quote(*text), "write it like 250m, 1.5, 512Mi or 2Gi");
  else if (quantity->sign < 0)
    value.fail(name + "is negative: " + quote(*text), "an amount is 0 or more");
  else
    value.fail(name + "does not fit 64 bits: " + quote(*text),
               std::string("write a smaller amount; the largest is 9223372036854775807") +
                   (milli ? "m" : ""));
  return std::nullopt;
}

void read_resources(Cursor map, Resources& out) {
  for_each_by_key(map, [&](std::string_view name, Cursor value) {
    if (const auto amount = read_quantity(value, name == kCpu)) out.set(name, *amount);
  });
}

bool is_dns_label(std::string_view text) {
  return !text.empty() && text.size() <= 63 && is_lower_or_digit(text.front()) &&
         is_lower_or_digit(text.back()) && std::all_of(text.begin(), text.end(), [](char c) {
           return is_lower_or_digit(c) || c == '-';
         });
}

bool is_dns_subdomain(std::string_view text) {
  if (text.size() > 253) return false;
  for (;;) {
    const std::size_t dot = text.find('.');
    const std::string_view label = text.substr(0, dot);
    // Parts of a subdomain may be longer than 63 bytes, as in Kubernetes.
    if (label.empty() || !is_lower_or_digit(label.front()) || !is_lower_or_digit(label.back()))
      return false;
    if (!std::all_of(label.begin(), label.end(),
                     [](char c) { return is_lower_or_digit(c) || c == '-'; }))
      return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

namespace {

void read_names(std::string_view key, Cursor value, Metadata& meta) {
  if (key == "name") {
    read_text(value, meta.name);
    check_name(meta.name, value);
  } else if (key == "generateName") {
    read_text(value, meta.generate_name);
    std::string base = meta.generate_name;
    while (!base.empty() && (base.back() == '-' || base.back() == '.')) base.pop_back();
    if (base.empty() && !meta.generate_name.empty()) base = "-";
    check_name(base, value);
  } else if (key == "namespace") {
    read_text(value, meta.namespace_name);
    if (!meta.namespace_name.empty() && !is_dns_label(meta.namespace_name))
      value.fail(quote(meta.namespace_name) + " is no name of a namespace",
                 "use at most 63 lower-case letters, digits and '-'");
  } else if (key == "uid") {
    read_text(value, meta.uid);
  }
}

}  // namespace

Metadata read_identity(Cursor object) {
  Metadata meta;
  meta.place = object.place();
  const auto metadata = object.find("metadata");
  if (!metadata) return meta;
  metadata->fields([&](std::string_view key, Cursor value) {
    if (key == "creationTimestamp")
      read_time(value, meta.created);
    else if (key == "deletionTimestamp")
      meta.terminating = !value.is_null();
    else if (key == "ownerReferences")
      value.items([&](Cursor owner) { read_owner(owner, meta.controller); });
    else
      read_names(key, value, meta);
  });
  return meta;
}

void read_notes(Cursor object, Metadata& meta, AnnotationChoice is_kept) {
  const auto metadata = object.find("metadata");
  if (!metadata || !metadata->is_map()) return;
  if (const auto labels = metadata->find("labels")) read_labels(*labels, meta.labels);
  if (const auto notes = metadata->find("annotations"))
    read_annotations(*notes, meta.annotations, is_kept);
}

Metadata read_metadata(Cursor object) {
  Metadata meta = read_identity(object);
  read_notes(object, meta);
  return meta;
}

}  // namespace gedge::codec
