#include "question.hpp"

#include <algorithm>
#include <cctype>
#include <thread>

#include "gedge/base/nearest.hpp"
#include "gedge/codec/fingerprint.hpp"
#include "report.hpp"

namespace gedge::cli {

void add_question_flags(FlagSet& flags, QuestionOptions& options, std::vector<std::string> formats,
                        bool sorts) {
  add_file_flags(flags, options.input);
  add_namespace_flag(flags, options.input);
  add_cluster_flags(flags, options.input);
  add_rtt_flags(flags, options.input);
  add_rule_flags(flags, options.rules);
  add_machines_flag(flags, options.machines);
  add_output_flags(flags, options.output, std::move(formats), sorts);
}

Question::Question(Io& io, QuestionOptions& options, bool keep_bytes)
    : io_(io),
      options_(options),
      progress_(io.err, options.output.quiet, io.clock),
      ticker_(progress_),
      reader_(io, options.input, options.rules.compat(), progress_, keep_bytes) {
  if (!options.rules.asked_compat) reader_.follow_server();
}

void Question::settle_live() {
  const auto& live = reader_.live();
  if (!live) return;
  if (!options_.rules.asked_compat) options_.rules.asked_compat = compat_of_server(live->minor);
  options_.input.home = live->namespace_name;
  progress_.erase();
  if (!options_.output.quiet)
    io_.err.line(io_.err.style().paint(
        Ink::kDim, live->url + ": " + words_of_server(live->minor, options_.rules.compat())));
}

std::optional<Exit> Question::prepare() {
  if (const Status ages = check_ages(options_.input); !ages) return fail_usage(io_, ages.error());
  auto input = reader_.read();
  settle_live();
  Errors errors = reader_.take_errors();
  const Errors wrong_rules = load_rules(options_.rules, reader_, rules_);
  errors.insert(errors.end(), wrong_rules.begin(), wrong_rules.end());
  if (!options_.machines.empty()) {
    machines_ = std::make_unique<MachinePolicies>(rules_.modules.get());
    const Errors wrong = machines_->read(options_.machines, options_.rules.compat(), reader_, io_);
    errors.insert(errors.end(), wrong.begin(), wrong.end());
    for (Profile& profile : rules_.profiles) profile = machines_->with(std::move(profile));
  }
  progress_.erase();
  if (reader_.lacks_cluster())
    return fail_usage(
        io_, invalid_input("no nodes to place pods on", {},
                           "name a cluster: `--cluster FILE`, `--cluster live` or `--cluster "
                           "synthetic:nodes=6`"));
  if (!input || !errors.empty()) return fail(io_, errors, options_.output);
  input_ = *std::move(input);
  for (Warning& warning : rules_.warnings) input_.facts.warnings.push_back(std::move(warning));
  return std::nullopt;
}

std::future<std::string> Question::snapshot() const {
  const bool alone = options_.input.threads == 1 || std::thread::hardware_concurrency() < 2;
  return std::async(alone ? std::launch::deferred : std::launch::async,
                    [this] { return fingerprint(input_.facts, input_.rtt); });
}

PlanRequest Question::request() {
  PlanRequest request;
  request.facts = &input_.facts;
  request.rtt = &input_.rtt;
  request.profiles = rules_.profiles;
  request.rtt_by = options_.input.rtt_by;
  request.seed = options_.rules.seed;
  request.modules =
      machines_ ? static_cast<const PolicySource*>(machines_.get()) : rules_.modules.get();
  request.progress = [this](std::size_t done, std::size_t total) {
    progress_.show("planning", done, total);
    return true;
  };
  return request;
}

const Profile& Question::profile_of(const std::string& namespace_name,
                                    const std::string& pod) const {
  const Facts& facts = input_.facts;
  for (const Pod& candidate : facts.pods) {
    if (candidate.name != pod || candidate.namespace_name != namespace_name) continue;
    for (const Profile& profile : rules_.profiles)
      if (profile.scheduler_name == facts.spec_of(candidate).scheduler_name) return profile;
  }
  return rules_.profiles.front();
}

std::string Question::bound_node(const std::string& namespace_name, const std::string& pod) const {
  for (const Pod& candidate : input_.facts.pods)
    if (candidate.name == pod && candidate.namespace_name == namespace_name)
      return candidate.bound_node;
  return "";
}

// "deployment/web", or "web" alone: replicas are asked about one by one.
const Pod* Question::replica_of(const PodName& name) const {
  const auto is_kind = [&](const SharedText& kind) {
    return std::equal(kind.str().begin(), kind.str().end(), name.namespace_name.begin(),
                      name.namespace_name.end(),
                      [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
  };
  const std::vector<Pod>& pods = input_.facts.pods;
  const auto found = std::find_if(pods.begin(), pods.end(), [&](const Pod& pod) {
    return pod.workload_name == name.pod &&
           (pod.namespace_name == name.namespace_name || is_kind(pod.workload_kind));
  });
  return found == pods.end() ? nullptr : &*found;
}

Error Question::with_nearest_pod(Error error, const PodName& name) const {
  if (error.code != Errc::kNotFound || !error.hint.empty()) return error;
  std::vector<std::string> here;
  for (const Pod& pod : input_.facts.pods) {
    if (pod.namespace_name == name.namespace_name) here.push_back(pod.name);
    if (pod.name != name.pod || pod.namespace_name == name.namespace_name) continue;
    error.hint = "did you mean `" + pod.namespace_name + '/' + pod.name + "`?";
    return error;
  }
  if (const Pod* const replica = replica_of(name)) {
    error.hint = "name one of its pods, for example `" + replica->name + "`";
    return error;
  }
  const auto close = nearest(name.pod, here);
  error.hint =
      close ? "did you mean `" + *close + "`?" : "`gedge plan` with the same flags shows every pod";
  return error;
}

std::string home_namespace(const InputOptions& options) {
  return options.namespace_name.empty() ? options.home : options.namespace_name;
}

PodName parse_pod(const std::string& text, const InputOptions& options) {
  const std::string home = home_namespace(options);
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return {home, text};
  const std::string before = text.substr(0, slash), after = text.substr(slash + 1);
  if (before == "pod" || before == "pods" || before == "po") return {home, after};
  return {before, after};
}

}  // namespace gedge::cli
