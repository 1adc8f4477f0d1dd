// See http.h.
#include "hub/http.h"

#include <attnviz/error.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include <curl/curl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "base/quote.h"

namespace attnviz {
namespace {

constexpr std::array<const char*, 2> kLibraries = {"libcurl.so.4", "libcurl-gnutls.so.4"};
constexpr int kMaxRedirects = 8;
constexpr long kConnectSeconds = 20;
constexpr long kStallSeconds = 30;                 // without a byte
constexpr std::size_t kMaxHeaderBytes = 64 << 10;  // of one answer
constexpr std::size_t kMaxUnreadBody = 64 << 10;   // of the body of an answer that is not 2xx

// The functions of libcurl that are used, found by name. libcurl is never unloaded, because its libraries leave threads and
// handlers behind.
struct CurlFunctions {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_reset) easy_reset = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
  decltype(&curl_url) url = nullptr;
  decltype(&curl_url_cleanup) url_cleanup = nullptr;
  decltype(&curl_url_set) url_set = nullptr;
  decltype(&curl_url_get) url_get = nullptr;
  decltype(&curl_free) free = nullptr;
};

template <typename Function>
void find_function(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(::dlsym(library, name));
  if (*function == nullptr) throw Error(ErrorKind::kModel, fmt::format("libcurl: has no {}; expected version 7.85 or newer", name));
}

CurlFunctions load_curl() {
  void* library = nullptr;
  for (const char* name : kLibraries) {
    if (library == nullptr) library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) {
    throw Error(ErrorKind::kModel,
                fmt::format("pull: {} is not on this machine; install it (Debian: apt-get install libcurl4)", kLibraries[0]));
  }
  CurlFunctions curl;
  find_function(library, "curl_global_init", &curl.global_init);
  find_function(library, "curl_easy_init", &curl.easy_init);
  find_function(library, "curl_easy_cleanup", &curl.easy_cleanup);
  find_function(library, "curl_easy_reset", &curl.easy_reset);
  find_function(library, "curl_easy_setopt", &curl.easy_setopt);
  find_function(library, "curl_easy_perform", &curl.easy_perform);
  find_function(library, "curl_easy_getinfo", &curl.easy_getinfo);
  find_function(library, "curl_easy_strerror", &curl.easy_strerror);
  find_function(library, "curl_slist_append", &curl.slist_append);
  find_function(library, "curl_slist_free_all", &curl.slist_free_all);
  find_function(library, "curl_url", &curl.url);
  find_function(library, "curl_url_cleanup", &curl.url_cleanup);
  find_function(library, "curl_url_set", &curl.url_set);
  find_function(library, "curl_url_get", &curl.url_get);
  find_function(library, "curl_free", &curl.free);
  return curl;
}

// The state that the callbacks of one transfer share.
struct Transfer {
  const CurlFunctions& curl;
  CURL* handle;
  const HttpRequest& request;
  HttpHead head{};
  std::size_t n_header_byte = 0;
  std::size_t n_unread = 0;
  bool announced = false;
  bool stopped = false;    // by one of the request's callbacks
  bool body_left = false;  // an unwanted body was too long to read
};

bool is_success(long status) { return status >= 200 && status < 300; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

std::size_t on_header(char* data, std::size_t, std::size_t n, void* user) {
  Transfer& transfer = *static_cast<Transfer*>(user);
  const std::string_view line(data, n);
  if (line.starts_with("HTTP/")) {  // a new answer begins: the headers of a proxy or a 1xx answer do not count
    transfer.head.headers.clear();
    transfer.n_header_byte = 0;
  }
  transfer.n_header_byte += n;
  if (transfer.n_header_byte > kMaxHeaderBytes) return 0;
  const std::size_t colon = line.find(':');
  if (colon != std::string_view::npos) transfer.head.headers[lower(line.substr(0, colon))] = trim(line.substr(colon + 1));
  return n;
}

// Calls the request's on_head for a 2xx answer, once. False if the request refuses the body.
bool announce(Transfer& transfer) {
  if (transfer.announced) return !transfer.stopped;
  transfer.announced = true;
  transfer.curl.easy_getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &transfer.head.status);
  if (is_success(transfer.head.status) && transfer.request.on_head) transfer.stopped = !transfer.request.on_head(transfer.head);
  return !transfer.stopped;
}

// An exception must not pass through libcurl's C frames; the request's callbacks do not throw (they are part of this module).
std::size_t on_body(char* data, std::size_t, std::size_t n, void* user) {
  Transfer& transfer = *static_cast<Transfer*>(user);
  if (!announce(transfer)) return 0;
  if (!is_success(transfer.head.status)) {
    transfer.n_unread += n;
    transfer.body_left = transfer.n_unread > kMaxUnreadBody;
    return transfer.body_left ? 0 : n;
  }
  transfer.stopped = !transfer.request.on_body({data, n});
  return transfer.stopped ? 0 : n;
}

int on_progress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  Transfer& transfer = *static_cast<Transfer*>(user);
  if (transfer.request.should_stop && transfer.request.should_stop()) transfer.stopped = true;
  return transfer.stopped ? 1 : 0;
}

HttpFault fault_of(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_CONNECT:
    case CURLE_PARTIAL_FILE:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return HttpFault::kTemporary;
    default: return HttpFault::kLasting;
  }
}

std::string advice(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY: return "; is the network up, and is HF_ENDPOINT right?";
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return "; the server's certificate must be trusted: are the package ca-certificates and the clock right?";
    default: return "";
  }
}

struct Origin {
  std::string scheme, host, port;
  bool operator==(const Origin&) const = default;
};

}  // namespace

struct HttpClient::State {
  State() : curl(load_curl()) {
    if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) throw Error(ErrorKind::kModel, "pull: libcurl cannot be started");
    handle = curl.easy_init();
    if (handle == nullptr) throw Error(ErrorKind::kModel, "pull: libcurl cannot be started");
  }
  ~State() { curl.easy_cleanup(handle); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::optional<Origin> origin_of(const std::string& url) const;
  HttpResult get_once(const HttpRequest& request, const std::string& url, bool with_token);

  CurlFunctions curl;
  CURL* handle = nullptr;
};

std::optional<Origin> HttpClient::State::origin_of(const std::string& url) const {
  const std::unique_ptr<CURLU, decltype(curl.url_cleanup)> parsed(curl.url(), curl.url_cleanup);
  if (curl.url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return std::nullopt;
  const auto part = [&](CURLUPart which) {
    char* text = nullptr;
    std::string found;
    if (curl.url_get(parsed.get(), which, &text, CURLU_DEFAULT_PORT) == CURLUE_OK) found = text;
    curl.free(text);
    return lower(found);
  };
  return Origin{part(CURLUPART_SCHEME), part(CURLUPART_HOST), part(CURLUPART_PORT)};
}

HttpResult HttpClient::State::get_once(const HttpRequest& request, const std::string& url, bool with_token) {
  curl.easy_reset(handle);  // keeps open connections
  Transfer transfer{.curl = curl, .handle = handle, .request = request};
  const std::unique_ptr<curl_slist, decltype(curl.slist_free_all)> headers(
      with_token ? curl.slist_append(nullptr, ("Authorization: Bearer " + request.token).c_str()) : nullptr, curl.slist_free_all);
  std::array<char, CURL_ERROR_SIZE> message{};
  curl.easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl.easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl.easy_setopt(handle, CURLOPT_USERAGENT, "attnviz");
  curl.easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
  curl.easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl.easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl.easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl.easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, kStallSeconds);
  curl.easy_setopt(handle, CURLOPT_ERRORBUFFER, message.data());
  curl.easy_setopt(handle, CURLOPT_HEADERFUNCTION, on_header);
  curl.easy_setopt(handle, CURLOPT_HEADERDATA, &transfer);
  curl.easy_setopt(handle, CURLOPT_WRITEFUNCTION, on_body);
  curl.easy_setopt(handle, CURLOPT_WRITEDATA, &transfer);
  curl.easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
  curl.easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl.easy_setopt(handle, CURLOPT_XFERINFODATA, &transfer);
  const std::string range = fmt::format("{}-", request.range_begin);
  if (request.range_begin > 0) curl.easy_setopt(handle, CURLOPT_RANGE, range.c_str());

  const CURLcode code = curl.easy_perform(handle);
  HttpResult result{.url = url};
  if (code == CURLE_OK) announce(transfer);  // an answer without a body
  curl.easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &transfer.head.status);
  result.head = std::move(transfer.head);
  if (transfer.stopped) {
    result.fault = HttpFault::kStopped;
  } else if (code != CURLE_OK && !transfer.body_left) {
    result.fault = fault_of(code);
    const std::string what = message[0] != '\0' ? message.data() : curl.easy_strerror(code);
    result.what = printable_text(std::string(trim(what))) + advice(code);
  }
  return result;
}

HttpClient::HttpClient() : state_(std::make_unique<State>()) {}
HttpClient::~HttpClient() = default;

HttpResult HttpClient::get(const HttpRequest& request) {
  const auto home = state_->origin_of(request.url);
  std::string url = request.url;
  const auto refuse = [&](const std::string& what) { return HttpResult{.fault = HttpFault::kLasting, .what = what, .url = url}; };
  if (!home) return refuse(fmt::format("{} is not a web address", quote_text(url)));
  for (int n_redirect = 0; n_redirect <= kMaxRedirects; ++n_redirect) {
    const auto origin = state_->origin_of(url);
    HttpResult result = state_->get_once(request, url, !request.token.empty() && origin == home);
    const long status = result.head.status;
    const bool moved = status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    if (result.fault != HttpFault::kNone || !moved) return result;
    char* target = nullptr;
    state_->curl.easy_getinfo(state_->handle, CURLINFO_REDIRECT_URL, &target);
    const auto next = target == nullptr ? std::nullopt : state_->origin_of(target);
    if (!next || (next->scheme != "http" && next->scheme != "https")) {
      return refuse(fmt::format("redirects to {}, which is not a web address", quote_text(target == nullptr ? "nothing" : target)));
    }
    if (origin->scheme == "https" && next->scheme == "http")
      return refuse("redirects from https to http, which anyone could read and change");
    url = target;
  }
  return refuse(fmt::format("redirects more than {} times", kMaxRedirects));
}

}  // namespace attnviz
