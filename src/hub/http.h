// GET over HTTP(S) through libcurl, for `attnviz pull` only: the one place in the program that opens a socket.
//
// libcurl is loaded when a client is made, not linked: it and the thirty libraries behind it cost several milliseconds of every
// start, and no other command needs them. Redirects are followed here, not by libcurl, because a token may only be sent to
// the host that it is for. Certificates are always checked. Tested in tests/cli/test_pull.py against a server on loopback.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attnviz {

struct HttpHead {
  long status = 0;
  std::map<std::string, std::string> headers{};  // names in lower case

  std::string_view header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
  }
};

struct HttpRequest {
  std::string url;
  std::string token{};            // sent as a bearer token, only to the url's own scheme, host and port
  std::uint64_t range_begin = 0;  // not 0: "Range: bytes=N-"
  // Called for a final 2xx answer before its body, and for each part of the body; false ends the transfer.
  std::function<bool(const HttpHead&)> on_head{};
  std::function<bool(std::string_view)> on_body{};
  std::function<bool()> should_stop{};  // asked at least once a second
};

enum class HttpFault {
  kNone,       // there is an answer, whatever its status
  kStopped,    // a callback ended the transfer
  kTemporary,  // cut, timed out or refused: worth another try
  kLasting,    // no such host, a certificate that is not trusted, a redirect that is not followed
};

struct HttpResult {
  HttpFault fault = HttpFault::kNone;
  std::string what{};  // for people, when there is a fault
  HttpHead head{};     // of the last answer
  std::string url{};   // that this answer came from
};

class HttpClient {
 public:
  HttpClient();  // throws Error(kModel) if libcurl is not installed
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  HttpResult get(const HttpRequest& request);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace attnviz
