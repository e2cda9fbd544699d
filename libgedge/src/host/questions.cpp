// host/questions.cpp - the functions of gedge_nodes and gedge_pod.
#include "host/questions.hpp"

#include <algorithm>
#include <utility>

#include "host/module_file.hpp"

namespace gedge {
namespace {

const Question& question(const void* host) { return *static_cast<const Question*>(host); }

const std::int64_t* allocatable(const void* host, const char* resource) {
  const Question& asked = question(host);
  if (resource == nullptr || !asked.may_read(GEDGE_READS_NODE, "allocatable")) return nullptr;
  const auto column = asked.cluster().find_resource(resource);
  return column ? asked.cluster().allocatable(*column).data() : nullptr;
}

const std::int64_t* requested(const void* host, const char* resource) {
  const Question& asked = question(host);
  if (resource == nullptr || !asked.may_read(GEDGE_READS_USAGE, "requested")) return nullptr;
  // What is prepared is kept while pods come and go.
  if (asked.preparing() && !asked.policy().reads(GEDGE_READS_ANYTHING)) {
    asked.report_undeclared("requested in `prepare`",
                            "read it in `filter` or `score`, or declare GEDGE_READS_ANYTHING");
    return nullptr;
  }
  const auto column = asked.cluster().find_resource(resource);
  return column ? asked.cluster().requested(*column).data() : nullptr;
}

const char* node_label(const void* host, std::uint32_t row, const char* key) {
  const Question& asked = question(host);
  if (key == nullptr || !asked.has_row(row) || !asked.may_read(GEDGE_READS_NODE, "label of nodes"))
    return nullptr;
  const std::string* value = asked.cluster().node(NodeIndex{row}).labels.find(key);
  return value == nullptr ? nullptr : value->c_str();
}

const char* node_name(const void* host, std::uint32_t row) {
  const Question& asked = question(host);
  if (!asked.has_row(row) || !asked.may_read(GEDGE_READS_NODE, "name of nodes")) return nullptr;
  return asked.cluster().node(NodeIndex{row}).name.c_str();
}

std::uint32_t node_rtt_us(const void* host, const char* from, std::uint32_t row) {
  const Question& asked = question(host);
  if (from == nullptr || !asked.has_row(row) || !asked.may_read(GEDGE_READS_NODE, "rtt_us"))
    return GEDGE_UNMEASURED;
  return asked.rtt_us(from, NodeIndex{row});
}

const char* namespace_name(const void* host) {
  const Question& asked = question(host);
  if (!asked.may_read(GEDGE_READS_POD_NAMESPACE, "namespace_name")) return nullptr;
  return asked.facts().namespace_name().c_str();
}

std::int64_t request(const void* host, const char* resource) {
  const Question& asked = question(host);
  if (resource == nullptr || !asked.may_read(GEDGE_READS_POD_REQUESTS, "request")) return 0;
  if (resource == kPods) return 1;
  const auto column = asked.cluster().find_resource(resource);
  return column ? asked.facts().request(*column) : 0;
}

bool is_declared(const Question& asked, const std::vector<std::string>& keys, const char* key) {
  return asked.policy().reads(GEDGE_READS_ANYTHING) ||
         std::find(keys.begin(), keys.end(), key) != keys.end();
}

const char* pod_label(const void* host, const char* key) {
  const Question& asked = question(host);
  if (key == nullptr) return nullptr;
  if (!is_declared(asked, asked.policy().pod_labels, key)) {
    asked.report_undeclared("the pod's label '" + std::string(key) + "'", "add it to pod_labels");
    return nullptr;
  }
  const std::string* value = asked.facts().labels().find(key);
  return value == nullptr ? nullptr : value->c_str();
}

const char* pod_annotation(const void* host, const char* key) {
  const Question& asked = question(host);
  if (key == nullptr) return nullptr;
  if (!is_declared(asked, asked.policy().pod_annotations, key)) {
    asked.report_undeclared("the pod's annotation '" + std::string(key) + "'",
                            "add it to pod_annotations");
    return nullptr;
  }
  const std::string* value = asked.facts().spec->annotations.find(key);
  return value == nullptr ? nullptr : value->c_str();
}

const DelayBudget* find_budget(const Question& asked, std::uint32_t budget) {
  const auto& all = asked.facts().spec->budgets;
  return budget < all.size() ? &all[budget] : nullptr;
}

std::uint32_t budget_count(const void* host) {
  const Question& asked = question(host);
  if (!asked.may_read(GEDGE_READS_POD_BUDGETS, "budget_count")) return 0;
  return static_cast<std::uint32_t>(asked.facts().spec->budgets.size());
}

const char* budget_from(const void* host, std::uint32_t budget) {
  const Question& asked = question(host);
  if (!asked.may_read(GEDGE_READS_POD_BUDGETS, "budget_from")) return nullptr;
  const DelayBudget* found = find_budget(asked, budget);
  return found == nullptr ? nullptr : found->from.c_str();
}

std::int64_t budget_limit_us(const void* host, std::uint32_t budget) {
  const Question& asked = question(host);
  if (!asked.may_read(GEDGE_READS_POD_BUDGETS, "budget_limit_us")) return -1;
  const DelayBudget* found = find_budget(asked, budget);
  return found == nullptr ? -1 : found->limit_us;
}

}  // namespace

Question::Question(const ClassContext& context, const LoadedPolicy& policy, const std::string& path,
                   FailureBox& failures, bool preparing)
    : context_(context),
      policy_(policy),
      path_(path),
      failures_(failures),
      preparing_(preparing),
      nodes_{sizeof(gedge_nodes),
             static_cast<std::uint32_t>(context.cluster.slots()),
             this,
             allocatable,
             requested,
             node_label,
             node_name,
             node_rtt_us},
      pod_{sizeof(gedge_pod),
           0,
           this,
           namespace_name,
           request,
           pod_label,
           pod_annotation,
           budget_count,
           budget_from,
           budget_limit_us} {}

bool Question::may_read(std::uint32_t what, std::string_view words) const {
  if (policy_.reads(what)) return true;
  report_undeclared(std::string(words), "add it to the policy's `reads`");
  return false;
}

void Question::report_undeclared(const std::string& words, std::string hint) const {
  failures_.report(misbehaviour(path_, policy_, "read " + words + " without saying that it does",
                                std::move(hint)));
}

std::uint32_t Question::rtt_us(std::string_view from, NodeIndex node) const {
  if (!from_ || from_->text != from) {
    from_ = From{std::string(from), cluster().find_node(from), std::nullopt};
    if (!from_->node) from_->name = cluster().rtt().find(from);
  }
  if (from_->node) return cluster().rtt_between(*from_->node, node).us;
  const auto there = cluster().latency_name(node);
  if (!from_->name || !there) return kUnmeasured.us;
  return cluster().rtt().between(*from_->name, *there).us;
}

Error misbehaviour(const std::string& path, const LoadedPolicy& policy, const std::string& what,
                   std::string hint) {
  return module_error(path, "policy '" + policy.name + "' " + what, std::move(hint));
}

}  // namespace gedge
