// codec/fields.hpp - the kinds of fields that many Kubernetes objects share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/cursor.hpp"
#include "gedge/base/shared_text.hpp"
#include "gedge/base/units.hpp"
#include "gedge/model/labels.hpp"
#include "gedge/model/pod.hpp"
#include "gedge/model/resources.hpp"

namespace gedge::codec {

/// Each leaves `out` as it is where the value is null or wrong (then reported).
void read_text(Cursor value, std::string& out);
void read_text(Cursor value, SharedText& out);
void read_texts(Cursor list, std::vector<std::string>& out);
void read_bool(Cursor value, bool& out);
/// The text under `key`; empty where there is none. Says nothing about a wrong type: whoever reads
/// the field does.
std::string text_at(Cursor map, std::string_view key);
/// An integer of the API's int32 fields, at least `least`.
void read_int32(Cursor value, std::int32_t& out, std::int32_t least);
/// RFC 3339.
void read_time(Cursor value, UnixSeconds& out);
/// Labels with keys and values that the API server accepts; others are reported.
void read_labels(Cursor map, Labels& out);
using AnnotationChoice = bool (*)(std::string_view annotation);
/// Annotations that say something about the object, not about who wrote it: without the notes of
/// kubectl, kubelet and network plugins (other for every pod).
bool is_about_object(std::string_view annotation);
/// A quantity, rounded up to thousandths or units, not negative.
std::optional<std::int64_t> read_quantity(Cursor value, bool milli);
/// A ResourceList: cpu in thousandths, everything else in units.
void read_resources(Cursor map, Resources& out);

bool is_dns_label(std::string_view text);      // RFC 1123, 63 bytes
bool is_dns_subdomain(std::string_view text);  // RFC 1123, 253 bytes

struct Metadata {
  std::string name, generate_name, namespace_name, uid;
  Labels labels, annotations;
  ControllerRef controller;
  UnixSeconds created = kNever;
  bool terminating = false;
  Place place;
};

/// `metadata` of an object: names checked as the API server does. `object` stands for it in errors.
Metadata read_metadata(Cursor object);
/// The same without labels and annotations; and these alone.
Metadata read_identity(Cursor object);
void read_notes(Cursor object, Metadata& meta, AnnotationChoice is_kept = is_about_object);

}  // namespace gedge::codec
