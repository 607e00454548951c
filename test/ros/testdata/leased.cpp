// A lifecycle node that can be armed and follows the arm lease by arm_lease.hpp, over rcl. It stands for a node in C++, because
// rclcpp is not on every machine that runs the tests. It does what ros/rstate/examples/leased_node.cpp does.
//
//   leased COORDINATOR CYCLE_MS [active] --ros-args -r __node:=NAME
//
// In each cycle it takes one message of the lease, as an executor does that has much else to do; with 0 all that wait.
// With the word active it goes there by itself.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "lifecycle_msgs/msg/transition_event.h"
#include "lifecycle_msgs/srv/change_state.hpp"
#include "lifecycle_msgs/srv/get_available_states.hpp"
#include "lifecycle_msgs/srv/get_available_transitions.hpp"
#include "lifecycle_msgs/srv/get_state.hpp"
#include "rcl/error_handling.h"
#include "rcl/rcl.h"
#include "rcl_lifecycle/rcl_lifecycle.h"
#include "rosidl_typesupport_cpp/message_type_support.hpp"
#include "rosidl_typesupport_cpp/service_type_support.hpp"
#include "rstate/arm_lease.hpp"
#include "rstate_msgs/msg/arm_lease.hpp"
#include "std_srvs/srv/set_bool.hpp"

using rstate_msgs::msg::ArmLease;
using std_srvs::srv::SetBool;

namespace
{

volatile std::sig_atomic_t ended = 0;

void need(rcl_ret_t code, const char * what)
{
  if (code != RCL_RET_OK) {
    std::fprintf(stderr, "cannot %s: %s\n", what, rcl_get_error_string().str);
    std::exit(1);
  }
}

void say(const std::string & what)
{
  std::printf("%s\n", what.c_str());
  std::fflush(stdout);
}

template<typename Srv>
const rosidl_service_type_support_t * service_type()
{
  return rosidl_typesupport_cpp::get_service_type_support_handle<Srv>();
}

// serve answers the requests that wait.
template<typename Srv, typename Answer>
void serve(rcl_service_t & service, Answer answer)
{
  typename Srv::Request request;
  rmw_request_id_t id;
  while (rcl_take_request(&service, &id, &request) == RCL_RET_OK) {
    typename Srv::Response response;
    answer(request, response);
    need(rcl_send_response(&service, &id, &response), "answer");
    request = typename Srv::Request();
  }
  rcl_reset_error();
}

// Info gives arm_lease.hpp what a rclcpp::MessageInfo gives it.
struct Info
{
  rmw_message_info_t info;
  const rmw_message_info_t & get_rmw_message_info() const {return info;}
};

class Leased
{
public:
  Leased(rcl_node_t & node, const std::string & coordinator)
  : node_(node)
  {
    auto options = rcl_subscription_get_default_options();
    options.qos.reliability = RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
    options.qos.depth = 100;
    const auto * type = rosidl_typesupport_cpp::get_message_type_support_handle<ArmLease>();
    need(rcl_subscription_init(&leases_, &node_, type, (coordinator + "/arm_lease").c_str(), &options), "subscribe");
    auto service_options = rcl_service_get_default_options();
    need(rcl_service_init(&arm_, &node_, service_type<SetBool>(), "~/arm", &service_options), "offer arm");
    auto machine_options = rcl_lifecycle_get_default_state_machine_options();
    need(
      rcl_lifecycle_state_machine_init(
        &machine_, &node_, ROSIDL_GET_MSG_TYPE_SUPPORT(lifecycle_msgs, msg, TransitionEvent),
        service_type<lifecycle_msgs::srv::ChangeState>(), service_type<lifecycle_msgs::srv::GetState>(),
        service_type<lifecycle_msgs::srv::GetAvailableStates>(),
        service_type<lifecycle_msgs::srv::GetAvailableTransitions>(),
        service_type<lifecycle_msgs::srv::GetAvailableTransitions>(), &machine_options), "make the state machine");
  }

  ~Leased()
  {
    need(rcl_lifecycle_state_machine_fini(&machine_, &node_), "end the state machine");
    need(rcl_service_fini(&arm_, &node_), "end arm");
    need(rcl_subscription_fini(&leases_, &node_), "end the subscription");
  }

  // activates goes to active without being asked.
  void activates()
  {
    for (const char * label : {"configure", "transition_success", "activate", "transition_success"}) {
      need(rcl_lifecycle_trigger_transition_by_label(&machine_, label, true), label);
    }
  }

  void cycle(bool one)
  {
    ArmLease message;
    Info info;
    while (rcl_take(&leases_, &message, &info.info, nullptr) == RCL_RET_OK) {
      lease_.take(rstate::ArmLease::now(), message, rstate::ArmLease::writer(info));
      if (one) {
        break;
      }
    }
    rcl_reset_error();
    live();
    on_calls();
    look();
  }

private:
  bool leased() {return lease_.holds(rstate::ArmLease::now());}
  bool active() const {return machine_.current_state->id == 3;}

  void on_calls()
  {
    SetBool::Request request;
    rmw_request_id_t id;
    while (rcl_take_request(&arm_, &id, &request) == RCL_RET_OK) {
      settle("superseded");
      if (request.data) {
        waiting_ = std::make_unique<rmw_request_id_t>(id);
        waits_until_ = rstate::ArmLease::now() + 1'000'000'000;
        continue;
      }
      disarm("it was told to");
      answer(id, true, "disarmed");
    }
    rcl_reset_error();
  }

  void look()
  {
    if (armed_ && !(leased() && lease_.lapses() == lapses_)) {
      disarm("its lease has ended");
    }
    if (waiting_ && active() && leased()) {
      armed_ = true;
      lapses_ = lease_.lapses();
      say("armed");
      answer(*waiting_, true, "armed");
      waiting_.reset();
    } else if (waiting_ && (!active() || rstate::ArmLease::now() >= waits_until_)) {
      settle(active() ? "no arm lease holds" : "not active");
    }
  }

  void settle(const std::string & why)
  {
    if (waiting_) {
      say("not armed: " + why);
      answer(*waiting_, false, why);
      waiting_.reset();
    }
  }

  void disarm(const char * why)
  {
    if (armed_) {
      armed_ = false;
      say(std::string("disarmed: ") + why);
    }
  }

  void answer(rmw_request_id_t & id, bool success, const std::string & message)
  {
    SetBool::Response response;
    response.success = success;
    response.message = message;
    need(rcl_send_response(&arm_, &id, &response), "answer");
  }

  // live offers change_state and get_state. Every transition succeeds.
  void live()
  {
    serve<lifecycle_msgs::srv::ChangeState>(
      machine_.com_interface.srv_change_state, [this](const auto & q, auto & a) {
        const auto * t = q.transition.label.empty() ?
          rcl_lifecycle_get_transition_by_id(machine_.current_state, q.transition.id) :
          rcl_lifecycle_get_transition_by_label(machine_.current_state, q.transition.label.c_str());
        a.success = t != nullptr &&
          rcl_lifecycle_trigger_transition_by_id(&machine_, static_cast<std::uint8_t>(t->id), true) == RCL_RET_OK &&
          rcl_lifecycle_trigger_transition_by_label(&machine_, rcl_lifecycle_transition_success_label, true) == RCL_RET_OK;
        if (!active()) {
          settle("not active");
          disarm("it is active no longer");
        }
      });
    serve<lifecycle_msgs::srv::GetState>(
      machine_.com_interface.srv_get_state, [this](const auto &, auto & a) {
        a.current_state.id = static_cast<std::uint8_t>(machine_.current_state->id);
        a.current_state.label = machine_.current_state->label;
      });
  }

  rcl_node_t & node_;
  rstate::ArmLease lease_;
  bool armed_{false};
  std::uint64_t lapses_{0};
  std::unique_ptr<rmw_request_id_t> waiting_;
  std::int64_t waits_until_{0};
  rcl_subscription_t leases_ = rcl_get_zero_initialized_subscription();
  rcl_service_t arm_ = rcl_get_zero_initialized_service();
  rcl_lifecycle_state_machine_t machine_ = rcl_lifecycle_get_zero_initialized_state_machine();
};

}  // namespace

int main(int argc, char ** argv)
{
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s COORDINATOR CYCLE_MS [active] --ros-args …\n", argv[0]);
    return 2;
  }
  const int cycle = std::atoi(argv[2]);
  std::signal(SIGTERM, [](int) {ended = 1;});
  std::signal(SIGINT, [](int) {ended = 1;});
  auto options = rcl_get_zero_initialized_init_options();
  need(rcl_init_options_init(&options, rcl_get_default_allocator()), "make options");
  auto context = rcl_get_zero_initialized_context();
  need(rcl_init(argc, argv, &options, &context), "init");
  auto node = rcl_get_zero_initialized_node();
  auto node_options = rcl_node_get_default_options();
  need(rcl_node_init(&node, "leased", "", &context, &node_options), "make the node");
  {
    Leased leased(node, argv[1]);
    if (std::string(argv[3]) == "active") {
      leased.activates();
    }
    while (!ended) {
      leased.cycle(cycle > 0);
      usleep(cycle > 0 ? static_cast<useconds_t>(cycle) * 1000 : 5000);
    }
  }
  need(rcl_node_fini(&node), "end the node");
  need(rcl_shutdown(&context), "shut down");
  need(rcl_context_fini(&context), "end the context");
  need(rcl_init_options_fini(&options), "end the options");
}
