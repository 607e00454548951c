#define _GNU_SOURCE
#include "choice.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

extern const char *rmw_get_implementation_identifier(void) __attribute__((weak));

static const char variable[] = "RMW_IMPLEMENTATION=";
static const char *asked;
static char chooser[PATH_MAX];

const char *rmwchoice_asked(void) { return asked; }
const char *rmwchoice_chooser(void) { return *chooser ? chooser : NULL; }
const char *rmwchoice_in_use(void) {
	return rmw_get_implementation_identifier != NULL ? rmw_get_implementation_identifier() : NULL;
}
const char *rmwchoice_library(void) {
	Dl_info info;
	if (rmw_get_implementation_identifier == NULL || dladdr((void *)rmw_get_implementation_identifier, &info) == 0) {
		return NULL;
	}
	return info.dli_fname;
}

// librmw_implementation is recognized by its file: no symbol of it is certain to be exported.
static int look(struct dl_phdr_info *info, size_t size, void *data) {
	(void)size;
	(void)data;
	static const char name[] = "librmw_implementation.so";
	const char *base = strrchr(info->dlpi_name, '/');
	base = base != NULL ? base + 1 : info->dlpi_name;
	if (strncmp(base, name, sizeof name - 1) != 0 || strlen(info->dlpi_name) >= sizeof chooser) {
		return 0;
	}
	strcpy(chooser, info->dlpi_name);
	return 1;
}

static const char *value_of(char **environment, const char *prefix) {
	size_t n = strlen(prefix);
	for (; *environment != NULL; environment++) {
		if (strncmp(*environment, prefix, n) == 0) {
			return *environment + n;
		}
	}
	return NULL;
}

// Reports whether the folder, with more behind it, has the library of a middleware.
static bool has(const char *folder, size_t n, const char *more, const char *middleware) {
	char path[PATH_MAX];
	if (n == 0 || n + strlen(more) + strlen("/lib.so") + strlen(middleware) >= sizeof path) {
		return false;
	}
	memcpy(path, folder, n);
	path[n] = '\0';
	strcat(strcat(strcat(strcat(path, more), "/lib"), middleware), ".so");
	return access(path, R_OK) == 0;
}

// Reports whether one of the folders of a list has it.
static bool listed(const char *folders, const char *more, const char *middleware) {
	for (; folders != NULL; folders = strchr(folders, ':') != NULL ? strchr(folders, ':') + 1 : NULL) {
		if (has(folders, strcspn(folders, ":"), more, middleware)) {
			return true;
		}
	}
	return false;
}

// Reports whether librmw_implementation will find a middleware.
static bool installed(char **environment, const char *middleware) {
	const char *slash = strrchr(chooser, '/');
	return listed(value_of(environment, "LD_LIBRARY_PATH="), "", middleware) ||
	       listed(value_of(environment, "AMENT_PREFIX_PATH="), "/lib", middleware) ||
	       (slash != NULL && has(chooser, (size_t)(slash - chooser), "", middleware));
}

// It runs before the libraries are initialized, so it calls nothing that needs to be; the variable gets another name in
// place, and its own back from Go.
static void choose(int argc, char **argv, char **environment) {
	(void)argc;
	(void)argv;
	if (rmw_get_implementation_identifier == NULL) {
		return;
	}
	dl_iterate_phdr(look, NULL);
	for (char **entry = environment; *entry != NULL; entry++) {
		const char *value = *entry + sizeof variable - 1;
		if (strncmp(*entry, variable, sizeof variable - 1) != 0 || *value == '\0') {
			continue;
		}
		bool works = *chooser != '\0' ? installed(environment, value)
		                              : strcmp(value, rmw_get_implementation_identifier()) == 0;
		if (!works) {
			asked = value;
			**entry = 'r';
		}
	}
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(int, char **, char **) = choose;
