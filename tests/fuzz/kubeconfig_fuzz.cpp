// Kubeconfigs: no input may crash the reader or get a secret into a message, what it accepts is
// whole, and reading it asks for no file but those that it names. The same bytes as the answer of a
// program that says who we are.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "gedge/codec/exec_credential.hpp"
#include "gedge/codec/kubeconfig.hpp"

namespace {

const std::string kSecret = "-----BEGIN s3cret-of-another-file";

void require(bool fact) {
  if (!fact) std::abort();
}

bool tells(const std::string& text) { return text.find(kSecret) != std::string::npos; }

void check(const gedge::KubeAccess& access) {
  const gedge::ApiEndpoint& endpoint = access.endpoint;
  require(endpoint.server.starts_with("https://") || endpoint.server.starts_with("http://"));
  require(endpoint.identity.certificate.empty() == endpoint.identity.key.empty());
  require(endpoint.verify || endpoint.trusted.empty());
  require(!access.namespace_name.empty() && access.namespace_name.size() <= 63);
  if (const auto& helper = access.credentials.helper) {
    require(!helper->command.empty() && endpoint.identity.empty());
    for (const char c : helper->install_hint) require(c >= ' ' && c < '\x7f');
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (tells(text)) return 0;  // a message may say what stands in the file itself
  std::size_t asked = 0;
  const gedge::ReadFile read = [&](const std::string& path) -> gedge::Result<std::string> {
    require(++asked <= 5);  // the file itself, and four that an entry can name
    if (path == "folder/config") return text;
    return kSecret;
  };
  gedge::KubeChoice choice;
  choice.kubeconfig = "folder/config";
  const gedge::KubeAccessReading reading = gedge::find_api_server(choice, {}, read);
  require(reading.access.has_value() == reading.errors.empty());
  for (const gedge::Error& error : reading.errors) {
    require(!error.what.empty() && error.where.line >= 0 && error.where.excerpt.empty());
    require(!tells(error.what) && !tells(error.hint));
  }
  if (reading.access) check(*reading.access);
  const auto said = gedge::read_exec_credential(text, gedge::CredentialHelper::Version::kV1);
  if (said) require(said->identity.certificate.empty() == said->identity.key.empty());
  if (said) require(!said->identity.empty());
  return 0;
}
