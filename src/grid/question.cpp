#include "upsweep/grid/question.hpp"

#include <stdexcept>

namespace upsweep {

std::string to_string(QuestionKind kind) {
  switch (kind) {
    case QuestionKind::best:
      return "best";
    case QuestionKind::crossover:
      return "crossover";
    case QuestionKind::capacity:
      return "capacity";
    case QuestionKind::fewest_workers:
      return "fewest_workers";
    case QuestionKind::top:
      return "top";
    case QuestionKind::pareto:
      return "pareto";
  }
  throw std::logic_error("unknown kind of question");
}

std::string to_string(MemoryOf of) {
  switch (of) {
    case MemoryOf::best:
      return "best";
    case MemoryOf::plain:
      return "plain";
    case MemoryOf::scan:
      return "scan";
    case MemoryOf::bppsa:
      return "bppsa";
    case MemoryOf::pipeline:
      return "pipeline";
  }
  throw std::logic_error("unknown kind of memory");
}

std::string to_string(PointKey key) {
  switch (key) {
    case PointKey::score:
      return "score";
    case PointKey::speedup:
      return "speedup";
    case PointKey::memory:
      return "memory";
  }
  throw std::logic_error("unknown key of points");
}

}  // namespace upsweep
