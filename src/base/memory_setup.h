// How the program gets its memory from the system. main calls this before anything else.
#pragma once

namespace attnviz {

// Keeps freed memory: a batch allocates and frees maps of a hundred megabytes, and the kernel would have to map and clear that
// memory again for each map. Also asks for large pages in the first part of the heap, if the kernel lets programs do so: the
// program touches megabytes when it starts, and each small page would cost a page fault. No page is allocated before it is touched.
void set_up_memory();

}  // namespace attnviz
