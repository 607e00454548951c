// Package rmwchoice lets a program answer for itself when its environment asks for a middleware with which it is not
// linked. By itself rcl ends such a process with code 102 while it is being loaded, before main.
//
// The package works by being imported, in an executable. It looks at RMW_IMPLEMENTATION before any library does. Where
// ROS chooses the middleware at run time (librmw_implementation), it leaves everything to that. It imports nothing.
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

// init gives the variable its name back: a child of this process is to be asked the same.
func init() {
	if C.rmw_asked() == nil {
		return
	}
	asked = C.GoString(C.rmw_asked())
	os.Unsetenv("r" + variable[1:])
	os.Setenv(variable, asked)
}

// Refused returns the middleware that the environment asks for and the one that this program is linked with, where they
// differ: the program is not to use ROS then.
func Refused() (wanted, linked string, refused bool) {
	if asked == "" {
		return "", "", false
	}
	return asked, C.GoString(C.rmw_linked()), true
}
