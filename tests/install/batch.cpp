// Three balls dropped on the ground without friction leave at e times the speed at which they came.
#include <cstdio>
#include <vector>

#include "ricochet/batch/collide.hpp"

int main() {
  using namespace ricochet;
  const double one = 1, zero = 0, down = -3;
  const Column<const double> same_one{&one, 0}, same_zero{&zero, 0};
  const std::vector<double> e{0.5, 0.25, 0};
  std::vector<double> V(3);
  ContactColumns<double> contacts;
  contacts.count = 3;
  contacts.by_six_entries({same_one, same_zero, same_zero, same_one, same_zero, same_one});
  contacts.V = {same_zero, same_zero, {&down, 0}};
  contacts.n = {same_zero, same_zero, same_one};
  LawColumns<double> law;
  law.law = "frictionless";
  law.numbers.push_back({"e", {e.data(), 1}});
  OutcomeColumns<double> outcomes;
  outcomes.V[2] = {V.data(), 1};
  const auto done = collide_batch(law, contacts, outcomes);
  if (!done || done->refused != 0) return 1;
  std::printf("V %g %g %g\n", V[0], V[1], V[2]);
  return 0;
}
