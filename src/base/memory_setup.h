// How the program gets its memory from the system; for main, before anything else.
#pragma once

namespace attnviz {

// A batch allocates and frees maps of hundreds of megabytes. Memory returned to the kernel would have to be requested, and cleared
// by the kernel, again for the next map, so it is kept. If the kernel offers large pages, the first part of the heap uses them: a
// start touches megabytes, and each of a thousand small pages would be a page fault. No memory is taken before it is used.
void set_up_memory();

}  // namespace attnviz
