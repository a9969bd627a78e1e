// Ctrl-C, and what else asks the program to end: it is noted, so that work in hand can be put away; asked twice, it ends at once.
#pragma once

namespace lint {

void catchInterrupts();
bool interrupted();
/// Becomes readable when the first one comes.
int interruptPipe();

}  // namespace lint
