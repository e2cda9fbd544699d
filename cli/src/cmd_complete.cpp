// cmd_complete.cpp - "gedge __complete KIND WORD...": the words that a shell cannot know. Silent on
// every error.
#include <algorithm>
#include <memory>

#include "cmd.hpp"
#include "completion.hpp"
#include "gedge/policy/profile.hpp"
#include "input.hpp"
#include "scale_input.hpp"

namespace gedge::cli {
namespace {

constexpr Example kExamples[] = {{"gedge __complete pods plan -f app.yaml", "The pods of a file"}};
constexpr Page kPage{
    .name = "__complete",
    .summary = "Print words for shell completion",
    .usage = "KIND [WORD]...",
    .description =
        "KIND is commands, subcommands, policies, profiles, pods, nodes, autoscalers, workloads or "
        "line. The words are those of the command line that is being completed; pods and nodes "
        "come from the files, or the live cluster, that it names, autoscalers and workloads from "
        "the files.",
    .output = "One word a line.",
    .examples = kExamples,
    .yes = "always",
    .reads_input = false,
};

// What of an unfinished command line says where pods and nodes are; whatever cannot be read is
// ignored.
InputOptions input_of(const std::vector<std::string>& words) {
  InputOptions options;
  constexpr std::uint64_t kMostBytes =
      16u << 20;  // more is not read within the time that a shell waits
  options.max_input = kMostBytes;
  options.server.request_timeout = Nanos{3'000'000'000};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    if (name == "-R" || name == "--recursive") options.recursive = true;
    // bash hands over "--cluster=x" as three words, "=" among them.
    std::string value;
    if (equals != std::string::npos && equals > 0)
      value = words[i].substr(equals + 1);
    else if (i + 2 < words.size() && words[i + 1] == "=")
      value = words[i + 2];
    else if (i + 1 < words.size())
      value = words[i + 1];
    if (value.empty() || value == "-") continue;
    if (name == "-f" || name == "--filename") options.files.push_back(value);
    if (name == "--cluster") options.cluster.push_back(value);
    if (name == "--kubeconfig") options.server.choice.kubeconfig = value;
    if (name == "--context") options.server.choice.context = value;
    if (name == "-n" || name == "--namespace") options.namespace_name = value;
  }
  return options;
}

std::string name_from(const std::string& home, const std::string& space, const std::string& name) {
  return space == home ? name : space + '/' + name;
}

std::vector<std::string> live_words(const std::string& kind, const std::vector<std::string>& words,
                                    Io& io) {
  const InputOptions options = input_of(words);
  ProgressLine progress(io.err, true, io.clock);
  InputReader reader(io, options, Compat::k1_36, progress);
  reader.needs_no_nodes();
  const auto input = reader.read();
  std::vector<std::string> found;
  if (!input) return found;
  const std::string home = scoped_name("", options).space;
  if (kind == "nodes")
    for (const Node& node : input->facts.nodes) found.push_back(node.name);
  if (kind == "pods")
    for (const Pod& pod : input->facts.pods)
      found.push_back(name_from(home, pod.namespace_name, pod.name));
  return found;
}

std::vector<std::string> scale_words(const std::string& kind, const std::vector<std::string>& words,
                                     Io& io) {
  ScaleOptions options;
  options.input = input_of(words);
  const std::string home = scoped_name("", options.input).space;
  ProgressLine progress(io.err, true, io.clock);
  const ScaleLoadResult loaded = read_scale_files(io, options, options.input.files, progress);
  std::vector<std::string> found;
  if (!loaded.facts) return found;
  if (kind == "autoscalers")
    for (const Autoscaler& autoscaler : loaded.facts->autoscalers)
      found.push_back(name_from(home, autoscaler.namespace_name, autoscaler.name));
  if (kind == "workloads")
    for (const ScaleTarget& target : loaded.facts->targets)
      found.push_back(name_from(home, target.namespace_name, target.name));
  return found;
}

// The first words of all commands, or the second ones of those whose first is in the line.
std::vector<std::string> command_words(const std::vector<std::string>& line, bool second) {
  std::vector<std::string> found;
  for (const Command& command : commands()) {
    if (command.group == Group::kHidden) continue;
    const std::string name(command.name());
    const std::string first = name.substr(0, name.find(' '));
    if (!second && (found.empty() || found.back() != first)) found.push_back(first);
    if (second && first != name && std::find(line.begin(), line.end(), first) != line.end())
      found.push_back(name.substr(first.size() + 1));
  }
  return found;
}

std::vector<std::string> words_of(const std::string& kind, const std::vector<std::string>& line,
                                  Io& io) {
  std::vector<std::string> found;
  if (kind == "commands" || kind == "subcommands") {
    found = command_words(line, kind == "subcommands");
  } else if (kind == "policies") {
    for (const PolicyInfo& policy : policy_catalogue()) found.emplace_back(policy.name);
  } else if (kind == "profiles") {
    for (const std::string_view name : builtin_profile_names()) found.emplace_back(name);
  } else if (kind == "pods" || kind == "nodes") {
    found = live_words(kind, line, io);
  } else if (kind == "autoscalers" || kind == "workloads") {
    found = scale_words(kind, line, io);
  }
  return found;
}

// kubectl runs kubectl_complete-PLUGIN with the line and expects words and a last line ":DIRECTIVE"
// of its library cobra: 0 lets the shell offer files, 4 does not.
void print_line_completion(const std::vector<std::string>& line, Io& io) {
  const LineCompletion completion = complete_line(line);
  std::vector<std::string> words = completion.words;
  for (std::string& word : words_of(std::string(completion.live), line, io))
    words.push_back(std::move(word));
  for (const std::string& word : words)
    if (word.starts_with(completion.partial)) io.out.line(completion.prefix + word);
  io.out.line(completion.files ? ":0" : ":4");
}

Exit run_complete(const std::vector<std::string>& operands, Io& io) {
  if (operands.empty()) return Exit::kYes;
  const std::vector<std::string> line(operands.begin() + 1, operands.end());
  if (operands[0] == "line") {
    print_line_completion(line, io);
    return Exit::kYes;
  }
  for (const std::string& word : words_of(operands[0], line, io)) io.out.line(word);
  return Exit::kYes;
}

Run add_complete(FlagSet& flags) {
  auto operands = std::make_shared<std::vector<std::string>>();
  flags.add_rest(*operands);
  return [operands](Io& io) { return run_complete(*operands, io); };
}

}  // namespace

Command complete_command() { return {&kPage, Group::kHidden, add_complete}; }

}  // namespace gedge::cli
