// Preloaded by tests/cli/test_pull_faults.py: a program that opens a socket, looks a host up or loads libcurl ends at once with a
// message. So it is proved, not promised, that only `attnviz pull` uses the network.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static _Noreturn void refuse(const char* what) {
  fprintf(stderr, "no_sockets: %s was called\n", what);
  _exit(99);
}

int socket(int domain, int type, int protocol) {
  (void)domain, (void)type, (void)protocol;
  refuse("socket");
}

int connect(int descriptor, const void* address, unsigned length) {
  (void)descriptor, (void)address, (void)length;
  refuse("connect");
}

int getaddrinfo(const char* node, const char* service, const void* hints, void* result) {
  (void)node, (void)service, (void)hints, (void)result;
  refuse("getaddrinfo");
}

__attribute__((destructor)) static void check_libraries(void) {
  const char* const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};
  for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
    if (dlopen(names[i], RTLD_NOW | RTLD_NOLOAD) != NULL) refuse(names[i]);
  }
}
