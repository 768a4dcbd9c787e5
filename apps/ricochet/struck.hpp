#pragma once
/// A mechanism in a state, its contacts, and the one of them that is struck: what `impact` and `report` ask about.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "answer.hpp"
#include "assignments.hpp"
#include "machine.hpp"
#include "planar_answer.hpp"
#include "read_state.hpp"

namespace CLI {
class App;
}

namespace ricochet::app {

struct StruckOptions {
  std::string model, state, contact, law;
  std::vector<std::string> q, u, sizes, sets;
  double reach = 1e-3;
  bool assemble = false;
};

/// --state, --q, --u, --size, --contact, --reach and --assemble.
void add_state_options(CLI::App& command, StruckOptions& options);

/// A contact within reach.
struct Found {
  ContactPoint at;
  Vec3 V;                                                            ///< of second's point relative to first's
  [[nodiscard]] double approach() const { return 0 - at.n.dot(V); }  // 0, not −0, at rest
  [[nodiscard]] std::string pair() const;
};

/// Every step prints what is wrong and returns the status to exit with, 0 where all is well.
class Struck {
 public:
  explicit Struck(const StruckOptions& options) : options_(options) {}

  /// The mechanism, its state, and the contacts within reach.
  [[nodiscard]] int read();
  /// Which of the contacts is meant, and what it asks of the laws.
  [[nodiscard]] int strike();

  [[nodiscard]] const Machine& machine() const { return *machine_; }
  [[nodiscard]] const VecX& q() const { return q_; }
  [[nodiscard]] const VecX& u() const { return u_; }
  [[nodiscard]] const std::vector<Found>& found() const { return found_; }
  [[nodiscard]] std::size_t chosen() const { return chosen_; }
  [[nodiscard]] const Response& response() const { return response_; }
  [[nodiscard]] const Collision& collision() const { return collision_; }
  /// A law of the registry or of the plane; "all" where none is given.
  [[nodiscard]] const std::string& law() const { return law_; }
  [[nodiscard]] double energy(const VecX& u) const { return 0.5 * u.dot(machine_->mass_matrix() * u); }

  /// Every law of the registry, and in the plane, where the contact is planar, the closed forms.
  [[nodiscard]] std::vector<Answer> ask_laws() const { return ask_all(collision_); }
  [[nodiscard]] std::vector<PlanarAnswer> ask_planar_laws() const;

  /// Prints a fault of a parameter where it was given, and returns 2.
  [[nodiscard]] int blame(const Error& error) const;

 private:
  int read_state_file();
  int open();
  int place();
  int find();
  [[nodiscard]] std::string no_such_system() const;

  const StruckOptions& options_;
  std::unique_ptr<Machine> machine_;
  VecX q_, u_;
  GivenState given_;
  Assignments assignments_;
  std::string law_;
  std::vector<Found> found_;
  std::size_t chosen_ = 0;
  Response response_;
  Collision collision_;
};

/// Whether it names a mechanism: a bundled system, or a file that ends as robot files do.
[[nodiscard]] bool is_mechanism(std::string_view name);

}  // namespace ricochet::app
