#include "upsweep/app/session.hpp"
