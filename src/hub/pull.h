// `attnviz pull`: downloads the files of a model that attnviz reads from the hub into the cache, in the layout of the Python
// client.
//
// A snapshot appears only when all its files are complete and checked: the links are made last, that of config.json after the
// others, and then the ref. Tested in tests/cli/test_pull.py against a server on loopback.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "hub/cache.h"
#include "hub/download.h"

namespace attnviz {

// The one address in the program, used when HF_ENDPOINT is not set and only by `pull`.
constexpr std::string_view kDefaultHubEndpoint = "https://huggingface.co";

struct PullSource {
  std::string endpoint;  // without a slash at the end
  std::string token;     // empty: none
  std::filesystem::path cache;
};

// From HF_ENDPOINT, HF_TOKEN and the cache's variables. Throws Error(kInput) if HF_HUB_OFFLINE is set, the endpoint is not a web
// address, or the token cannot be sent.
PullSource pull_source_from_environment();

struct PullResult {
  std::filesystem::path snapshot;
  std::size_t n_file = 0;
  std::uint64_t n_byte = 0;          // of all files
  std::uint64_t n_byte_fetched = 0;  // that the cache did not have yet
};

// `file` empty: all files attnviz reads; otherwise that one (a .gguf). Throws Error(kModel), Error(kOutput), PullStopped.
PullResult pull_model(const PullSource& source, const HubId& wanted, const std::string& file, PullObserver& observer);

}  // namespace attnviz
