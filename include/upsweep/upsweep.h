/*
 * Upsweep as a library: does parallel-scan back-propagation pay off for a network, and at which hybrid depth?
 *
 * A command of the program is a function here: upsweep_run("search", ...) takes what `upsweep search` takes, settings
 * as JSON named as its options, and gives what it prints. But for upsweep_program(), which is the program itself,
 * nothing is printed, no signal is handled, no exception leaves a function, and several threads may call; one handle is
 * used by one thread at a time, but for upsweep_stop. What patterns hold in memory is counted for the whole process: of
 * calls at the same time the smallest "count_memory" holds for all. Texts are UTF-8. What a handle gives is valid until
 * the handle is closed; closing NULL does nothing.
 */
#ifndef UPSWEEP_UPSWEEP_H
#define UPSWEEP_UPSWEEP_H

/* NOLINTBEGIN(modernize-*): this is C. */
#include <stddef.h>

#if defined(__GNUC__)
#define UPSWEEP_API __attribute__((visibility("default")))
#else
#define UPSWEEP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a call ends with; the exit codes of the program. */
enum upsweep_code {
  UPSWEEP_DONE = 0,
  UPSWEEP_FAULT = 1,         /* a bug of the library */
  UPSWEEP_USAGE = 2,         /* a command or a setting is wrong; found before any work */
  UPSWEEP_INPUT = 3,         /* a file is wrong, or a setting that does not fit it */
  UPSWEEP_BACKEND = 4,       /* a device is not there or failed, memory does not suffice, a database is in use */
  UPSWEEP_MISMATCH = 5,      /* a validation found a result that differs; the result says which */
  UPSWEEP_INTERRUPTED = 130, /* stopped; there may be a result of what was done */
};

typedef struct upsweep_input upsweep_input;
typedef struct upsweep_stop upsweep_stop;
typedef struct upsweep_result upsweep_result;

/* "upsweep 0.1.0 (31f3c741e4), with MPI, without CUDA, with charts; GNU 12.2.0, Release". */
UPSWEEP_API const char* upsweep_version(void);

/* All commands with their settings, as JSON: [{"name", "arguments", "description", "settings": [{"name", "type",
 * "several", "default", "description"}]}]; "several": whether it takes a list. NULL where memory is out. */
UPSWEEP_API const char* upsweep_commands(void);

/* A file to read: a model, study, training file or table. It is opened by upsweep_run(). NULL where memory is out. */
UPSWEEP_API upsweep_input* upsweep_input_file(const char* path);

/* The same from memory: `size` bytes of YAML, JSON or ONNX under a name ("model.yaml") that messages use. They lie in a
 * temporary folder (TMPDIR) until the handle is closed. What is wrong with that upsweep_run() says. */
UPSWEEP_API upsweep_input* upsweep_input_bytes(const char* name, const void* bytes, size_t size);

/* Puts a file beside that of an input from memory, under the path by which that names it: "masks/conv1.npy". A code. */
UPSWEEP_API int upsweep_input_add(upsweep_input* input, const char* path, const void* bytes, size_t size);

UPSWEEP_API void upsweep_input_close(upsweep_input* input);

/* A wish to stop, which any thread may express while others run. NULL where memory is out. */
UPSWEEP_API upsweep_stop* upsweep_stop_new(void);
UPSWEEP_API void upsweep_stop_request(upsweep_stop* stop);
UPSWEEP_API void upsweep_stop_close(upsweep_stop* stop);

/* What a caller is told while a command works. Any part may be NULL. Calls come one at a time, maybe from threads of
 * the library. */
typedef struct upsweep_watch {
  void* user;                                     /* given to the functions */
  int (*progress)(void* user, const char* doing); /* what is under way, "" for nothing; not 0: stop */
  void (*note)(void* user, const char* note);     /* worth saying whatever the outcome */
  upsweep_stop* stop;                             /* stays open until the call returns */
} upsweep_watch;

/* Runs a command: "profile", "search", "validate", "study", "training", "solve", "anchors" and the others of
 * upsweep_commands().
 *
 * `inputs` are `count` files, in the order of the command line. `settings` is a JSON object of options by name,
 * {"workers": 16, "pattern": "sample", "count_limit": 1e6, "live": true}, or NULL. `watch` may be NULL.
 * A stop is heard between steps of the work, while products are counted and while a locked database is waited for.
 *
 * Never NULL but where memory is out. Close it. */
UPSWEEP_API upsweep_result* upsweep_run(const char* command, upsweep_input* const* inputs, size_t count,
                                        const char* settings, const upsweep_watch* watch);

/* A code of enum upsweep_code. */
UPSWEEP_API int upsweep_result_code(const upsweep_result* result);

/* What is wrong: one line that says where, what, what was found, what is accepted. "" where nothing is. */
UPSWEEP_API const char* upsweep_result_message(const upsweep_result* result);

/* What was found, as the command prints it with --format "json", "csv" or "table", or as "packed": the JSON in one
 * line, with each table of at least 1000 rows at its top as {"columns": [names], "cells": [[values of a row], ...]}.
 * Made when it is asked for. `length`, where not NULL, becomes that of the text. NULL where nothing was found, for
 * another format, or where memory is out. */
UPSWEEP_API const char* upsweep_result_text(upsweep_result* result, const char* format, size_t* length);

UPSWEEP_API void upsweep_result_close(upsweep_result* result);

/* The program: `return upsweep_program(argc, argv);` is all of its main(). It parses the command line, prints, handles
 * SIGINT, SIGTERM, SIGHUP and SIGPIPE and sets the terminate handler, for the rest of the process, which a signal or a
 * lack of memory may end in it. Gives the exit code. Call it once, on the main thread. */
UPSWEEP_API int upsweep_program(int argc, const char* const* argv);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-*) */
#endif
