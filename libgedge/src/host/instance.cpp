// host/instance.cpp - every call of a module, and every check of what came back.
#include "host/instance.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace gedge {
namespace {

// Written before and behind the rows in question, and into them before the call.
constexpr std::size_t kGuard = 8;
constexpr std::size_t kLongestReason = 255;

// Verdicts and scores differ in type, range, and which function of the module gives them.
template <typename T>
struct Kind;

template <>
struct Kind<std::uint8_t> {
  static constexpr std::uint8_t kUnwritten = 0xa5;
  static constexpr const char *kFunction = "filter", *kAnswer = "verdict";
  static auto function(const gedge_policy& policy) { return policy.filter; }
  static std::pair<std::uint8_t, std::uint8_t> range(const gedge_policy&) { return {0, 1}; }
};

template <>
struct Kind<std::int64_t> {
  static constexpr std::int64_t kUnwritten = std::numeric_limits<std::int64_t>::min() + 0xa5a5a5;
  static constexpr const char *kFunction = "score", *kAnswer = "score";
  static auto function(const gedge_policy& policy) { return policy.score; }
  static std::pair<std::int64_t, std::int64_t> range(const gedge_policy& policy) {
    if (policy.normalize == GEDGE_NORMALIZE_NONE) return {0, 100};
    if (policy.normalize == GEDGE_NORMALIZE_MIN_MAX)
      return {-GEDGE_MAX_RAW_SCORE, GEDGE_MAX_RAW_SCORE};
    return {0, GEDGE_MAX_RAW_SCORE};
  }
};

template <typename T>
bool is_untouched(const T* first, const T* last) {
  return std::all_of(first, last, [](T value) { return value == Kind<T>::kUnwritten; });
}

std::string node_at(const ClassContext& context, std::uint32_t row) {
  return "node '" + context.cluster.node(NodeIndex{row}).name + "'";
}

}  // namespace

ModuleState::ModuleState(std::shared_ptr<Instance> instance, const ClassContext& context)
    : instance_(std::move(instance)), checked_(context.cluster.slots()) {
  prepared_ = instance_->prepare(context);
  twin_ = instance_->prepare(context);
}

ModuleState::~ModuleState() {
  instance_->release(prepared_);
  instance_->release(twin_);
}

bool ModuleState::is_checked(Rows rows) const {
  for (std::uint32_t row = rows.first; row < rows.last; ++row)
    if (!checked_.test(NodeIndex{row})) return false;
  return true;
}

void ModuleState::set_checked(Rows rows) const {
  for (std::uint32_t row = rows.first; row < rows.last; ++row) checked_.set(NodeIndex{row});
}

Instance::Instance(std::shared_ptr<const Library> library, const LoadedPolicy& policy,
                   std::shared_ptr<FailureBox> failures, ModuleChecks checks)
    : library_(std::move(library)),
      policy_(policy),
      failures_(std::move(failures)),
      checks_(checks) {
  if (policy_.functions.create == nullptr) return;
  self_ = guarded("create", policy_.functions.create).value_or(nullptr);
}

Instance::~Instance() {
  if (policy_.functions.destroy == nullptr || self_ == nullptr) return;
  guarded("destroy", [&] { return policy_.functions.destroy(self_), true; });
}

void Instance::fail(const std::string& what) {
  failures_->report(misbehaviour(library_->path(), policy_, what));
}

// Modules may be written in C++; no exception of theirs gets any further.
template <typename F>
auto Instance::guarded(const char* function, F&& call) -> std::optional<decltype(call())> {
  try {
    return call();
  } catch (const std::exception& error) {
    const std::string text = is_line(error.what(), kLongestReason) ? error.what() : "no message";
    fail("threw an exception in `" + std::string(function) + "`: " + text);
  } catch (...) {
    fail("threw an exception in `" + std::string(function) + "`");
  }
  return std::nullopt;
}

void* Instance::prepare(const ClassContext& context) {
  if (policy_.functions.prepare == nullptr || failed()) return nullptr;
  const Question question(context, policy_, library_->path(), *failures_, true);
  return guarded(
             "prepare",
             [&] { return policy_.functions.prepare(self_, &question.nodes(), &question.pod()); })
      .value_or(nullptr);
}

void Instance::release(void* prepared) {
  if (policy_.functions.release == nullptr || prepared == nullptr) return;
  guarded("release", [&] { return policy_.functions.release(self_, prepared), true; });
}

// `padded` holds the rows between two guards. False if the module broke the contract.
template <typename T>
bool Instance::accept(const ClassContext& context, Rows rows, const std::vector<T>& padded) {
  const T *begin = padded.data(), *first = begin + kGuard, *last = first + rows.size();
  if (!is_untouched(begin, first) || !is_untouched(last, last + kGuard)) {
    fail("wrote beyond the rows that its `" + std::string(Kind<T>::kFunction) + "` was asked for");
    return false;
  }
  const auto [least, most] = Kind<T>::range(policy_.functions);
  const auto bad = std::find_if(
      first, last, [least = least, most = most](T value) { return value < least || value > most; });
  if (bad == last) return true;
  const std::string node = node_at(context, rows.first + static_cast<std::uint32_t>(bad - first));
  if (*bad == Kind<T>::kUnwritten)
    fail("gave " + node + " no " + Kind<T>::kAnswer);
  else
    fail("gave " + node + " the " + Kind<T>::kAnswer + " " + std::to_string(*bad) +
         ", which is outside " + std::to_string(least) + ".." + std::to_string(most));
  return false;
}

template <typename T>
bool Instance::ask(const ClassContext& context, const void* prepared, Rows rows,
                   std::vector<T>& out) {
  out.assign(rows.size() + 2 * kGuard, Kind<T>::kUnwritten);
  const Question question(context, policy_, library_->path(), *failures_, false);
  const auto status = guarded(Kind<T>::kFunction, [&] {
    return Kind<T>::function(policy_.functions)(self_, prepared, &question.nodes(), &question.pod(),
                                                rows.first, rows.last, out.data() + kGuard);
  });
  if (failed()) return false;
  if (*status != 0) {
    fail("returned " + std::to_string(*status) + " from `" + Kind<T>::kFunction + "`");
    return false;
  }
  return accept(context, rows, out);
}

template <>
struct Instance::Answers<std::uint8_t> {
  static auto& first(Instance& i) { return i.verdicts_; }
  static auto& again(Instance& i) { return i.verdicts_again_; }
};
template <>
struct Instance::Answers<std::int64_t> {
  static auto& first(Instance& i) { return i.scores_; }
  static auto& again(Instance& i) { return i.scores_again_; }
};

// Asks again, with what was prepared a second time, and in two halves: an answer must depend
// neither on earlier calls nor on which rows are asked for together.
template <typename T>
bool Instance::is_alike(const ClassContext& context, const ModuleState& state, Rows rows) {
  const std::uint32_t middle = rows.first + static_cast<std::uint32_t>(rows.size() / 2);
  for (const Rows half : {Rows{rows.first, middle}, Rows{middle, rows.last}}) {
    if (half.size() == 0) continue;
    std::vector<T>& again = Answers<T>::again(*this);
    if (!ask<T>(context, state.twin(), half, again)) return false;
    for (std::uint32_t i = 0; i < half.size(); ++i) {
      const T before = Answers<T>::first(*this)[kGuard + (half.first - rows.first) + i];
      if (again[kGuard + i] == before) continue;
      fail("gave " + node_at(context, half.first + i) + " the " + Kind<T>::kAnswer + " " +
           std::to_string(before) + ", and asked again, " + std::to_string(again[kGuard + i]));
      return false;
    }
  }
  return true;
}

template <typename T>
std::span<const T> Instance::answers(const ClassContext& context, const ModuleState& state,
                                     Rows rows) {
  std::vector<T>& first = Answers<T>::first(*this);
  if (failed() || !ask<T>(context, state.prepared(), rows, first)) return {};
  if (checks_ == ModuleChecks::kEveryEvaluation || !state.is_checked(rows)) {
    if (!is_alike<T>(context, state, rows)) return {};
    state.set_checked(rows);
  }
  return std::span<const T>(first).subspan(kGuard, rows.size());
}

std::span<const std::uint8_t> Instance::verdicts(const ClassContext& context,
                                                 const ModuleState& state, Rows rows) {
  return answers<std::uint8_t>(context, state, rows);
}

std::span<const std::int64_t> Instance::scores(const ClassContext& context,
                                               const ModuleState& state, Rows rows) {
  return answers<std::int64_t>(context, state, rows);
}

std::string Instance::reason(const ClassContext& context, const ModuleState& state,
                             NodeIndex node) {
  std::string plain = "node(s) were rejected by " + policy_.name;
  if (policy_.functions.reason == nullptr || failed()) return plain;
  const auto say = [&](const void* prepared) -> std::optional<std::string> {
    const Question question(context, policy_, library_->path(), *failures_, false);
    const auto text = guarded("reason", [&] {
      return policy_.functions.reason(self_, prepared, &question.nodes(), &question.pod(),
                                      raw(node));
    });
    if (failed() || *text == nullptr) return std::nullopt;
    if (is_line(*text, kLongestReason)) return *text;
    fail("gave a reason that is not one line of text: " + node_at(context, raw(node)));
    return std::nullopt;
  };
  const auto first = say(state.prepared()), again = say(state.twin());
  if (first != again) fail("gave two reasons for rejecting " + node_at(context, raw(node)));
  return first.value_or(std::move(plain));
}

}  // namespace gedge
