// support/objects.hpp - manifests and dumps written inline, read by the library's own loader.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gedge/codec/load.hpp"

namespace gedge::test {

/// Texts for one load, in the order in which they are given to the loader.
class Objects {
 public:
  explicit Objects(LoadOptions options = {}) : loader_(std::move(options)) {}
  Objects& cluster(std::string_view text, std::string name = "cluster") {
    loader_.add_cluster({std::move(name), text, 0});
    return *this;
  }
  Objects& manifests(std::string_view text, std::string name = "app.yaml") {
    loader_.add_manifests({std::move(name), text, 0});
    return *this;
  }
  LoadResult finish() { return loader_.finish(); }
  /// Fails the test where there are errors.
  Facts facts() {
    LoadResult result = finish();
    for (const Error& error : result.errors)
      FAIL_CHECK(error.where.line << ":" << error.where.column << ": " << error.what);
    REQUIRE(result.loaded.has_value());
    return std::move(result.loaded->facts);
  }
  /// "file:line:column: what", one a line.
  std::string errors() {
    std::string out;
    for (const Error& error : finish().errors)
      out += error.where.origin + ":" + std::to_string(error.where.line) + ":" +
             std::to_string(error.where.column) + ": " + error.what + "\n";
    return out;
  }

 private:
  FactsLoader loader_;
};

inline Facts manifest_facts(std::string_view text) { return Objects().manifests(text).facts(); }
inline std::string manifest_errors(std::string_view text) {
  return Objects().manifests(text).errors();
}
inline Facts cluster_facts(std::string_view text) { return Objects().cluster(text).facts(); }

/// "namespace/name" of every pod, separated by blanks.
inline std::string pod_names(const Facts& facts) {
  std::string out;
  for (const Pod& pod : facts.pods)
    out += (out.empty() ? "" : " ") + pod.namespace_name + "/" + pod.name;
  return out;
}

/// The codes of the warnings, separated by blanks.
inline std::string warning_codes(const Facts& facts) {
  std::string out;
  for (const Warning& warning : facts.warnings) out += (out.empty() ? "" : " ") + warning.code;
  return out;
}

}  // namespace gedge::test
