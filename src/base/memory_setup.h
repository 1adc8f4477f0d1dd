// How the program gets its memory from the system; for main, before anything else.
#pragma once

namespace attnviz {

// Maps come and go by the hundred megabytes in a batch: memory that is given back would have to be got, and cleared by the kernel,
// again for the next one. And where the kernel lets a program ask for large pages, the first part of the heap has them: a start
// touches megabytes, and each of their thousand pages would be a trap into the kernel. None of it is taken before it is used.
void set_up_memory();

}  // namespace attnviz
