#include "site_source.hpp"

#include <utility>

#include "gedge/codec/api_requests.hpp"
#include "gedge/codec/resize_requests.hpp"
#include "gedge/codec/workload_sample.hpp"
#include "gedge/control/planned_room.hpp"
#include "gedge/control/sites_room.hpp"
#include "gedge/drive/api_call.hpp"

namespace gedge::cli {
namespace {

constexpr const char* kLive = "live";
constexpr Nanos kLongestAnswer{5'000'000'000};  // the lease must be renewed meanwhile
constexpr unsigned kNotFound = 404;
constexpr std::size_t kMostTold = 100'000;

InputOptions live_input(const ScaleCommand& command) {
  InputOptions input = command.input;
  input.files.clear();
  input.cluster = {kLive};
  input.namespace_name.clear();
  return input;
}

// Sites need to read more than autoscalers without any.
Error with_rights(Error error) {
  if (error.code == Errc::kDenied && error.hint.empty())
    error.hint = "grant what `gedge manifests --rights-only --mode autoscaler --mode sites` prints";
  return error;
}

Error first_of(Errors errors) {
  if (errors.empty()) return {Errc::kInternal, "the cluster could not be read", {}, {}};
  return std::move(errors.front());
}

}  // namespace

Errors SiteSource::open() {
  std::vector<Warning> warnings;
  Errors errors = find_server(io_, command_.server, "autoscaler", server_, warnings, &log_);
  if (!errors.empty()) return errors;
  const InputOptions input = live_input(command_);
  ProgressLine progress(io_.err, true, io_.clock);
  InputReader reader(io_, input, command_.rules.compat(), progress);
  errors = load_rules(command_.rules, reader, rules_);
  if (!errors.empty()) return errors;
  reader.give_live(kLive, list());
  if (!reader.read()) return reader.take_errors();
  return {};
}

LiveReading SiteSource::list() {
  LiveReading live;
  live.url = server_.url;
  live.minor = server_.minor;
  live.namespace_name = server_.namespace_name;
  ClusterListOptions how;
  how.timeout = kLongestAnswer;
  how.most_tries = 1;
  how.minor = server_.minor;
  how.seed = io_.network->random_key();
  auto listing = list_cluster(*server_.transport, io_.clock, how);
  if (listing)
    live.pages = std::move(listing->pages);
  else
    live.errors.push_back(with_rights(std::move(listing).error()));
  return live;
}

// One replica of each site's workload, to be read as a manifest.
Result<std::vector<SiteWorkload>> SiteSource::samples(const SiteQuestion& question,
                                                      InputReader& reader,
                                                      std::vector<std::string>& manifests) {
  std::vector<SiteWorkload> workloads;
  const std::vector<ObjectName> names = site_workloads(question.autoscaler);
  for (std::size_t site = 0; site < names.size(); ++site) {
    const std::string space = question.autoscaler.namespace_name.str();
    auto request = codec::workload_request(names[site], space);
    if (!request) return std::move(request).error();
    std::string path = "GET " + request->target;
    const auto answer = call(*server_.transport, *std::move(request));
    if (!answer) return answer.error();
    SiteWorkload workload;
    workload.kind = names[site].kind;
    workload.namespace_name = question.autoscaler.namespace_name;
    workload.sample = "gedge-sample-" + std::to_string(site);
    workload.selector = question.targets[site].selector;
    if (site == 0) {
      workload.grows_by = question.autoscaler.sites->up.resource;
      workload.in_place = question.autoscaler.sites->up.way == ResizeWay::kInPlace;
      workload.adds_first = question.targets[site].rollout.unavailable < 1;
    }
    auto manifest = codec::sample_of(*answer, names[site], workload.sample);
    if (!manifest) return std::move(manifest).error();
    reader.give(path, *std::move(manifest));
    manifests.push_back(std::move(path));
    workloads.push_back(std::move(workload));
  }
  return workloads;
}

// Of the nodes, those at home.
Result<ScaleFacts> SiteSource::bounds_of(const SiteQuestion& question, const Facts& facts) {
  const auto answer =
      call(*server_.transport, codec::limits_request(question.autoscaler.namespace_name.str()));
  if (!answer) return answer.error();
  auto limits = codec::read_limits(*answer);
  if (!limits) return std::move(limits).error();
  ScaleFacts bounds;
  bounds.limits = *std::move(limits);
  const SiteRules& rules = *question.autoscaler.sites;
  for (const Node& node : facts.nodes) {
    const std::string* const site = node.labels.find(rules.label);
    if (site != nullptr && *site == rules.order.front()) bounds.nodes.push_back(node.allocatable);
  }
  return bounds;
}

Result<SiteAnswer> SiteSource::look(const SiteQuestion& question) {
  const InputOptions input = live_input(command_);
  ProgressLine progress(io_.err, true, io_.clock);
  InputReader reader(io_, input, command_.rules.compat(), progress);
  reader.follow_server();
  std::vector<std::string> manifests;
  auto workloads = samples(question, reader, manifests);
  if (!workloads) return std::move(workloads).error();
  reader.give_live(kLive, list());
  auto read = reader.read(manifests);
  if (!read) return first_of(reader.take_errors());
  const SiteRules& rules = *question.autoscaler.sites;
  SiteAnswer answer;
  answer.rtts = site_rtts(read->facts, read->rtt, input.rtt_by, rules);
  for (const SiteWorkload& workload : *workloads)
    answer.costs.push_back(deletion_costs(read->facts, read->rtt, input.rtt_by, rules, workload));
  if (!rules.up.resource.empty()) {
    auto bounds = bounds_of(question, read->facts);
    if (!bounds) return std::move(bounds).error();
    answer.bounds = *std::move(bounds);
  }
  LiveOptions live;
  live.profiles = rules_.profiles;
  live.rtt_by = input.rtt_by;
  live.seed = command_.rules.seed;
  live.modules = rules_.modules.get();
  auto room = SitesRoom::make(std::move(read->facts), std::move(read->rtt), std::move(live),
                              *std::move(workloads));
  if (!room) return std::move(room).error();
  answer.room = *std::move(room);
  return answer;
}

SiteSource::~SiteSource() {
  if (thread_.joinable()) thread_.join();
}

void SiteSource::ask(SiteQuestion question) {
  waiting_.emplace_back(std::move(question));
  begin();
}

void SiteSource::mark(std::uint64_t ticket, std::vector<PodCost> costs, WriteBound until) {
  waiting_.emplace_back(Marks{ticket, std::move(costs), std::move(until)});
  begin();
}

void SiteSource::begin() {
  if (thread_.joinable() || waiting_.empty()) return;
  thread_ = std::thread([this, work = std::move(waiting_.front())] {
    SiteNews news = carry_out(work);
    {
      const std::lock_guard lock(mutex_);
      done_ = std::move(news);
    }
    wake_();
  });
  waiting_.pop_front();
}

// Policies of modules are asked by one thread at a time: the next look begins when the room of this
// one is used no more.
std::optional<SiteNews> SiteSource::take() {
  begin();
  std::optional<SiteNews> news;
  {
    const std::lock_guard lock(mutex_);
    news = std::exchange(done_, std::nullopt);
  }
  if (news) thread_.join();
  return news;
}

SiteNews SiteSource::carry_out(const Work& work) {
  SiteNews news;
  if (const auto* const question = std::get_if<SiteQuestion>(&work)) {
    news.ticket = question->ticket;
    news.answer = answer(*question);
  } else {
    const Marks& marks = std::get<Marks>(work);
    news.ticket = marks.ticket;
    news.marked = tell(marks.costs, *marks.until);
  }
  return news;
}

SiteAnswer SiteSource::answer(const SiteQuestion& question) {
  auto found = look(question);
  if (found) return *std::move(found);
  SiteAnswer nothing;
  nothing.why = found.error().what;
  return nothing;
}

// A server that does not answer for one would not for the others.
Status SiteSource::tell(const std::vector<PodCost>& costs, const std::atomic<Nanos>& until) {
  Status told;
  if (told_.size() > kMostTold) told_.clear();
  for (const PodCost& cost : costs) {
    const auto known = told_.find(cost.uid);
    if (known != told_.end() && known->second == cost.cost) continue;
    ApiRequest request = codec::cost_request(cost);
    request.send_by = until;
    request.ends_by_then = request.send_by != Nanos::max();
    const auto answer = call(*server_.transport, std::move(request));
    if (!answer) return answer.error();
    if (answer->status == 0) return codec::refusal(*answer, "cannot mark pod " + cost.name);
    const bool is_done = answer->status >= 200 && answer->status < 300;
    if (is_done) told_[cost.uid] = cost.cost;
    if (!is_done && answer->status != kNotFound && told)
      told = codec::refusal(*answer, "cannot mark pod " + cost.name);
  }
  return told;
}

}  // namespace gedge::cli
