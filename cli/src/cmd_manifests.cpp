// cmd_manifests.cpp - "gedge manifests": what to install, with no more rights than are used.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cmd.hpp"
#include "gedge/codec/manifests.hpp"
#include "gedge/version.hpp"
#include "options.hpp"
#include "report.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {
    {"gedge manifests --mode scheduler", "A scheduler beside kube-scheduler:"},
    {"gedge manifests --mode scheduler --mode preemption --rights-only | kubectl apply -f -",
     "Its account and rights alone, and that to evict pods:"},
    {"gedge manifests --mode extender --unit", "A unit of systemd for a master node:"},
};
constexpr Page kPage{
    .name = "manifests",
    .summary = "Print what to install in a cluster",
    .usage = "--mode MODE... [-n NAMESPACE] [--image NAME] [--rights-only | --unit] [FLAG]...",
    .description =
        "Prints an account for each mode, the rights that it uses and no others, and what runs "
        "with them. Nothing may read secrets or create pods, only `hint` may change nodes, and the "
        "one config map that is read is gedge-latency, with round-trip times.\n\n"
        "`scheduler` is gedge-schedule(1), two of which one leads. It lists and watches what it "
        "decides on, binds pods, writes their status and events, and holds one Lease by name. "
        "`preemption` adds the right to delete pods; without it, none is evicted for another; "
        "`volumes` that to patch claims and volumes, which binds them where a pod goes; `repair` "
        "that to evict pods within their disruption budgets, for profiles with `overcommit: "
        "evict` or `disruptionBudgets: keep`. "
        "`extender` is gedge-extender(1) on every control-plane node, on the network of the "
        "machine and for it alone, and a ConfigMap with the part of kube-scheduler's "
        "configuration; with `--bind` it may bind pods. `prober` is gedge-agent(1) on every node, "
        "without any rights. `reader` may list what decisions are made of; `hint` that, and patch "
        "nodes and workloads for gedge-hint(1); `publish` may write NodeLatency objects. "
        "`autoscaler` is gedge-scale-run(1), two of which one leads, with the autoscalers of the "
        "ConfigMap gedge-autoscalers; with `--own-hpa` it takes HorizontalPodAutoscalers instead "
        "and may write their status. It lists workloads, whole, and writes no more of them than "
        "the subresource scale. `custom-metrics` lets it read custom and external metrics, whose "
        "names are resources: that takes the one wildcard. `sites` lets it list what decisions are "
        "made of, read workloads and patch pods, for autoscalers with sites, and `growth` to patch "
        "Deployments and StatefulSets and to resize pods, for those whose replicas grow.\n\n"
        "Containers run as user 10532 on a read-only file system, without capabilities. Where they "
        "answer others, they read the Secret `gedge-web` of the namespace, which is to have "
        "`tls.crt`, `tls.key`, `ca.crt` and `token`. `--monitors` adds a ServiceMonitor for the "
        "Prometheus Operator. `--flow-schema` adds FlowSchemas, of the version of "
        "flowcontrol.apiserver.k8s.io that the server has: v1beta1 from 1.20 to 1.25, v1beta2 from "
        "1.23 to 1.28, v1beta3 from 1.26 to 1.31, v1 from 1.29 on. By them, requests of the "
        "scheduler, the extender and the autoscaler are of the server's level workload-high and "
        "their leases of leader-election, so that a flood of other requests holds up neither.\n\n"
        "With `--unit`, a unit of systemd is printed instead: it runs the program that prints it, "
        "with an account that lives as long as it runs, and with the credentials of "
        "/etc/gedge/kubeconfig, which only root has to be able to read.",
    .output = "Objects of Kubernetes: documents of YAML, or with `-o json` a List.",
    .examples = kExamples,
    .yes = "always",
    .reads_input = false,
    .see_also =
        "gedge-agent(1) gedge-extender(1) gedge-hint(1) gedge-scale-run(1) gedge-schedule(1)",
};

struct ManifestsCommand {
  ManifestOptions options;
  bool is_unit = false;
  OutputOptions output;
};

bool has_mode(const ManifestOptions& options, InstallMode mode) {
  return std::find(options.modes.begin(), options.modes.end(), mode) != options.modes.end();
}

bool is_name(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  constexpr std::size_t kLongest = 63;  // of a namespace, as of any label of DNS
  return !text.empty() && text.size() <= kLongest && std::all_of(text.begin(), text.end(), fits) &&
         text.front() != '-' && text.back() != '-';
}

// Without a blank or a control character.
bool is_word(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

Status check_values(const ManifestOptions& options) {
  if (!is_name(options.namespace_name))
    return invalid_input("'" + options.namespace_name + "' cannot be the name of a namespace", {},
                         "use lower-case letters, digits and '-', 63 at most");
  if (!is_word(options.image))
    return invalid_input("'" + options.image + "' is no image", {},
                         "write for example `--image registry.example/gedge:1`");
  if (options.scheduler_name.empty())
    return invalid_input("'--scheduler-name' is empty", {}, "give the schedulerName of its pods");
  const bool is_url =
      options.prometheus.starts_with("http://") || options.prometheus.starts_with("https://");
  if (!options.prometheus.empty() && (!is_url || !is_word(options.prometheus)))
    return invalid_input("'" + options.prometheus + "' is no URL", {},
                         "write for example `--prometheus http://prometheus:9090`");
  return {};
}

// Flags of another mode would be passed over in silence.
Status check_modes(const ManifestOptions& options) {
  if (options.extender_binds && !has_mode(options, InstallMode::kExtender))
    return invalid_input("'--bind' is for `--mode extender`", {}, "leave it out");
  if (options.owns_objects && !has_mode(options, InstallMode::kAutoscaler))
    return invalid_input("'--own-hpa' is for `--mode autoscaler`", {}, "leave it out");
  if (!options.prometheus.empty() && !has_mode(options, InstallMode::kAutoscaler))
    return invalid_input("'--prometheus' is for `--mode autoscaler`", {}, "leave it out");
  return {};
}

Status check(const ManifestsCommand& command) {
  const auto& modes = command.options.modes;
  if (modes.empty())
    return invalid_input("no mode", {}, "name one, for example `--mode scheduler`");
  if (!command.options.flow_schema.empty() && std::none_of(modes.begin(), modes.end(), has_flow))
    return invalid_input("nothing of this asks an API server for long", {},
                         "leave out `--flow-schema`, or name `--mode scheduler`");
  GEDGE_TRY(check_values(command.options));
  GEDGE_TRY(check_modes(command.options));
  if (!command.is_unit) return {};
  if (command.options.rights_only)
    return invalid_input("'--unit' and '--rights-only' print different things", {}, "choose one");
  if (modes.size() > 1) return invalid_input("'--unit' prints one unit", {}, "name one mode");
  if (command.output.format == Format::kJson)
    return invalid_input("a unit is no JSON", {}, "leave out `-o json`");
  if (write_unit(modes.front(), {}).empty())
    return invalid_input("nothing runs for this mode", {}, "leave out `--unit`");
  return {};
}

Exit run_manifests(const ManifestsCommand& command, Io& io) {
  if (const Status right = check(command); !right) return fail_usage(io, right.error());
  io.out.write(command.is_unit
                   ? write_unit(command.options.modes.front(), io.executable)
                   : write_manifests(command.options, text_format(command.output.format)));
  io.out.flush();
  return Exit::kYes;
}

FlagSet::Take mode_into(std::vector<InstallMode>& modes) {
  return [&modes](const std::string& text) -> Status {
    for (const auto& [word, mode] : kInstallModes)
      if (word == text && std::find(modes.begin(), modes.end(), mode) == modes.end())
        modes.push_back(mode);
    return {};
  };
}

Run add_manifests(FlagSet& flags) {
  auto command = std::make_shared<ManifestsCommand>();
  ManifestOptions& options = command->options;
  options.image = "gedge:" + std::string(version());
  std::vector<std::string> words;
  for (const auto& [word, mode] : kInstallModes) words.emplace_back(word);
  flags.heading("What to install");
  flags.add({.name = "mode",
             .value = "MODE",
             .help = "What is to run, or to be allowed",
             .words = words,
             .repeats = true},
            mode_into(options.modes));
  flags.add({.name = "bind", .help = "The extender may bind pods"}, options.extender_binds);
  flags.add({.name = "own-hpa", .help = "The autoscaler takes HorizontalPodAutoscalers"},
            options.owns_objects);
  flags.add({.name = "prometheus", .value = "URL", .help = "Whom the autoscaler asks queries"},
            options.prometheus);
  flags.add({.name = "scheduler-name",
             .value = "NAME",
             .help = "Whose pods the scheduler takes",
             .fallback = options.scheduler_name},
            options.scheduler_name);
  flags.add({.name = "rights-only", .help = "Print accounts and roles alone"}, options.rights_only);
  flags.add({.name = "monitors", .help = "Add objects of the Prometheus Operator"},
            options.has_monitors);
  flags.add({.name = "flow-schema",
             .value = "VERSION",
             .help = "Add what a busy server serves it first by",
             .words = {kFlowSchemaVersions.begin(), kFlowSchemaVersions.end()}},
            options.flow_schema);
  flags.add({.name = "unit", .help = "Print a unit of systemd"}, command->is_unit);
  flags.heading("Where");
  flags.add({.name = "namespace",
             .letter = 'n',
             .value = "NAME",
             .help = "Where it runs",
             .fallback = options.namespace_name},
            options.namespace_name);
  flags.add({.name = "image",
             .value = "NAME",
             .help = "Image of which gedge is the entry point",
             .fallback = options.image},
            options.image);
  command->output.format = Format::kYaml;
  add_document_flag(flags, command->output);
  flags.heading("Everywhere");
  add_talk_flags(flags, command->output);
  return [command](Io& io) { return run_manifests(*command, io); };
}

}  // namespace

Command manifests_command() { return {&kPage, Group::kWork, add_manifests}; }

}  // namespace gedge::cli
