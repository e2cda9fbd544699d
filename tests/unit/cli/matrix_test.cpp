// gedge matrix: files in, files out, and what is said beside them.
#include <doctest/doctest.h>

#include <algorithm>

#include "unit/cli/memory_io.hpp"

using namespace gedge;
using namespace gedge::test;
using cli::Exit;

namespace {

const std::string kEdges =
    "from,to,p50_ms,p95_ms,samples\na,b,1,1.5,20\nb,a,1,2.25,20\na,c,4,9,3\n";

MemoryFiles with_edges() {
  MemoryFiles files;
  files.files["rtt.csv"] = kEdges;
  return files;
}

}  // namespace

TEST_CASE("matrix convert: JSON by default, everything kept, nothing said") {
  MemoryFiles files = with_edges();
  const Outcome json = run_in_memory({"matrix", "convert", "rtt.csv"}, files);
  CHECK(json.exit == Exit::kYes);
  CHECK(json.err.empty());
  CHECK(json.out.find("\"kind\": \"LatencyMatrix\"") != std::string::npos);
  CHECK(json.out.find("\"p95Us\":2250") != std::string::npos);
  files.files["rtt.json"] = json.out;
  const Outcome back = run_in_memory({"matrix", "convert", "rtt.json", "-o", "edges"}, files);
  CHECK(back.out ==
        "from,to,rtt_ms,p50_ms,p95_ms,samples,method\na,b,,1,1.5,20,import\na,c,,4,9,3,import\n"
        "b,a,,1,2.25,20,import\n");
}

TEST_CASE("matrix convert: what a table cannot hold is on standard error, -q or not in the table") {
  MemoryFiles files = with_edges();
  const Outcome csv = run_in_memory({"matrix", "convert", "rtt.csv", "-o", "csv"}, files);
  CHECK(csv.exit == Exit::kYes);
  CHECK(csv.out == ",a,b,c\na,0,1.5,9\nb,2.25,0,\nc,,,0\n");
  CHECK(
      csv.err ==
      "gedge: warning: square CSV holds one number a pair: other statistics, loss, age and method "
      "of 3 pairs are left out\n");
  const Outcome median = run_in_memory(
      {"matrix", "convert", "rtt.csv", "-o", "csv", "--rtt-stat", "p50", "-q"}, files);
  CHECK(median.out == ",a,b,c\na,0,1,4\nb,1,0,\nc,,,0\n");
  CHECK(median.err.empty());
}

TEST_CASE("matrix convert: the two files of the edge scheduler") {
  MemoryFiles files;
  files.files["rtt.csv"] = ",b,a\nb,0,1\na,2,0\n";
  const Outcome bare = run_in_memory({"matrix", "convert", "rtt.csv", "-o", "plain"}, files);
  CHECK(bare.out == "0 2\n1 0\n");
  CHECK(bare.err.find("`--names-out FILE` writes which is which") != std::string::npos);
  const Outcome named = run_in_memory(
      {"matrix", "convert", "rtt.csv", "-o", "plain", "--names-out", "names.json"}, files);
  CHECK(named.err.empty());
  CHECK(files.files["names.json"] == "{\n  \"a\": 0,\n  \"b\": 1\n}\n");
  files.files["delays"] = named.out;
  const Outcome back = run_in_memory(
      {"matrix", "convert", "delays", "--rtt-names", "names.json", "-o", "csv"}, files);
  CHECK(back.out == ",a,b\na,0,2\nb,1,0\n");
  const Outcome misplaced =
      run_in_memory({"matrix", "convert", "rtt.csv", "--names-out", "names.json"}, files);
  CHECK(misplaced.exit == Exit::kUsage);
  files.read_only = true;
  CHECK(run_in_memory({"matrix", "convert", "rtt.csv", "-o", "plain", "--names-out", "n"}, files)
            .exit == Exit::kWorld);
}

TEST_CASE("matrix convert: costs between zones of the cluster, and back with their unit") {
  MemoryFiles files;
  const std::string site = "synthetic:nodes=4,zones=2,rtt=0.2ms/2.5ms/3ms/4ms";
  const Outcome topology =
      run_in_memory({"matrix", "convert", "--cluster", site, "-o", "diktyo"}, files);
  CHECK(topology.exit == Exit::kYes);
  CHECK(topology.out.find("kind: NetworkTopology\n") != std::string::npos);
  CHECK(topology.out.find("networkCost: 3\n") != std::string::npos);
  CHECK(topology.err.find("rounded up") != std::string::npos);
  files.files["nt.yaml"] = topology.out;
  const Outcome refused = run_in_memory({"matrix", "convert", "nt.yaml", "-o", "csv"}, files);
  CHECK(refused.exit == Exit::kInput);
  CHECK(refused.err.find("--cost-unit ms") != std::string::npos);
  const Outcome back =
      run_in_memory({"matrix", "convert", "nt.yaml", "--cost-unit", "ms", "-o", "csv"}, files);
  CHECK(back.exit == Exit::kYes);
  CHECK(back.out.find(",3") != std::string::npos);
  files.files["rtt.csv"] = kEdges;
  const Outcome nowhere = run_in_memory({"matrix", "convert", "rtt.csv", "-o", "diktyo"}, files);
  CHECK(nowhere.exit == Exit::kInput);
  CHECK(nowhere.out.empty());
}

TEST_CASE("matrix convert: later files win, and those of a synthetic site come first") {
  MemoryFiles files;
  files.files["1"] = "from,to,p50_ms\nedge-1,near-1,5\nnear-1,edge-1,6\n";
  files.files["2"] = "from,to,p50_ms\nnear-1,edge-1,7\n";
  const Outcome both = run_in_memory({"matrix", "convert", "--rtt", "1", "2", "--cluster",
                                      "synthetic:nodes=2,rtt=1ms/1ms/1ms/1ms", "-o", "edges"},
                                     files);
  CHECK(both.out == "from,to,rtt_ms,p50_ms\nedge-1,near-1,,5\nnear-1,edge-1,,7\n");
  // Made-up times fill no gap of measured ones.
  const Outcome site = run_in_memory(
      {"matrix", "convert", "2", "--cluster", "synthetic:nodes=6", "-o", "edges"}, files);
  CHECK(site.out == "from,to,rtt_ms,p50_ms\nnear-1,edge-1,,7\n");
  const Outcome none = run_in_memory({"matrix", "convert"}, files);
  CHECK(none.exit == Exit::kUsage);
  CHECK(none.err.find("no round-trip times") != std::string::npos);
  files.files["bare"] = "from,to,rtt_ms\n";
  const Outcome bare = run_in_memory({"matrix", "convert", "bare"}, files);
  CHECK(bare.exit == Exit::kInput);
  CHECK(bare.err.find("no round-trip times in what was read") != std::string::npos);
  const Outcome unaged = run_in_memory({"matrix", "convert", "1", "--max-age", "1h"}, files);
  CHECK(unaged.exit == Exit::kUsage);
}

TEST_CASE("matrix check: one line and exit 0 where nothing is odd") {
  MemoryFiles files;
  files.files["rtt.csv"] = ",a,b\na,0,1\nb,1.1,0\n";
  const Outcome fine = run_in_memory({"matrix", "check", "rtt.csv"}, files);
  CHECK(fine.exit == Exit::kYes);
  CHECK(fine.out == "nothing is odd: 2 names checked\n");
  CHECK(fine.err.empty());
  CHECK(
      run_in_memory({"matrix", "check", "rtt.csv", "--at-least", "99us", "--tolerance", "9"}, files)
          .exit == Exit::kNo);
  CHECK(run_in_memory({"matrix", "check", "rtt.csv", "--at-least", "99us", "--tolerance", "10"},
                      files)
            .exit == Exit::kYes);
  CHECK(run_in_memory({"matrix", "check", "rtt.csv", "--at-least", "9"}, files).exit ==
        Exit::kUsage);
}

TEST_CASE("matrix check: every kind of finding has a row and a reason") {
  MemoryFiles files;
  files.files["rtt.csv"] =
      "from,to,p95_ms,loss_ppm,measured_at,suspicious\n"
      "a,b,10,0,2026-01-02T03:04:05Z,\nb,a,30,0,,true\nb,c,1,0,,\nc,b,1,0,,\na,c,90,0,,\n"
      "c,a,90,0,,\nd,a,,1000000,,\nd,b,4,0,,\n";
  const std::vector<std::string> check{
      "matrix", "check", "rtt.csv", "--max-age", "1h", "--now", "2026-01-02T05:00:00Z"};
  const Outcome odd = run_in_memory(check, files);
  CHECK(odd.exit == Exit::kNo);
  CHECK(odd.out ==
        "ODDITY\tFROM\tTO\tRTT\tOTHER\tWHY\n"
        "gap\ta\td\t-\t-\tevery probe was lost\n"
        "gap\tc\td\t-\t-\tnever measured\n"
        "one-way\td\tb\t4.0 ms\t-\tthe way back was never measured\n"
        "asymmetric\ta\tb\t10.0 ms\t30.0 ms\tthe way back takes 200 % more\n"
        "triangle\ta\tc\t90.0 ms\t31.0 ms\tit takes 190 % more than via b\n"
        "stale\ta\tb\t10.0 ms\t-\tmeasured at 2026-01-02T03:04:05Z\n"
        "suspicious\tb\ta\t30.0 ms\t-\tmarked by who measured it\n");
  CHECK(odd.err ==
        "2 gaps, 1 one-way pair, 1 asymmetric pair, 1 triangle, 1 stale pair and 1 suspicious pair "
        "among 4 names\n");
  std::vector<std::string> some = check;
  some.insert(some.end(), {"--only", "stale", "--only", "triangle", "--no-headers", "-q"});
  const Outcome two = run_in_memory(some, files);
  CHECK(two.exit == Exit::kNo);
  CHECK(two.out.starts_with("triangle\ta\tc\t"));
  CHECK(two.out.find("\nstale\t") != std::string::npos);
  CHECK(two.err.empty());
  std::vector<std::string> json = check;
  json.insert(json.end(), {"-o", "json"});
  const Outcome document = run_in_memory(json, files);
  CHECK(document.exit == Exit::kNo);
  CHECK(document.out.find("\"kind\": \"MatrixCheck\"") != std::string::npos);
  CHECK(document.out.find("\"gap\": 2") != std::string::npos);
  CHECK(run_in_memory({"matrix", "check", "rtt.csv", "--max-age", "1h"}, files).exit ==
        Exit::kUsage);
}

TEST_CASE("matrix check: a terminal sees twenty of a kind, -v 1 and a pipe all of them") {
  MemoryFiles files;
  for (int i = 0; i < 30; ++i) files.files["rtt.csv"] += ",n" + std::to_string(100 + i);
  files.files["rtt.csv"] += '\n';
  for (int i = 0; i < 30; ++i)
    files.files["rtt.csv"] += 'n' + std::to_string(100 + i) + std::string(30, ',') + '\n';
  const auto rows = [&](std::vector<std::string> more, std::size_t width) {
    std::vector<std::string> args{"matrix", "check", "rtt.csv", "--no-headers", "-q"};
    args.insert(args.end(), more.begin(), more.end());
    const std::string out = run_in_memory(args, files, width).out;
    return std::count(out.begin(), out.end(), '\n');
  };
  CHECK(rows({}, 0) == 435);
  CHECK(rows({}, 80) == 20);
  CHECK(rows({"-v", "1"}, 80) == 435);
}

TEST_CASE("matrix diff: what moved, by how much, and what noise explains") {
  MemoryFiles files;
  files.files["1"] =
      "from,to,mean_ms,mdev_ms,samples\na,b,5,0.4,100\nb,a,5,0.4,100\na,c,1,,\nb,c,2,0.1,9\n";
  files.files["2"] =
      "from,to,mean_ms,mdev_ms,samples\na,b,7,0.3,100\nb,a,5.1,0.3,100\na,c,1.5,,\nc,b,2,0.1,9\n"
      "d,a,1,,\n";
  const Outcome moved = run_in_memory({"matrix", "diff", "1", "2"}, files);
  CHECK(moved.exit == Exit::kNo);
  CHECK(moved.out ==
        "CHANGE\tFROM\tTO\tBEFORE\tAFTER\tDELTA\tNOISE\n"
        "name added\td\t-\t-\t-\t-\t-\n"
        "moved\ta\tb\t5.0 ms\t7.0 ms\t+2.0 ms\t0.2 ms\n"
        "moved, unknown spread\ta\tc\t1.0 ms\t1.5 ms\t+0.5 ms\t-\n"
        "vanished\tb\tc\t2.0 ms\t-\t-\t-\n"
        "appeared\tc\tb\t-\t2.0 ms\t-\t-\n");
  CHECK(moved.err == "2 pairs moved, 1 appeared, 1 vanished, 1 within the noise, 0 equal\n");
  const Outcome all = run_in_memory({"matrix", "diff", "1", "2", "--noise", "-q"}, files);
  CHECK(all.out.find("moved, noise\tb\ta\t5.0 ms\t5.1 ms\t+0.1 ms\t0.2 ms\n") != std::string::npos);
  CHECK(all.err.empty());
  const Outcome same = run_in_memory({"matrix", "diff", "1", "1", "-q"}, files);
  CHECK(same.exit == Exit::kYes);
  CHECK(same.out == "nothing moved beyond the noise\n");
  const Outcome json = run_in_memory({"matrix", "diff", "1", "2", "-o", "json"}, files);
  CHECK(json.out.find("\"marginUs\":150,\"significance\":\"noise\"") != std::string::npos);
  CHECK(run_in_memory({"matrix", "diff", "1"}, files).exit == Exit::kUsage);
  CHECK(run_in_memory({"matrix", "diff", "-", "-"}, files).exit == Exit::kUsage);
  CHECK(run_in_memory({"matrix", "diff", "1", "none"}, files).exit == Exit::kInput);
}

TEST_CASE("matrix show: numbers in a pipe and where they fit, with their marks") {
  MemoryFiles files;
  files.files["rtt.csv"] =
      "from,to,p95_ms,estimated,upper_ms,suspicious\na,b,1.5,,,\nb,a,2,,,true\na,c,,true,9,\n";
  const Outcome pipe = run_in_memory({"matrix", "show", "rtt.csv"}, files);
  CHECK(pipe.exit == Exit::kYes);
  CHECK(pipe.out == "FROM\ta\tb\tc\na\t-\t1.5 ms\t9.0 ms ~\nb\t2.0 ms !\t-\t-\nc\t-\t-\t-\n");
  const Outcome wide = run_in_memory({"matrix", "show", "rtt.csv"}, files, 80);
  CHECK(wide.out ==
        "FROM         a       b         c\n"
        "a            -  1.5 ms  9.0 ms ~\n"
        "b     2.0 ms !       -         -\n"
        "c            -       -         -\n");
}

TEST_CASE("matrix show: a map where numbers do not fit, in letters where there is no colour") {
  MemoryFiles files;
  files.files["rtt.csv"] =
      "from,to,p95_ms,estimated,upper_ms,suspicious\na,b,1.5,,,\nb,a,3,,,true\na,c,,true,9,\n";
  const Outcome map = run_in_memory({"matrix", "show", "rtt.csv"}, files, 30);
  CHECK(map.out ==
        "a   ..~@\n"
        "b !=  ??\n"
        "c ????\n"
        ".. up to 2ms  == up to 5ms  @@ more  ?? unmeasured  ~ estimated  ! suspicious\n"
        "rows are from, columns to, both in this order\n");
  CHECK(run_in_memory({"matrix", "show", "rtt.csv", "-o", "map"}, files).out == map.out);
}

TEST_CASE("matrix show: the drawing names every pair and says what grey is") {
  MemoryFiles files;
  files.files["rtt.csv"] = "from,to,rtt_ms\n<a>,b&c,1.5\n";
  const Outcome svg = run_in_memory({"matrix", "show", "rtt.csv", "-o", "svg"}, files);
  CHECK(svg.exit == Exit::kYes);
  CHECK(svg.out.starts_with("<svg xmlns="));
  CHECK(svg.out.ends_with("</svg>\n"));
  CHECK(svg.out.find("<title>&lt;a&gt; &gt; b&amp;c: 1.5ms</title>") != std::string::npos);
  CHECK(svg.out.find("<title>b&amp;c &gt; &lt;a&gt;: unmeasured</title>") != std::string::npos);
  CHECK(svg.out.find(">unmeasured</text>") != std::string::npos);
  CHECK(svg.out.find("<a>") == std::string::npos);
}
