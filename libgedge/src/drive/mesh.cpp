#include "gedge/drive/mesh.hpp"

#include <algorithm>

#include "gedge/drive/probing.hpp"

namespace gedge {
namespace {

// Who answers in this process is asked again after so long, where nothing has come.
constexpr Nanos kLookAgain{1'000'000};

/// A link that has those whom it probed answer before it waits for answers. Its targets are every
/// so many places from `first` on.
class AnsweringLink final : public ProbeLink {
 public:
  AnsweringLink(ProbeLink& link, const MeshOptions& options, std::size_t first)
      : link_(link), options_(options), first_(first) {}

  Nanos now() override { return link_.now(); }
  std::size_t room() const override { return link_.room(); }
  void send(std::span<const Probe> probes) override {
    link_.send(probes);
    if (!options_.answer) return;
    for (const Probe& probe : probes) probed_.push_back(probe.target);
  }
  Received receive(Nanos until) override {
    if (probed_.empty()) return link_.receive(until);
    std::erase_if(probed_, [this](std::uint32_t target) {
      return options_.answer(first_ + target * std::size_t{options_.shares});
    });
    return link_.receive(std::min(until, link_.now() + kLookAgain));
  }

 private:
  ProbeLink& link_;
  const MeshOptions& options_;
  std::size_t first_;
  std::vector<std::uint32_t> probed_;  // whose answer was not seen to leave
};

std::vector<std::string> names_of(const std::vector<MeshNode>& nodes) {
  std::vector<std::string> names;
  names.reserve(nodes.size());
  for (const MeshNode& node : nodes) names.push_back(node.name);
  return names;
}

/// The first place behind `from` that belongs to the share.
std::size_t first_behind(std::size_t from, const MeshOptions& options) {
  const std::size_t next = from + 1;
  return next + (options.share + options.shares - next % options.shares) % options.shares;
}

}  // namespace

void add_share(MeasuredMesh& mesh, const MeasuredMesh& share) {
  const auto count = static_cast<std::uint32_t>(mesh.matrix.size());
  for (std::uint32_t from = 0; from < count; ++from)
    for (std::uint32_t to = 0; to < count; ++to)
      if (const Rtt rtt = share.matrix.at(NameIndex{from}, NameIndex{to}); rtt != kUnmeasured)
        mesh.matrix.set(NameIndex{from}, NameIndex{to}, rtt);
  mesh.probes += share.probes;
  mesh.lost += share.lost;
  mesh.odd += share.odd;
}

Result<MeasuredMesh> measure_mesh(ProbeNetwork& network, const std::vector<MeshNode>& nodes,
                                  const MeshOptions& options, const MeshProgress& progress) {
  MeasuredMesh mesh{RttMatrix(names_of(nodes)), 0, 0, {}};
  std::vector<NameIndex> index_of;  // [nodes]
  for (const MeshNode& node : nodes) index_of.push_back(*mesh.matrix.find(node.name));
  ProbingProgress report;
  if (progress)
    report = [&](std::uint64_t settled, std::uint64_t) { progress(mesh.probes + settled); };

  for (std::size_t from = 0; from + 1 < nodes.size(); ++from) {
    const std::size_t first = first_behind(from, options);
    if (first >= nodes.size()) continue;
    LinkRequest request{.method = ProbeMethod::kUdp,
                        .targets = {},
                        .size = options.size,
                        .batched = options.plan.interval == Nanos{0},
                        .timeout = options.plan.timeout,
                        .source = nodes[from].address};
    for (std::size_t to = first; to < nodes.size(); to += options.shares)
      request.targets.push_back(nodes[to].address);
    const auto count = static_cast<std::uint32_t>(request.targets.size());
    const auto link = network.open(std::move(request));
    if (!link) return link.error();
    Prober prober(options.plan, count, network.random_key(), (*link)->now());
    AnsweringLink answering(**link, options, first);
    static_cast<void>(run_probes(prober, answering, count, report));

    mesh.probes += prober.total();
    mesh.odd += prober.odd_replies();
    for (std::uint32_t i = 0; i < count; ++i) {
      const RttSamples& samples = prober.samples(i);
      mesh.lost += samples.lost();
      const NameIndex here = index_of[from], there = index_of[first + i * options.shares];
      const Rtt rtt = samples.summary().p95;
      mesh.matrix.set(here, there, rtt);
      mesh.matrix.set(there, here, rtt);
    }
  }
  return mesh;
}

}  // namespace gedge
