#include "upsweep/store/run_store.hpp"

#include "anchor_rows.hpp"
#include "command_rows.hpp"
#include "database.hpp"
#include "measurement_rows.hpp"
#include "pass_rows.hpp"
#include "picture_rows.hpp"
#include "run_rows.hpp"
#include "sqlite.hpp"
#include "training_rows.hpp"
#include "transaction.hpp"

namespace upsweep {

struct RunStore::Impl {
  std::shared_ptr<Sqlite> shared;
  Sqlite& database = *shared;
  StoreReader reader{shared};

  /// Writes what `write` does in one transaction; returns what that returns.
  auto write_all(const auto& write) {
    Transaction transaction(database, Transaction::Kind::write);
    const auto result = write();
    transaction.commit();
    return result;
  }
};

RunStore::RunStore(const std::string& file, Open open)
    : impl_(new Impl{std::make_shared<Sqlite>(open == Open::create ? open_database(file, true) : open_present(file))}) {
}

RunStore::~RunStore() = default;

const StoreReader& RunStore::reader() const { return impl_->reader; }

std::vector<std::int64_t> RunStore::save(const RunContext& context, const std::vector<RunRecord>& runs,
                                         const std::optional<SearchRecord>& search) {
  Sqlite& database = impl_->database;
  CommandRow command = command_now(context.tool_version, context.command, context.parameters);
  command.verdict = context.verdict;
  command.explanation = context.explanation;
  RunRows rows(context, runs);
  return impl_->write_all([&] {
    const std::int64_t command_id = save_command(database, command);
    std::optional<std::int64_t> search_id;
    if (search) search_id = save_search(database, *search, command_id);
    return rows.save(database, command_id, search_id);
  });
}

std::int64_t RunStore::save(const TrainingRecord& record) {
  CommandRow command = command_now(record.tool_version, "training", record.parameters);
  command.verdict = record.verdict;
  return impl_->write_all(
      [&] { return save_training_run(impl_->database, save_command(impl_->database, command), record); });
}

std::int64_t RunStore::save(const PassRecord& record) {
  CommandRow command = command_now(record.tool_version, record.command, record.parameters);
  command.verdict = record.verdict;
  command.explanation = record.explanation;
  return impl_->write_all(
      [&] { return save_pass_run(impl_->database, save_command(impl_->database, command), record); });
}

std::int64_t RunStore::save(const AnchorRecord& record) {
  const CommandRow command = command_now(record.tool_version, "anchors", record.parameters);
  return impl_->write_all(
      [&] { return save_anchor_run(impl_->database, save_command(impl_->database, command), record); });
}

std::int64_t RunStore::save_machine(const Machine& machine, const std::string& text) {
  const StoredMachine row = machine_row(machine, text);
  return impl_->write_all([&] { return upsweep::save_machine(impl_->database, row); });
}

void RunStore::save_pictures(const std::string& model_hash, const std::string& pattern,
                             std::span<const StoredPicture> pictures) {
  impl_->write_all([&] {
    save_picture_rows(impl_->database, model_hash, pattern, pictures);
    return true;
  });
}

bool RunStore::remove(std::int64_t id) {
  return impl_->write_all([&] { return remove_run(impl_->database, id); });
}

}  // namespace upsweep
