#include "manual.hpp"

#include <algorithm>

#include "command.hpp"
#include "mdoc.hpp"
#include "policy_pages.hpp"
#include "term/text.hpp"

namespace gedge::cli {
namespace {

std::string page_name(const Command& command) {
  std::string name = "gedge-" + std::string(command.name());
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

void add_environment(Mdoc& page) {
  page.section("ENVIRONMENT");
  page.list({{".Ev NO_COLOR", "If set and not empty, nothing is coloured."},
             {".Ev CLICOLOR_FORCE",
              "If set, not empty and not 0, colour is used in pipes and files too."},
             {".Ev TERM", "A terminal of the type `dumb` gets no colour."},
             {".Ev KUBECONFIG",
              "Files that say where API servers are, colons between them; of those that name a "
              "thing, the first wins."},
             {".Ev HOME", "Without KUBECONFIG, the folder of `.kube/config`."},
             {".Ev KUBERNETES_SERVICE_HOST", "In a pod: the address of the API server,"},
             {".Ev KUBERNETES_SERVICE_PORT", "and its port; where no file says another one."},
             {".Ev NOTIFY_SOCKET",
              "Where systemd is told that gedge-schedule(1) is ready and goes on, as of a unit of "
              "`Type=notify`."},
             {".Ev XDG_RUNTIME_DIR",
              "Below it, in `gedge`, stands who holds which CPUs; without it below `/run`."}});
  page.text("The flag `--color` wins over the first three.");
}

void add_exit_status(Mdoc& page, const Page& text) {
  page.section("EXIT STATUS");
  std::vector<Mdoc::Item> items;
  for (const ExitMeaning& exit : kExitMeanings) {
    std::string meaning(exit.meaning);
    if (exit.code == Exit::kYes) meaning = text.yes;
    if (exit.code == Exit::kNo) meaning = text.no;
    if (exit.code == Exit::kPartly) meaning = text.partly;
    if (exit.code == Exit::kStale) meaning = text.stale;
    const bool from_input =
        exit.code == Exit::kInput || (exit.code == Exit::kWorld && !text.reads_input);
    if (meaning.empty() || (from_input && !text.reads_input)) continue;
    items.push_back({std::to_string(static_cast<int>(exit.code)), meaning});
  }
  page.list(items);
}

void add_options(Mdoc& page, const FlagSet& set) {
  page.section("OPTIONS");
  std::vector<Mdoc::Item> items;
  for (const Flag& flag : set.flags()) {
    std::string text = flag.help + (flag.help.ends_with('.') ? "" : ".");
    if (!flag.words.empty() && flag.operand)
      text = "One of " + join_words(flag.words, ", ", " or ") + '.';
    if (flag.repeats && !flag.operand) text += " May be given several times.";
    if (!flag.fallback.empty()) text += " The default is `" + flag.fallback + "`.";
    items.push_back({Mdoc::tag(flag), text});
  }
  items.push_back({".Fl h , Fl Fl help", "Print a page of help."});
  page.list(items);
}

void add_examples(Mdoc& page, std::span<const Example> examples) {
  page.section("EXAMPLES");
  for (const Example& example : examples) page.example(example.purpose, example.command);
}

void add_diagnostics(Mdoc& page) {
  page.section("DIAGNOSTICS");
  page.text(
      "An error says on standard error what is wrong, where, as FILE:LINE:COLUMN, and on a line "
      "that begins with "
      "`fix:` what to do about it. Of many errors of one kind, three are shown; `-v 1` shows all.");
}

std::string command_page(const Command& command) {
  const Page& text = *command.page;
  FlagSet flags;
  static_cast<void>(command.add(flags));
  Mdoc page(page_name(command), 1, text.summary);
  page.synopsis("gedge " + std::string(text.name), text.usage);
  page.section("DESCRIPTION");
  page.text(text.description);
  add_options(page, flags);
  page.section("OUTPUT");
  page.text(text.output);
  add_environment(page);
  add_exit_status(page, text);
  add_examples(page, text.examples);
  if (text.reads_input) add_diagnostics(page);
  page.see_also("gedge(1) " + std::string(text.see_also));
  return page.done();
}

std::string overview_page() {
  Mdoc page("gedge", 1, "Put every pod inside its latency budget, and prove it");
  page.synopsis("gedge", "COMMAND [FLAG]...");
  page.section("DESCRIPTION");
  page.text(
      "gedge decides where the pods of a Kubernetes cluster go so that every pod keeps its delay "
      "budgets, and shows why. "
      "Most commands work on files: manifests, dumps of a cluster and matrices of round-trip "
      "times; with `--cluster live` they read a cluster that runs. None of those needs one, and "
      "none "
      "changes it: that do gedge-schedule(1) and gedge-apply(1).\n\n"
      "A delay budget is a label `delay_FROM: \"25\"` (milliseconds) or the annotation "
      "`gedge.io/delay-budget` of a pod: "
      "the longest round trip that it tolerates between its node and FROM, which is a node, a pod, "
      "a workload or any "
      "name of the matrix.\n\nThe commands are:");
  std::vector<Mdoc::Item> items;
  std::string pages;
  for (const Command& command : commands()) {
    if (command.group == Group::kHidden) continue;
    items.push_back(
        {".Cm " + std::string(command.name()), std::string(command.page->summary) + '.'});
    pages += page_name(command) + "(1) ";
  }
  page.list(items);
  add_environment(page);
  page.section("FILES");
  page.list({{"share/gedge/schemas/*.json",
              "JSON Schemas of everything that `-o json` prints, below the prefix of the "
              "installation."}});
  page.section("SECURITY");
  page.text(
      "A program that a kubeconfig names to say who you are (`exec`) is run without a shell, with "
      "/dev/null as standard input and error, and is given few of the variables of gedge: HOME, "
      "LANG, LC_ALL, "
      "LOGNAME, PATH, TMPDIR, TZ, USER, KUBECONFIG, XDG_CACHE_HOME, XDG_CONFIG_HOME, SSL_CERT_DIR, "
      "SSL_CERT_FILE; http_proxy, https_proxy and no_proxy, in capitals too; and those whose names "
      "begin with AWS_, AZURE_, CLOUDSDK_ or GOOGLE_. Besides it has KUBERNETES_EXEC_INFO and what "
      "`env` of the kubeconfig says: what else it needs belongs there. "
      "`--no-exec-credentials` runs none.\n\n"
      "Whoever answers is taken for the API server where `insecure-skip-tls-verify` is set, in a "
      "kubeconfig or as a flag; each start warns of that.\n\n"
      "What runs for long (gedge-agent(1), gedge-extender(1), gedge-scale-run(1), and "
      "gedge-schedule(1) with `--watch`) leaves no core dump, and only root can read its memory or "
      "trace it: credentials lie there.");
  page.section("EXIT STATUS");
  std::vector<Mdoc::Item> codes;
  for (const ExitMeaning& exit : kExitMeanings)
    codes.push_back({std::to_string(static_cast<int>(exit.code)), std::string(exit.meaning) + '.'});
  page.list(codes);
  page.section("EXAMPLES");
  page.example("Plan an application onto a made-up site of three tiers:",
               "gedge plan --cluster synthetic:nodes=6,tiers=2/2/2 -f app.yaml");
  page.example("Plan onto a dump of a cluster, with measured round-trip times:",
               "kubectl get nodes,pods -A -o json > cluster.json\ngedge plan --cluster "
               "cluster.json --rtt rtt.csv -f app.yaml");
  page.see_also(pages + "gedge-policies(7)");
  return page.done();
}

}  // namespace

std::vector<std::string> manual_names() {
  std::vector<std::string> names{"gedge.1"};
  for (const Command& command : commands())
    if (command.group != Group::kHidden) names.push_back(page_name(command) + ".1");
  names.push_back("gedge-policies.7");
  return names;
}

std::string manual_page(const std::string& name) {
  if (name == "gedge.1") return overview_page();
  if (name == "gedge-policies.7") return policies_page();
  for (const Command& command : commands())
    if (command.group != Group::kHidden && page_name(command) + ".1" == name)
      return command_page(command);
  return "";
}

}  // namespace gedge::cli
