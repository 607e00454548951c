// Package rmwchoice lets a program handle an environment that asks for a middleware with which
// the program is not linked. By itself rcl ends such a process with code 102 while it is being
// loaded, before main.
//
// An executable needs only to import the package, which reads RMW_IMPLEMENTATION before any
// library does. If ROS chooses the middleware at run time (librmw_implementation), the package
// changes nothing. It imports nothing.
package rmwchoice

/*
#include <stddef.h>
#include <string.h>

extern void prefetch_symbols(void) __attribute__((weak)); // librmw_implementation has it, and no middleware
extern const char *rmw_get_implementation_identifier(void) __attribute__((weak));

static const char variable[] = "RMW_IMPLEMENTATION=";
static const char *asked;

// It runs before the libraries are initialized, so it calls nothing that needs to be; the variable gets another name in
// place, and its own back from Go.
static void choose(int argc, char **argv, char **environment) {
	(void)argc;
	(void)argv;
	if (prefetch_symbols != NULL || rmw_get_implementation_identifier == NULL) {
		return;
	}
	for (char **entry = environment; *entry != NULL; entry++) {
		const char *value = *entry + sizeof variable - 1;
		if (strncmp(*entry, variable, sizeof variable - 1) != 0 || *value == '\0') {
			continue;
		}
		if (strcmp(value, rmw_get_implementation_identifier()) != 0) {
			asked = value;
			**entry = 'r';
		}
	}
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **, char **) = choose;

static const char *rmw_asked(void) { return asked; }
static const char *rmw_linked(void) { return rmw_get_implementation_identifier != NULL ? rmw_get_implementation_identifier() : ""; }
*/
import "C"

import "os"

const variable = "RMW_IMPLEMENTATION"

var asked string

// init restores the variable's name, so that child processes see the same request.
func init() {
	if C.rmw_asked() == nil {
		return
	}
	asked = C.GoString(C.rmw_asked())
	os.Unsetenv("r" + variable[1:])
	os.Setenv(variable, asked)
}

// Refused returns the middleware that the environment asks for and the one that this program is
// linked with, if they differ: in that case the program must not use ROS.
func Refused() (wanted, linked string, refused bool) {
	if asked == "" {
		return "", "", false
	}
	return asked, C.GoString(C.rmw_linked()), true
}
