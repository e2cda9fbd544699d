// question.hpp - what plan, explain, why-not and verify begin with: facts, rules, and a request to
// the library.
#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>

#include "exit.hpp"
#include "gedge/plan/planner.hpp"
#include "input.hpp"
#include "io.hpp"
#include "node_machines.hpp"
#include "options.hpp"
#include "rules.hpp"
#include "term/progress.hpp"

namespace gedge::cli {

struct QuestionOptions {
  InputOptions input;
  RuleOptions rules;
  OutputOptions output;
  std::string machines;  ///< directory of --machines; empty: none
  std::string retyped;   ///< the flags that shape the answer, for hints
};

/// "web-0", "pod/web-0" or "shop/web-0" as users name a pod; the namespace of -n where they name
/// none.
struct PodName {
  std::string namespace_name, pod;
};
PodName parse_pod(const std::string& text, const InputOptions& options);
/// The namespace of what names none.
std::string home_namespace(const InputOptions& options);

/// Registers all of them; `formats` and `sorts` as for add_output_flags.
void add_question_flags(FlagSet& flags, QuestionOptions& options, std::vector<std::string> formats,
                        bool sorts = true);

/// Everything read. Holds the progress line, so it stays where it is.
class Question {
 public:
  /// A live cluster settles what `options` leave open: the namespace, and whose formulas count.
  Question(Io& io, QuestionOptions& options, bool keep_bytes = false);
  Question(const Question&) = delete;
  Question& operator=(const Question&) = delete;
  ~Question() { io_.kept.add(std::move(input_)); }

  void needs_no_nodes() { reader_.needs_no_nodes(); }
  /// Reads input and rules. Returns an exit code if that failed; everything is printed then.
  std::optional<Exit> prepare();

  const Input& input() const { return input_; }
  const Rules& rules() const { return rules_; }
  InputReader& reader() { return reader_; }
  ProgressLine& progress() { return progress_; }
  PlanRequest request();
  /// One text for the facts and the matrix, as a plan carries it; made on another thread where
  /// there may be one.
  std::future<std::string> snapshot() const;
  /// For "there is no such pod": the namespace that has one of that name, or the most similar name.
  Error with_nearest_pod(Error error, const PodName& name) const;
  /// The profile that decides about a pod, by its schedulerName.
  const Profile& profile_of(const std::string& namespace_name, const std::string& pod) const;
  /// Where a pod is already; "" for nowhere.
  std::string bound_node(const std::string& namespace_name, const std::string& pod) const;

 private:
  void settle_live();
  const Pod* replica_of(const PodName& name) const;

  Io& io_;
  QuestionOptions& options_;
  ProgressLine progress_;
  ProgressTicker ticker_;
  InputReader reader_;
  Input input_;
  Rules rules_;
  std::unique_ptr<MachinePolicies> machines_;  // null without --machines
};

}  // namespace gedge::cli
