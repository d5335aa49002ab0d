/* The interface as a C program sees it, of the shared library. usage: interface_test MODEL */
#include <stdio.h>
#include <string.h>

#include "upsweep/upsweep.h"

static int failures = 0;

static void check(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "wrong: %s\n", what);
  ++failures;
}

static int stop_at_once(void* user, const char* doing) {
  ++*(int*)user;
  return doing[0] != '\0';
}

static void test_search(upsweep_input* model) {
  upsweep_result* result = upsweep_run("search", &model, 1, "{\"workers\": 16}", NULL);
  size_t length = 0;
  const char* json = upsweep_result_text(result, "json", &length);
  check(upsweep_result_code(result) == UPSWEEP_DONE, "a search ends well");
  check(json != NULL && strlen(json) == length && strstr(json, "\"best\"") != NULL, "a search has a best schedule");
  check(strcmp(upsweep_result_message(result), "") == 0, "a search that ends well has no message");
  upsweep_result_close(result);
}

static void test_errors(upsweep_input* model) {
  upsweep_result* result = upsweep_run("search", &model, 1, "{\"worker\": 16}", NULL);
  check(upsweep_result_code(result) == UPSWEEP_USAGE, "an unknown setting is wrong usage");
  check(strstr(upsweep_result_message(result), "`workers`") != NULL, "the nearest setting is named");
  check(upsweep_result_text(result, "json", NULL) == NULL, "an error has no text");
  upsweep_result_close(result);
  check(upsweep_result_code(NULL) == UPSWEEP_BACKEND, "no result is out of memory");
}

static void test_stop(upsweep_input* model) {
  int calls = 0;
  upsweep_watch watch = {NULL, NULL, NULL, NULL};
  upsweep_result* result;
  watch.user = &calls;
  watch.progress = stop_at_once;
  result = upsweep_run("profile", &model, 1, NULL, &watch);
  check(upsweep_result_code(result) == UPSWEEP_INTERRUPTED && calls > 0, "progress can stop a command");
  upsweep_result_close(result);
}

int main(int argc, char** argv) {
  upsweep_input* model = upsweep_input_file(argc > 1 ? argv[1] : "");
  check(strncmp(upsweep_version(), "upsweep ", 8) == 0, "there is a version");
  test_search(model);
  test_errors(model);
  test_stop(model);
  upsweep_input_close(model);
  return failures == 0 ? 0 : 1;
}
