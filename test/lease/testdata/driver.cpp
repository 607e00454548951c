// Feeds rstate::ArmLease what comes on stdin, a line for each step, and writes what it makes of it.
#include <cstdint>
#include <iostream>
#include <sstream>
#include <string>

#include "rstate/arm_lease.hpp"

struct Message
{
  std::string instance_id;
  std::uint64_t term, seq;
  std::int64_t proved_ns, valid_ns;
};

int main()
{
  rstate::ArmLease lease;
  for (std::string line; std::getline(std::cin, line); ) {
    std::istringstream in(line);
    std::string what;
    std::int64_t at = 0;
    bool taken = false;
    in >> what >> at;
    if (what == "new") {
      lease = rstate::ArmLease();
    } else if (what == "take") {
      Message m{};
      std::string writer;
      in >> m.term >> m.seq >> m.proved_ns >> m.valid_ns >> writer >> m.instance_id;
      taken = lease.take(at, m, writer);
    }
    const bool holds = lease.holds(at);
    std::cout << taken << ' ' << holds << ' ' << lease.ends() << '\n';
  }
}
