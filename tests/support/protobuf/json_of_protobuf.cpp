// test_protobuf LIST: what an API server said in protobuf where it was asked for a NodeList, say,
// from standard input, as the JSON that gedge reads instead:
// tests/integration/protobuf_plane_test.py.
#include <iostream>
#include <iterator>
#include <string>

#include "gedge/codec/protobuf.hpp"

int main(int count, char** words) {
  if (count != 2) return 2;
  const std::string body{std::istreambuf_iterator<char>(std::cin), {}};
  const auto json = gedge::codec::json_of_protobuf(body, words[1]);
  if (!json) {
    std::cerr << json.error().what << '\n';
    return 1;
  }
  std::cout << *json << '\n';
  return 0;
}
