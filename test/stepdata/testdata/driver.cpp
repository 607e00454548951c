// Reads the operations of test/stepdata as words, and writes a line for each that has a result.
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "rstate/step_data.hpp"

namespace
{

template<typename Add>
void list(Add add)
{
  std::size_t n = 0;
  std::cin >> n;
  for (std::size_t i = 0; i < n; i++) {
    add();
  }
}

std::set<std::string> topics()
{
  std::set<std::string> all;
  list(
    [&] {
      std::string topic;
      std::cin >> topic;
      all.insert(topic);
    });
  return all;
}

}  // namespace

int main()
{
  rstate::StepData<int> data;
  std::string op;
  while (std::cin >> op) {
    if (op == "new") {
      data = rstate::StepData<int>();
    } else if (op == "settle") {
      data.settle();
    } else if (op == "zero") {
      std::uint64_t epoch = 0;
      std::cin >> epoch;
      const auto counted = topics();
      data.zero(epoch, counted, topics());
    } else if (op == "arrived") {
      std::string topic, from;
      int message = 0;
      std::cin >> topic >> from >> message;
      data.arrived(topic, from, message);
    } else if (op == "begin") {
      std::uint64_t epoch = 0;
      std::cin >> epoch;
      std::vector<rstate::StepCount> visible;
      list(
        [&] {
          rstate::StepCount v;
          std::cin >> v.topic >> v.participant >> v.count;
          visible.push_back(v);
        });
      std::string why = data.refused(epoch);
      if (why.empty() && epoch != 0) {
        why = data.missing(visible);
      }
      std::cout << why << ":";
      if (why.empty()) {
        data.begin(
          epoch, visible, [](const std::string &, const std::string &, std::uint64_t number, int message) {
            std::cout << " " << number << "=" << message;
          });
      }
      std::cout << "\n";
    } else if (op == "end") {
      data.end();
    } else if (op == "publish") {
      std::string topic;
      std::cin >> topic;
      std::cout << (data.publish(topic) ? "yes" : "no") << "\n";
    } else if (op == "sent") {
      for (const auto & s : data.sent()) {
        std::cout << s.topic << "=" << s.count << " ";
      }
      std::cout << "\n";
    } else {
      std::cerr << "unknown operation " << op << "\n";
      return 1;
    }
  }
}
