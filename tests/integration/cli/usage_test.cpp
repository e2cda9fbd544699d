#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "integration/cli/gedge.hpp"
#include "support/folder.hpp"

using namespace gedge::test;

TEST_CASE("usage: alone and with help it lists the commands") {
  const Ran alone = run_gedge({});
  CHECK(alone.exit == 0);
  const std::size_t plan = alone.out.find("\n  plan  ");
  const std::size_t what = alone.out.find(" Decide where pods go; changes nothing\n", plan);
  CHECK(what != std::string::npos);
  CHECK(alone.out.find('\n', plan + 1) > what);
  CHECK(alone.out.find("__complete") == std::string::npos);
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"help"}, {"-h"}, {"--help"}})
    CHECK(run_gedge(args).out == alone.out);
  CHECK(run_gedge({"help", "plan"}).out == run_gedge({"plan", "--help"}).out);
  CHECK(run_gedge({"help", "config", "view"}).out == run_gedge({"config", "view", "-h"}).out);
  CHECK(run_gedge({"help", "nonsense"}).exit == 2);
  const Ran family = run_gedge({"config", "--help"});
  CHECK(family.exit == 0);
  CHECK(family.out.find("  config view  Print the effective profile\n") != std::string::npos);
  CHECK(run_gedge({"help", "config"}).out == family.out);
  CHECK(run_gedge({"__complete", "subcommands", "help", "config"}).out == "view\n");
  CHECK(run_gedge({"__complete", "commands"}).out.find("config\n") != std::string::npos);
  CHECK(run_gedge({"__complete", "commands"}).out.find("view") == std::string::npos);
}

TEST_CASE("usage: help fits 80 columns and has an example") {
  for (const std::string command : {"plan", "explain", "why-not", "verify", "policies", "validate",
                                    "completion", "version", "help"}) {
    const Ran ran = run_gedge({command, "--help"});
    CAPTURE(command);
    CHECK(ran.exit == 0);
    CHECK(ran.out.find("\nExample") != std::string::npos);
    CHECK(ran.out.find("\nExit status: 0 ") != std::string::npos);
    std::size_t start = 0;
    for (std::size_t end; (end = ran.out.find('\n', start)) != std::string::npos; start = end + 1)
      CHECK_MESSAGE(end - start <= 80, ran.out.substr(start, end - start));
  }
}

TEST_CASE("usage: no line of help ends with a blank") {
  for (const std::string command : {"plan", "version", "help", "validate"})
    CHECK(run_gedge({command, "--help"}).out.find(" \n") == std::string::npos);
}

TEST_CASE("usage: an unknown command gets the nearest one") {
  const Ran ran = run_gedge({"plna", "-f", "x"});
  CHECK(ran.exit == 2);
  CHECK(ran.out.empty());
  CHECK(ran.err ==
        "gedge: error: unknown command 'plna'\n  fix: did you mean `gedge plan`? `gedge help` "
        "lists all commands\n");
  CHECK(run_gedge({"frobnicate"}).err ==
        "gedge: error: unknown command 'frobnicate'\n  fix: `gedge help` lists all commands\n");
  CHECK(run_gedge({"config"}).err ==
        "gedge: error: 'config' needs one more word: view\n"
        "  fix: `gedge config --help` explains them\n");
  CHECK(run_gedge({"config", "vew"}).exit == 2);
  CHECK(run_gedge({"scale", "simulte"}).err ==
        "gedge: error: unknown command 'scale simulte'\n  fix: did you mean `gedge scale "
        "simulate`?\n");
  CHECK(run_gedge({"scale", "frobnicate"}).err ==
        "gedge: error: unknown command 'scale frobnicate'\n  fix: write one more word: explain, "
        "recommend, simulate or run\n");
  CHECK(run_gedge({"--nonsense"}).exit == 2);
}

TEST_CASE("usage: an unknown flag or value is exit code 2 and names the nearest") {
  const Ran flag = run_gedge({"plan", "--filname", "x"});
  CHECK(flag.exit == 2);
  CHECK(flag.err == "gedge: error: unknown flag '--filname'\n  fix: did you mean `--filename`?\n");
  CHECK(run_gedge({"plan", "-o", "jsn"}).err ==
        "gedge: error: unknown value 'jsn' for --output\n  fix: did you mean `json`?\n");
  CHECK(run_gedge({"plan", "--seed", "-1"}).err ==
        "gedge: error: '-1' is not a whole number from 0 to 18446744073709551615 for "
        "--seed\n  fix: `gedge plan --help` lists the flags\n");
  CHECK(run_gedge({"plan", "--profile", "egde"}).err ==
        "gedge: error: unknown profile 'egde' for --profile\n  fix: did you mean edge?\n");
  CHECK(run_gedge({"plan", "--max-input", "lots"}).exit == 2);
  CHECK(run_gedge({"plan", "--compat", "1.21"}).exit == 2);
  CHECK(run_gedge({"plan", "--max-age", "10m"})
            .err.starts_with("gedge: error: flag '--max-age' needs '--now'\n"));
  CHECK(run_gedge({"plan", "--now", "yesterday"}).exit == 2);
  CHECK(run_gedge({"explain"}).err.starts_with("gedge: error: missing operand POD\n"));
  CHECK(run_gedge({"plan", "pod"})
            .err.starts_with("gedge: error: unexpected argument 'pod'\n  fix: write `-f` before "
                             "each file\n"));
}

TEST_CASE("usage: where a daemon cannot listen is exit code 2, as any flag that is wrong") {
  for (const std::vector<std::string>& daemon :
       std::vector<std::vector<std::string>>{{"scale", "run", "--own-hpa"},
                                             {"schedule", "--watch"},
                                             {"extender"},
                                             {"agent", "--peers", "peers.txt"}}) {
    const auto run = [&daemon](const char* flag, const char* value) {
      std::vector<std::string> args = daemon;
      args.insert(args.end(), {flag, value});
      return run_gedge(args);
    };
    CAPTURE(daemon.front());
    for (const char* address : {"nonsense", "127.0.0.1:", ":80", "127.0.0.1:65536"})
      CHECK_MESSAGE(run("--listen", address).exit == 2, address);
    CHECK(run("--listen", "nonsense").err ==
          "gedge: error: 'nonsense' is no address to listen on\n  fix: write for example "
          "`127.0.0.1:8787` or `[::1]:8787`\n");
    const Ran open = run("--listen", "0.0.0.0:0");
    CHECK(open.exit == 2);
    CHECK(open.err.find("others could reach '0.0.0.0:0'") != std::string::npos);
  }
}

TEST_CASE("usage: what is no URL of Prometheus is exit code 2, and never a password told") {
  const std::string fix = "\n  fix: write for example `--prometheus http://prometheus:9090`\n";
  for (const auto& [url, words] : std::initializer_list<std::pair<std::string, std::string>>{
           {"prometheus:9090", "'prometheus:9090' is no URL"},
           {"me:secret@prometheus", "this is no URL"}}) {
    const Ran ran = run_gedge({"scale", "run", "--own-hpa", "--prometheus", url});
    CHECK(ran.exit == 2);
    CHECK(ran.err == "gedge: error: " + words + fix);
  }
  for (const std::string url : {"http://me:canary@prometheus:9090", "https://canary@prometheus",
                                "http://me:canary@prometheus:nine", "ftp://me:canary@prometheus"}) {
    CAPTURE(url);
    const Ran ran = run_gedge({"scale", "run", "--own-hpa", "--prometheus", url});
    CHECK(ran.exit == 3);
    CHECK(ran.err.starts_with("gedge: error: cannot ask Prometheus: "));
    CHECK(ran.err.find("canary") == std::string::npos);
  }
}

TEST_CASE("usage: flags may come before the command as kubectl has it") {
  const Folder folder;
  const std::string file = folder.put("camera.yaml", kCamera);
  const Ran ran = run_gedge({"--cluster", kSite, "-o", "name", "plan", "-f", file});
  CHECK(ran.exit == 0);
  CHECK(ran.out == "pod/decode-0\npod/decode-1\npod/decode-2\npod/store-0\n");
}

TEST_CASE("usage: without nodes it says how to name a cluster") {
  const Folder folder;
  const std::string file = folder.put("camera.yaml", kCamera);
  const Ran ran = run_gedge({"plan", "-f", file});
  CHECK(ran.exit == 2);
  CHECK(ran.err ==
        "gedge: error: no nodes to place pods on\n  fix: name a cluster: `--cluster FILE`, "
        "`--cluster live` or `--cluster synthetic:nodes=6`\n");
}

constexpr const char* kNobody = R"(apiVersion: v1
kind: Config
current-context: there
clusters:
- {name: c, cluster: {server: "http://127.0.0.1:1"}}
contexts:
- {name: there, context: {cluster: c}}
)";

TEST_CASE("usage: a live cluster that does not answer is the world's refusal") {
  const Folder box;
  box.put("config", kNobody);
  for (const std::string command : {"plan", "verify", "validate"}) {
    const Ran ran = run_gedge({command, "--cluster", "live:there", "--kubeconfig", box / "config"});
    CHECK(ran.exit == 4);
    CHECK(ran.out.empty());
    CHECK(ran.err.find("http://127.0.0.1:1") != std::string::npos);
  }
}

TEST_CASE("usage: a live cluster is meant where a kubeconfig is and nothing else names nodes") {
  const Folder box;
  box.put("config", kNobody);
  box.put("app.yaml", kBig);
  RunOptions options;
  options.environment = {{"KUBECONFIG", box / "config"}};
  CHECK(run_gedge({"plan", "-f", box / "app.yaml"}, options).exit == 4);
  CHECK(run_gedge({"plan"}, options).exit == 4);
  box.put("node.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: edge-1}\n");
  CHECK(run_gedge({"plan", "-f", box / "app.yaml", "-f", box / "node.yaml"}, options).exit == 1);
  CHECK(run_gedge({"plan", "--cluster", kSite, "-f", box / "app.yaml"}, options).exit == 1);
}

TEST_CASE("usage: a context that no file has is bad input, and two contexts are one too many") {
  const Folder box;
  box.put("config", kNobody);
  const Ran none = run_gedge({"plan", "--cluster", "live:prod", "--kubeconfig", box / "config"});
  CHECK(none.exit == 3);
  CHECK(none.err.find("there is no context") != std::string::npos);
  const Ran two = run_gedge(
      {"plan", "--cluster", "live:prod", "--context", "there", "--kubeconfig", box / "config"});
  CHECK(two.exit == 3);
  CHECK(two.err.find("two contexts") != std::string::npos);
}

TEST_CASE("usage: colour obeys the flag then NO_COLOR then CLICOLOR_FORCE then the terminal") {
  const auto colored = [](std::vector<std::string> args,
                          std::map<std::string, std::string> environment, unsigned short columns) {
    RunOptions options;
    options.environment = std::move(environment);
    options.err_columns = columns;
    args.insert(args.begin(), "plna");
    return run_gedge(args, options).err.find("\x1b[31m") != std::string::npos;
  };
  CHECK_FALSE(colored({}, {{"TERM", "xterm"}}, 0));
  CHECK(colored({}, {{"TERM", "xterm"}}, 80));
  CHECK_FALSE(colored({}, {{"TERM", "dumb"}}, 80));
  CHECK_FALSE(colored({}, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}, 80));
  CHECK(colored({}, {{"TERM", "xterm"}, {"NO_COLOR", ""}}, 80));
  CHECK(colored({}, {{"CLICOLOR_FORCE", "1"}}, 0));
  CHECK_FALSE(colored({}, {{"CLICOLOR_FORCE", "1"}, {"NO_COLOR", "1"}}, 0));
  CHECK(colored({"--color=always"}, {{"NO_COLOR", "1"}}, 0));
  CHECK_FALSE(colored({"--color", "never"}, {{"TERM", "xterm"}, {"CLICOLOR_FORCE", "1"}}, 80));
}

TEST_CASE("usage: odd arguments are refused and not obeyed") {
  const Ran escape = run_gedge({"pl\x1b[31man"});
  CHECK(escape.exit == 2);
  CHECK(escape.err.find('\x1b') == std::string::npos);
  CHECK(run_gedge({"plan", "--\xff\xfe"})
            .err.starts_with("gedge: error: unknown flag '--\\xff\\xfe'\n"));
  CHECK(run_gedge({"plan", "-f", std::string(100'000, 'x')}).exit == 3);
  CHECK(run_gedge({""}).exit == 2);
  std::vector<std::string> many{"plan", "--cluster", kSite};
  for (int i = 0; i < 20'000; ++i) many.emplace_back("-q");
  CHECK(run_gedge(many).exit == 0);
}

TEST_CASE("usage: version prints one line or two") {
  const Ran flag = run_gedge({"--version"}), command = run_gedge({"version"});
  CHECK(flag.out.starts_with("gedge 0."));
  CHECK(command.out == flag.out + "Kubernetes formulas: 1.20, 1.36\n");
  CHECK(run_gedge({"version", "-o", "json"}).out.find("\"kind\": \"Version\"") !=
        std::string::npos);
}

TEST_CASE("usage: as a plugin of kubectl it calls itself that") {
  const Folder folder;
  const std::filesystem::path link = folder.path() / "kubectl-gedge";
  std::filesystem::create_symlink(programs_dir() / "gedge", link);
  CHECK(run_program(link, {"plna"}).err ==
        "gedge: error: unknown command 'plna'\n  fix: did you mean `kubectl gedge plan`? `kubectl "
        "gedge help` lists all commands\n");
}

TEST_CASE("usage: kubectl asks for completions by another name") {
  const Folder folder;
  const std::filesystem::path link = folder.path() / "kubectl_complete-gedge";
  std::filesystem::create_symlink(programs_dir() / "gedge", link);
  CHECK(run_program(link, {"pol"}).out == "policies\n:4\n");
  CHECK(run_program(link, {"plan", "--output=j"}).out == "--output=json\n:4\n");
  CHECK(run_program(link, {"plan", "-f", ""}).out == ":0\n");
  const std::string file = folder.put("camera.yaml", kCamera);
  CHECK(run_program(link, {"explain", "-f", file, "sto"}).out == "store-0\n:4\n");
}
