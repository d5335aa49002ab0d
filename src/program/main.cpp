#include <upsweep/upsweep.h>

// The program is a program of the library, like anybody's: it needs the installed interface alone.
int main(int argc, char** argv) { return upsweep_program(argc, argv); }
