// bench_generate: writes the inputs of whole-process measurements. The same words, the same bytes.
//
//   bench_generate objects FILE [KEY=VALUE]...   nodes and pods; .yaml: documents, else one List
//   bench_generate podlist FILE [KEY=VALUE]...   pods alone, as a server serves them
//   bench_generate matrix FILE [names=N] [seed=N]
//   bench_generate edge DIRECTORY [nodes=N] [pods=N] [seed=N]
//
// KEYs: nodes, pods, templates (0: every pod different), bound (1: pods run already, dealt round
// the nodes), form (minimal, served, real).
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <string_view>

#include "bench/objects.hpp"

namespace gedge::bench {
namespace {

using Words = std::map<std::string, std::string, std::less<>>;

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "bench_generate: %s\n", text.c_str());
  std::exit(2);
}

std::uint32_t number(const Words& words, std::string_view key, std::uint32_t otherwise) {
  const auto found = words.find(key);
  if (found == words.end()) return otherwise;
  return static_cast<std::uint32_t>(std::strtoul(found->second.c_str(), nullptr, 10));
}

Form form_of(const Words& words) {
  const auto found = words.find("form");
  if (found == words.end() || found->second == "minimal") return Form::kMinimal;
  if (found->second == "served") return Form::kServed;
  if (found->second == "real") return Form::kReal;
  fail("no form '" + found->second + "'");
}

void save(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) fail("cannot write " + path);
}

Facts facts_of(const Words& words) {
  const Size size{number(words, "nodes", 5'000), number(words, "pods", 50'000)};
  const std::uint32_t templates = number(words, "templates", 10);
  Facts facts = templates == 0 ? all_different(size).facts : of_templates(size, templates).facts;
  if (number(words, "bound", 0) != 0)
    for (std::size_t i = 0; i < facts.pods.size(); ++i) {
      facts.pods[i].bound_node = facts.nodes[i % facts.nodes.size()].name;
      facts.pods[i].phase = PodPhase::kRunning;
    }
  return facts;
}

void generate(std::string_view kind, const std::string& path, const Words& words) {
  const std::uint32_t seed = number(words, "seed", 1);
  if (kind == "objects") {
    const Syntax syntax = path.ends_with(".yaml") ? Syntax::kYaml : Syntax::kJson;
    save(path, write_objects(facts_of(words), form_of(words), syntax));
  } else if (kind == "podlist") {
    save(path, write_pod_list(facts_of(words), form_of(words)));
  } else if (kind == "matrix") {
    save(path, write_matrix(number(words, "names", 1'000), seed));
  } else if (kind == "edge") {
    const EdgeFiles files =
        write_edge_files({number(words, "nodes", 1'000), number(words, "pods", 10'000)}, seed);
    save(path + "/nodes.json", files.nodes);
    save(path + "/matrix.txt", files.matrix);
    save(path + "/metadata.json", files.metadata);
    save(path + "/pods.yaml", files.pods);
  } else {
    fail("no kind '" + std::string(kind) + "'");
  }
}

}  // namespace
}  // namespace gedge::bench

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: bench_generate {objects|podlist|matrix|edge} FILE [KEY=VALUE]...\n", stderr);
    return 2;
  }
  gedge::bench::Words words;
  for (int i = 3; i < argc; ++i) {
    const std::string word = argv[i];
    words[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
  }
  gedge::bench::generate(argv[1], argv[2], words);
  return 0;
}
