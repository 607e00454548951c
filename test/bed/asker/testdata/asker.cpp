// A client that sends goals, over rcl. It stands for one in C++, because rclcpp is not on every machine that runs the
// tests.
//
//   asker ACTION
//
// It says "ready" on stderr when there is a server. Each line of its input is a goal: COMMAND SEEN CLIENT, with - for no
// seen. It says "sent" when the middleware has it, and "accepted" or "rejected" when the answer comes.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <sstream>
#include <string>

#include "rcl/error_handling.h"
#include "rcl/rcl.h"
#include "rcl_action/rcl_action.h"
#include "rosidl_typesupport_cpp/action_type_support.hpp"
#include "rstate_msgs/action/transition.hpp"

using rstate_msgs::action::Transition;

namespace
{

void need(rcl_ret_t code, const char * what)
{
  if (code != RCL_RET_OK) {
    std::fprintf(stderr, "cannot %s: %s\n", what, rcl_get_error_string().str);
    std::exit(1);
  }
}

void send(const rcl_action_client_t & client, const std::string & line)
{
  static std::random_device random;
  Transition::Impl::SendGoalService::Request request;
  for (auto & byte : request.goal_id.uuid) {
    byte = static_cast<std::uint8_t>(random());
  }
  std::istringstream words(line);
  words >> request.goal.command >> request.goal.seen >> request.goal.client;
  if (request.goal.seen == "-") {
    request.goal.seen.clear();
  }
  std::int64_t number = 0;
  need(rcl_action_send_goal_request(&client, &request, &number), "send a goal");
  std::fputs("sent\n", stderr);
}

void take(const rcl_action_client_t & client)
{
  Transition::Impl::SendGoalService::Response response;
  rmw_request_id_t id;
  while (rcl_action_take_goal_response(&client, &id, &response) == RCL_RET_OK) {
    std::fputs(response.accepted ? "accepted\n" : "rejected\n", stderr);
  }
  rcl_reset_error();
}

}  // namespace

int main(int, char ** argv)
{
  auto options = rcl_get_zero_initialized_init_options();
  need(rcl_init_options_init(&options, rcl_get_default_allocator()), "make options");
  auto context = rcl_get_zero_initialized_context();
  need(rcl_init(0, nullptr, &options, &context), "init");
  auto node = rcl_get_zero_initialized_node();
  auto node_options = rcl_node_get_default_options();
  need(rcl_node_init(&node, "asker", "", &context, &node_options), "make the node");
  auto client = rcl_action_get_zero_initialized_client();
  auto client_options = rcl_action_client_get_default_options();
  const auto * type = rosidl_typesupport_cpp::get_action_type_support_handle<Transition>();
  need(rcl_action_client_init(&client, &node, type, argv[1], &client_options), "make the client");
  for (bool there = false; !there; usleep(20000)) {
    need(rcl_action_server_is_available(&node, &client, &there), "look for the server");
  }
  std::fputs("ready\n", stderr);
  std::ios::sync_with_stdio(false);
  std::string line;
  for (pollfd input{STDIN_FILENO, POLLIN, 0}; std::cin; take(client)) {
    while ((std::cin.rdbuf()->in_avail() > 0 || poll(&input, 1, 5) > 0) && std::getline(std::cin, line)) {
      send(client, line);
    }
  }
  need(rcl_action_client_fini(&client, &node), "end the client");
  need(rcl_node_fini(&node), "end the node");
  need(rcl_shutdown(&context), "shut down");
  need(rcl_context_fini(&context), "end the context");
  need(rcl_init_options_fini(&options), "end the options");
}
