// A library that has some functions of rmw, by which it may be taken for another one. IDENTIFIER is its name; without
// it the library loads the one that the environment names, as librmw_implementation does: by its bare file name.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

const char *rmw_get_implementation_identifier(void) {
#ifdef IDENTIFIER
	return IDENTIFIER;
#else
	char file[256];
	const char *name = getenv("RMW_IMPLEMENTATION");
	snprintf(file, sizeof file, "lib%s.so", name && *name ? name : DEFAULT);
	void *library = dlopen(file, RTLD_LAZY);
	const char *(*identifier)(void) =
	    library ? (const char *(*)(void))dlsym(library, "rmw_get_implementation_identifier") : NULL;
	if (identifier == NULL) {
		fprintf(stderr, "%s is not found\n", file);
		return NULL;
	}
	return identifier();
#endif
}

#ifdef PREFETCH
void prefetch_symbols(void) {}
#endif
