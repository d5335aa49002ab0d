/* Which schedule is best for a network, from C: cc search.c $(pkg-config --cflags --libs upsweep) */
#include <stdio.h>
#include <upsweep/upsweep.h>

int main(int argc, char** argv) {
  upsweep_input* model = upsweep_input_file(argc > 1 ? argv[1] : "model.yaml");
  upsweep_result* found = upsweep_run("search", &model, 1, "{\"workers\": 16}", NULL);
  const int code = upsweep_result_code(found);
  puts(code == UPSWEEP_DONE ? upsweep_result_text(found, "table", NULL) : upsweep_result_message(found));
  upsweep_result_close(found);
  upsweep_input_close(model);
  return code;
}
