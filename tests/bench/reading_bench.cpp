// Bytes to facts, beside what other parsers need for the same bytes alone: nlohmann/json's tree,
// yaml-cpp's tree, numpy.loadtxt. All sides run in turn; the seconds are those of the processor.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "gedge/codec/latency.hpp"
#include "gedge/codec/load.hpp"

namespace gedge::bench {
namespace {

constexpr std::size_t kPadding = 64;  // what reading a file leaves behind the text

std::string number(int value, int digits) {
  std::string text = std::to_string(value);
  return std::string(static_cast<std::size_t>(digits) - text.size(), '0') + text;
}

/// What kube-apiserver 1.20.2 makes of a pod that asks for CPU and memory, for a list.
std::string served_pod_of(int template_number, int i) {
  const std::string kind = std::to_string(template_number), id = number(i, 6);
  const std::string amount = R"("cpu":")" + std::to_string(100 + 50 * template_number) +
                             R"(m","memory":")" + std::to_string(128 + 64 * template_number) +
                             R"(Mi")";
  return R"({"metadata":{"name":"app-)" + kind + "-5d8c9b7f6-" + id +
         R"(","namespace":"default","uid":"0a1b2c3d-4e5f-4a6b-8c7d-000000)" + id +
         R"(","resourceVersion":")" + std::to_string(1000 + i) +
         R"(","creationTimestamp":"2026-01-01T00:)" + number(i / 60 % 60, 2) + ":" +
         number(i % 60, 2) + R"(Z","labels":{"app":"app-)" + kind +
         R"("},"managedFields":[{"manager":"kubectl","operation":"Update","apiVersion":"v1",)"
         R"("time":"2026-01-01T00:)" +
         number(i / 60 % 60, 2) + ":" + number(i % 60, 2) +
         R"(Z","fieldsType":"FieldsV1","fieldsV1":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},)"
         R"("f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:image":{},)"
         R"("f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:requests":{".":{},)"
         R"("f:cpu":{},"f:memory":{}}},"f:terminationMessagePath":{},)"
         R"("f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:enableServiceLinks":{},)"
         R"("f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},)"
         R"("f:terminationGracePeriodSeconds":{}}}}]},"spec":{"containers":[{"name":"main",)"
         R"("image":"registry.example/app:1","resources":{"requests":{)" +
         amount +
         R"(}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File",)"
         R"("imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always",)"
         R"("terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","securityContext":{},)"
         R"("schedulerName":"default-scheduler","tolerations":[{"key":)"
         R"("node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute",)"
         R"("tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists",)"
         R"("effect":"NoExecute","tolerationSeconds":300}],"priority":0,"enableServiceLinks":true,)"
         R"("preemptionPolicy":"PreemptLowerPriority"},"status":{"phase":"Pending",)"
         R"("qosClass":"Burstable"}})";
}

constexpr int kTemplates = 10;

std::string served_pod(int i) { return served_pod_of(i % kTemplates, i); }
std::string own_pod(int i) { return served_pod_of(i, i); }

/// What a person would write of it, by the field.
std::string minimal_pod(int i) {
  const std::string kind = std::to_string(i % 10), id = number(i, 6);
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"app-)" + kind + "-" + id +
         R"(","namespace":"default","labels":{"app":"app-)" + kind +
         R"(","app.kubernetes.io/part-of":"shop","tier":"front"}},"spec":{"containers":[{"name":)"
         R"("main","image":"registry.example/app:1","ports":[{"containerPort":8080}],)"
         R"("resources":{"requests":{"cpu":")" +
         std::to_string(100 + 50 * (i % 10)) + R"(m","memory":")" +
         std::to_string(128 + 64 * (i % 10)) +
         R"(Mi"},"limits":{"memory":"1Gi"}}}],"restartPolicy":"Always","schedulerName":)"
         R"("default-scheduler","nodeSelector":{"kubernetes.io/os":"linux"}}})";
}

std::string list_of(std::string_view head, int count, std::string (*item)(int)) {
  std::string text(head);
  for (int i = 0; i < count; ++i) text.append(i == 0 ? "" : ",").append(item(i));
  text += "]}\n";
  text.reserve(text.size() + kPadding);
  return text;
}

std::string yaml_pods(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string kind = std::to_string(i % 10);
    text += "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: app-" + kind + "-" + number(i, 6) +
            "\n  namespace: default\n  labels:\n    app: app-" + kind +
            "\nspec:\n  containers:\n  - name: main\n    image: registry.example/app:1\n"
            "    resources:\n      requests:\n        cpu: " +
            std::to_string(100 + 50 * (i % 10)) +
            "m\n        memory: " + std::to_string(128 + 64 * (i % 10)) +
            "Mi\n  restartPolicy: Always\n  schedulerName: default-scheduler\n  tolerations:\n"
            "  - key: node.kubernetes.io/not-ready\n    operator: Exists\n    effect: NoExecute\n"
            "    tolerationSeconds: 300\nstatus:\n  phase: Pending\n";
  }
  return text;
}

std::string matrix_text(int size) {
  std::string text;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) {
      const int us = i == j ? 0 : 100 + (i * 7919 + j * 104729) % 49'900;
      text += std::to_string(us / 1000) + "." + number(us % 1000, 3) + (j + 1 < size ? " " : "\n");
    }
  return text;
}

double seconds_of(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

struct Figures {
  std::vector<double> values;
  double median() const { return values[values.size() / 2]; }
  void settle() { std::sort(values.begin(), values.end()); }
};

void print(const char* what, const char* unit, double count, std::string_view bytes,
           const Figures& figures) {
  std::printf("  %-12s %9.4f s (%.4f to %.4f)  %8.3f us a %s  %7.0f MB/s\n", what, figures.median(),
              figures.values.front(), figures.values.back(), 1e6 * figures.median() / count, unit,
              1e-6 * static_cast<double>(bytes.size()) / figures.median());
}

using Timed = std::function<double()>;

/// `ours` and `theirs` in turn, once for the caches before.
void compare(const char* row, const char* unit, int count, std::string_view bytes, int rounds,
             const char* other, const Timed& ours, const Timed& theirs) {
  Figures mine, others, ratio;
  for (int round = -1; round < rounds; ++round) {
    const double a = ours(), b = theirs();
    if (round < 0) continue;
    mine.values.push_back(a);
    others.values.push_back(b);
    ratio.values.push_back(b / a);
  }
  for (Figures* figures : {&mine, &others, &ratio}) figures->settle();
  std::printf("%s: %d of them, %.1f MB, %d rounds\n", row, count,
              1e-6 * static_cast<double>(bytes.size()), rounds);
  print("gedge", unit, count, bytes, mine);
  print(other, unit, count, bytes, others);
  std::printf("  ratio        %9.2f   (%.2f to %.2f)\n", ratio.median(), ratio.values.front(),
              ratio.values.back());
  std::fflush(stdout);
}

void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

/// Text to facts; whoever has read something else is worth no figure.
double read_facts(std::string_view bytes, int pods, int templates = kTemplates) {
  std::optional<Loaded> loaded;
  const double seconds = seconds_of([&] {
    FactsLoader loader;
    loader.add_cluster({"pods", bytes, kPadding});
    loaded = loader.finish().loaded;
  });
  if (!loaded || loaded->facts.pods.size() != static_cast<std::size_t>(pods) ||
      loaded->facts.specs.size() != static_cast<std::size_t>(templates))
    fail("the pods were not read");
  return seconds;
}

void against_nlohmann(const char* row, const std::string& text, int pods, int rounds,
                      int templates = kTemplates) {
  compare(
      row, "pod", pods, text, rounds, "nlohmann", [&] { return read_facts(text, pods, templates); },
      [&] {
        nlohmann::json tree;
        const double seconds = seconds_of([&] { tree = nlohmann::json::parse(text); });
        if (tree.at("items").size() != static_cast<std::size_t>(pods)) fail("no tree");
        return seconds;
      });
}

void against_yaml_cpp(int pods, int rounds) {
  const std::string text = yaml_pods(pods) + std::string(kPadding, '\n');
  compare(
      "O-6 parse only, YAML documents", "pod", pods, text, rounds, "yaml-cpp",
      [&] { return read_facts(text, pods); },
      [&] {
        std::vector<YAML::Node> trees;
        const double seconds = seconds_of([&] { trees = YAML::LoadAll(text); });
        if (trees.size() < static_cast<std::size_t>(pods)) fail("no trees");
        return seconds;
      });
}

/// numpy times itself: its start does not count, nor a first time, as of the other side.
double numpy_seconds(const std::string& path) {
  const std::string program = "/usr/bin/python3 -c \"import numpy, time; m = numpy.loadtxt('" +
                              path + "'); t = time.process_time(); m = numpy.loadtxt('" + path +
                              "'); print(time.process_time() - t if m.size > 0 else -1)\"";
  std::FILE* out = popen(program.c_str(), "r");
  double seconds = -1;
  if (out == nullptr || std::fscanf(out, "%lf", &seconds) != 1) seconds = -1;
  if (out != nullptr) pclose(out);
  return seconds;
}

void against_numpy(int size, int rounds) {
  const std::string text = matrix_text(size), path = GEDGE_PROGRAMS_DIR "/bench_reading_matrix.txt";
  std::ofstream(path) << text;
  if (numpy_seconds(path) < 0) {
    std::printf("P-6: /usr/bin/python3 has no numpy; not compared\n");
    return;
  }
  RttOptions options;
  for (int i = 0; i < size; ++i) options.names.push_back("node-" + number(i, 4));
  const auto ours = [&] {
    RttReading reading;
    const double seconds = seconds_of([&] {
      reading = read_rtt({RttSource{{"matrix.txt", text, 0}}}, options);
    });
    if (reading.matrix.size() != static_cast<std::size_t>(size)) fail("no matrix");
    return seconds;
  };
  compare("P-6 text matrix of RTTs", "row", size, text, rounds, "numpy", ours,
          [&] { return numpy_seconds(path); });
  std::remove(path.c_str());
}

}  // namespace
}  // namespace gedge::bench

// `bench_reading [quick]`: fewer and smaller runs.
int main(int argc, char** argv) {
  using namespace gedge::bench;
  const bool quick = argc > 1 && std::string_view(argv[1]) == "quick";
  const int pods = quick ? 2'000 : 20'000, rounds = quick ? 3 : 7;
  constexpr std::string_view kHead =
      R"({"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[)";
  against_nlohmann("P-1 PodList as served, pods of 10 templates", list_of(kHead, pods, served_pod),
                   pods, rounds);
  against_nlohmann("P-1 PodList as served, every pod of its own labels and amounts",
                   list_of(kHead, pods, own_pod), pods, rounds, pods);
  against_nlohmann("P-1 minimal pods of 10 templates",
                   list_of(R"({"apiVersion":"v1","kind":"List","items":[)", pods, minimal_pod),
                   pods, rounds);
  against_yaml_cpp(pods / 4, rounds);
  against_numpy(1'000, rounds);
}
