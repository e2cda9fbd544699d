// codec/unit_file.cpp - units of systemd, for machines that run gedge outside of the cluster.
#include <string>

#include "gedge/codec/manifests.hpp"

namespace gedge {
namespace {

struct UnitText {
  std::string_view page, what, command;
  bool has_kubeconfig = true;
  bool notifies = false;        // that it is ready, and goes on
  std::string_view calls = {};  // of the system, besides those of a service without rights
};

UnitText unit_of(InstallMode mode) {
  switch (mode) {
    case InstallMode::kScheduler:
      return {"gedge-schedule", "gedge binds pods within their delay budgets",
              "schedule --watch --leader-elect", true, true};
    case InstallMode::kExtender:
      return {"gedge-extender", "gedge lets kube-scheduler keep delay budgets", "extender"};
    case InstallMode::kProber:
      return {"gedge-agent",
              "gedge measures round-trip times",
              "agent --peers /etc/gedge/peers --method udp",
              false,
              false,
              "capset"};
    case InstallMode::kAutoscaler:
      return {"gedge-scale-run", "gedge scales workloads with their load",
              "scale run -f /etc/gedge/autoscalers --leader-elect"};
    case InstallMode::kCustomMetrics:
    case InstallMode::kPreemption:
    case InstallMode::kVolumes:
    case InstallMode::kRepair:
    case InstallMode::kHint:
    case InstallMode::kPublish:
    case InstallMode::kReader:
    case InstallMode::kSites:
    case InstallMode::kGrowth:
      break;
  }
  return {};
}

// No account of its own, nothing to write to, no capability, no other kind of socket.
constexpr std::string_view kConfinement = R"(Restart=on-failure
RestartSec=2s
DynamicUser=yes
MemoryMax=1G
TasksMax=64
LimitCORE=0
CapabilityBoundingSet=
AmbientCapabilities=
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectControlGroups=yes
PrivateTmp=yes
PrivateDevices=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
MemoryDenyWriteExecute=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM
UMask=0077
)";

// As systemd takes a path for itself: nothing in it is a specifier, a variable or two words.
std::string word_of(std::string_view path) {
  std::string word = "\"";
  for (const char c : path) {
    if (c == '%' || c == '$') word += c;
    if (c == '"' || c == '\\') word += '\\';
    word += c;
  }
  return path.find_first_of(" \t%$\"\\'") == std::string_view::npos ? std::string(path)
                                                                    : word + '"';
}

}  // namespace

std::string write_unit(InstallMode mode, std::string_view program) {
  const UnitText unit = unit_of(mode);
  if (unit.page.empty()) return {};
  std::string text = "[Unit]\nDescription=" + std::string(unit.what) +
                     "\nDocumentation=man:" + std::string(unit.page) +
                     "(1)\nWants=network-online.target\nAfter=network-online.target\n\n"
                     "[Service]\n" +
                     (unit.notifies ? "Type=notify\nWatchdogSec=150s\n" : "Type=exec\n") +
                     "ExecStart=" + word_of(program) + ' ' + std::string(unit.command);
  // systemd hands the file to the account that it makes, and to nobody else.
  if (unit.has_kubeconfig)
    text +=
        " --kubeconfig ${CREDENTIALS_DIRECTORY}/kubeconfig\n"
        "LoadCredential=kubeconfig:/etc/gedge/kubeconfig\n";
  else
    text += '\n';
  text += kConfinement;
  if (!unit.calls.empty()) text += "SystemCallFilter=" + std::string(unit.calls) + '\n';
  return text + "\n[Install]\nWantedBy=multi-user.target\n";
}

}  // namespace gedge
