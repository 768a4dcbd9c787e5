#pragma once
/// Laws by name, for the command line, Python and the page.

#include "ricochet/law/law.hpp"
#include "ricochet/law/law_parameters.hpp"
#include "ricochet/law/law_table.hpp"
#include "ricochet/law/make_law.hpp"
