#include "control/sized.hpp"

namespace gedge {

std::optional<std::size_t> main_container(const PodSpec& spec, const std::string& resource) {
  std::optional<std::size_t> main;
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    const std::int64_t amount = spec.containers[i].requests.amount(resource);
    if (amount > 0 && (!main || amount > spec.containers[*main].requests.amount(resource)))
      main = i;
  }
  return main;
}

std::int64_t main_amount(const PodSpec& spec, const std::string& resource) {
  const auto main = main_container(spec, resource);
  return main ? spec.containers[*main].requests.amount(resource) : 0;
}

PodSpec sized(const PodSpec& like, const std::string& resource, std::int64_t amount) {
  PodSpec spec = like;
  const auto main = main_container(spec, resource);
  if (!main) return spec;
  Resources& requests = spec.containers.edit()[*main].requests;
  const std::int64_t more = amount - requests.amount(resource);
  requests.set(resource, amount);
  if (spec.pod_requests && spec.pod_requests->find(resource))
    spec.pod_requests->set(resource, spec.pod_requests->amount(resource) + more);
  return spec;
}

}  // namespace gedge
