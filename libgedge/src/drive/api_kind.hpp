// drive/api_kind.hpp - the objects of one kind, from the bytes of lists and watches to facts.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "gedge/codec/known_lines.hpp"
#include "gedge/drive/api_cluster.hpp"
#include "gedge/drive/last_failure.hpp"

namespace gedge {

struct ApiPath {
  FactKind kind = FactKind::kPod;
  const char* path = "";
  const char* version = "";  ///< "apps/v1"
  const char* list = "";     ///< "ReplicaSetList"
  const char* field_selector = "";
  /// A server, or the rights that it gives us, may lack it; then there is none of it.
  bool may_be_missing = false;
};

/// A server that is upgraded meanwhile loses the old one.
inline constexpr std::array<ApiPath, 2> kBudgetPaths{{
    {FactKind::kDisruptionBudget, "/apis/policy/v1beta1/poddisruptionbudgets", "policy/v1beta1",
     "PodDisruptionBudgetList", "", true},
    {FactKind::kDisruptionBudget, "/apis/policy/v1/poddisruptionbudgets", "policy/v1",
     "PodDisruptionBudgetList", "", true},
}};

class ApiCluster::Kind {
 public:
  /// `conditions`: of pods; what they say of one that is gone is forgotten.
  Kind(const ApiPath& path, const ApiClusterOptions& options, std::uint64_t seed,
       ConditionQueue& conditions);

  const ApiPath& path() const { return path_; }
  Reflector& reflector() { return reflector_; }
  const Reflector& reflector() const { return reflector_; }
  bool is_missing() const { return path_.may_be_missing && reflector_.is_absent(); }
  bool is_synced() const { return is_missing() || reflector_.is_synced(); }
  /// And what was told of it is not too old, and has all that others have written.
  bool is_current(Nanos now) const {
    return !reflector_.is_behind() && (is_missing() || reflector_.is_current(now));
  }
  const LastFailure& failure() const { return failure_; }
  std::uint64_t objects() const { return objects_; }
  std::uint64_t unreadable() const { return unreadable_; }
  std::uint64_t unknown_changes() const { return unknown_changes_; }

  /// Of the reflector's next call.
  ApiRequest request(const ReflectorCall& call);
  /// Of the call under way; 0: none.
  std::uint64_t ticket = 0;

  /// What stands around a page of a list. `reader` keeps the memory that it needed for that. After
  /// protobuf that cannot be read, here or below, JSON alone is asked for.
  /// Errors: it is none.
  Result<ListMeta> read_page(const std::string& body, WatchReader& reader);
  /// The objects of a page. Errors: it is none.
  Status take_page(const std::string& body, ClusterListener& listener);
  /// All pages were taken.
  void end_list(ClusterListener& listener);
  /// A watch has begun.
  void opened(Nanos now, ClusterListener& listener);
  /// A line of a watch. False: the watch is over.
  bool take_line(std::string_view line, Nanos now, ClusterListener& listener);
  /// A call is over that brought no page.
  void failed(const ApiAnswer& answer, Nanos now, ClusterListener& listener);
  /// The page that was taken last is none; all are asked for anew.
  void failed(Error error, Nanos now, ClusterListener& listener);
  /// Hands over what has come since the last time.
  void flush(ClusterListener& listener);

 private:
  template <typename Read>
  auto of_protobuf(const std::string& body, Read read);
  std::optional<Facts> load(std::string_view text, std::size_t padding, Errors& errors) const;
  void load_alone(const std::vector<std::string>& texts, ClusterListener& listener);
  std::string list_head() const;
  bool begin_object(const WatchLine& line, std::size_t bytes, ClusterListener& listener);
  void add_to_batch(const WatchLine& line);
  void load_batch(ClusterListener& listener);
  void put(Facts facts, ClusterListener& listener);
  void tell_unread(const Facts& facts, ClusterListener& listener);
  void remove(const WatchLine& line, ClusterListener& listener);
  void keep_only(std::vector<PodName> names, ClusterListener& listener);
  void tell(const Error& error, Nanos now, ClusterListener& listener);
  void try_other_version();
  void works(ClusterListener& listener);

  ApiPath path_;
  const ApiClusterOptions& options_;
  Reflector reflector_;
  WatchReader reader_;
  ConditionQueue& conditions_;
  std::optional<KnownLines> known_lines_;  // of pods
  LastFailure failure_;
  bool is_listing_ = false, reads_protobuf_ = true;
  std::vector<PodName> listed_;  // so far, by the pages of a list
  // Of a watch: a list of them, open at its end, and where in it each lies; their names.
  std::string batch_;
  std::vector<std::pair<std::size_t, std::size_t>> in_text_;
  std::unordered_set<std::string> in_batch_;
  std::size_t batched_ = 0;  // bytes of lines
  std::uint64_t objects_ = 0, unreadable_ = 0, unknown_changes_ = 0;
};

}  // namespace gedge
