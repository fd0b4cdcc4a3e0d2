// A library of the runtime's name that is another one.
extern "C" int hipNothing() { return 0; }
