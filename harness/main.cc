// samebits: does a GPU kernel still compute exactly the same bits?
#include "harness/run.h"

int main(int argc, char** argv) { return samebits::harness::RunCommandLine(argc, argv); }
