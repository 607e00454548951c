// Package measure reads the values that checks compare from ROS messages and parameters. It is used by the daemon, which
// checks with them, and by rstate doctor, which shows them. It imports network only.
package measure
